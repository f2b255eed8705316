#pragma once
// The simulator's own event queue: a 4-ary heap ordered by (time, actor, sequence), so that equal
// dates have one order on every machine. Integer picoseconds.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/check.h"

namespace latchlab::sim {

enum class EventKind : std::uint8_t {
  action,      // something asked for by Backend::at
  spawn,       // an actor's coroutine starts
  arrive,      // a verb reaches the responder's NIC
  served,      // it leaves the inbound pipeline
  slot_done,   // an atomic leaves its slot
  complete,    // the requester's CPU sees the completion
  timer,       // a wait's deadline may have come
  woken,       // a wait that is over resumes its coroutine
  local,       // CPU access, visit to node state, sleep, service: done
  retry,       // a message is sent again after receiver-not-ready
  send_ready,  // a DCI can go on
  request_up,  // a call has waited for and used the server's CPU
  core,        // a core that clients share may be free
};

struct Event {
  std::int64_t time_ps;
  std::uint64_t order;  // actor << 40 | sequence
  void* subject;
  EventKind kind;

  bool before(const Event& other) const {
    return time_ps != other.time_ps ? time_ps < other.time_ps : order < other.order;
  }
};

class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  const Event& top() const { return heap_.front(); }

  void push(std::int64_t time_ps, std::uint32_t actor, EventKind kind, void* subject) {
    LATCHLAB_CHECK(actor < (1u << 24) && sequence_ < (1ULL << 40), "event order exhausted");
    const Event event{time_ps, (static_cast<std::uint64_t>(actor) << 40) | sequence_++, subject,
                      kind};
    std::size_t at = heap_.size();
    heap_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!event.before(heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  Event pop() {
    const Event result = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return result;
  }

 private:
  static constexpr std::size_t kArity = 4;

  void sift_down(const Event& event) {
    std::size_t at = 0;
    for (;;) {
      const std::size_t first = at * kArity + 1;
      if (first >= heap_.size()) break;
      const std::size_t end = first + kArity < heap_.size() ? first + kArity : heap_.size();
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (heap_[child].before(heap_[least])) least = child;
      if (!heap_[least].before(event)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = event;
  }

  std::vector<Event> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace latchlab::sim
