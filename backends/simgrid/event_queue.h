#pragma once
// The simulator's event queue, ordered by (time, actor, sequence), so that events of equal dates
// have the same order on every machine. Dates are integer picoseconds.
//
// A hierarchical timing wheel: 1,024 slots of 16 ns, and four coarser wheels above it, each of
// whose slots spans one turn of the wheel below. A small heap holds the events of the slot that is
// due. An event is put, unsorted, on the finest wheel whose current turn contains its date, and
// moves down when its slot comes up; few events move more than once. So a push and a pop cost
// hardly more with 100,000 pending events than with 240, and less than in a single heap with either
// number.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/prefetch.h"
#include "core/base/time.h"

namespace latchlab::sim {

// The gates between the stations of the simulated world: all that a station knows of the stations
// above it. What goes through a gate enters it at the date of an event (event_queue.h) or at once.

// Where an operation, or another subject, enters a station.
enum class Gate : std::uint8_t {
  // by an event
  action,      // an action of Backend::at
  begin,       // an actor's coroutine starts
  arrive,      // a request reaches the responder's NIC
  served,      // a request leaves the inbound pipeline, where it waited for earlier ones
  slot_done,   // an atomic leaves its slot
  complete,    // the requester's CPU sees the completion
  timer,       // a wait's deadline may have come
  woken,       // a wait that is over resumes its coroutine
  local,       // a CPU access, a visit to node state or another operation on the own node is done
  wake_up,     // a sleep is over
  transmit,    // a message without a connection, or a call, is sent again
  send_ready,  // a DCI has been reset and can send again
  bulk,        // a long payload begins, or is stopped
  flow,        // the same, with payloads as flows of SimGrid, whose clock is then at this date
  port_done,   // a shared port may have carried a payload to its end
  bulk_done,   // a long payload has left its ports or its flow
  resend,      // a QP's acknowledgement has not come: its NIC sends again
  send_again,  // the same for a message without a QP, or a call
  core,        // a core may be free
  deadline,    // a call's deadline may have come
  landed,      // a message is in memory, with its completion
  // at once
  received,  // a message or a call has left the pipeline
  sendable,  // a QP may send again what it has held back
  over,      // a remote operation is over: its requester's CPU goes on
  message,   // an actor has got a message
  changed,   // a word has changed for which waits wait
  // at once, when a core has time
  root,   // the actor's coroutine starts
  batch,  // a batch, given by its first operation, is complete
  wait,   // a wait is over
  sleep,  // a sleep is over
  call,   // a call has come in
};

// Passes what goes through a gate to the station behind the gate.
class Gates {
 public:
  virtual void enter(Gate gate, void* subject) = 0;

 protected:
  ~Gates() = default;
};

struct Event {
  static constexpr int kGateBits = 5;
  static constexpr int kSequenceBits = 35;
  static constexpr int kActorBits = 64 - kSequenceBits - kGateBits;

  std::int64_t time_ps;
  std::uint64_t order;  // actor and sequence, which decide; the gate in the lowest bits
  void* subject;

  static constexpr std::uint32_t kMostActor = (1U << kActorBits) - 1;

  bool before(const Event& other) const {
    return time_ps != other.time_ps ? time_ps < other.time_ps : order < other.order;
  }
  Gate gate() const { return static_cast<Gate>(order & ((1U << kGateBits) - 1)); }
};

class EventQueue {
 public:
  bool empty() const { return pending_ == 0; }
  std::uint64_t popped() const { return sequence_ - pending_; }
  // Whether the events so far had numbers enough. Beyond, their order is wrong.
  bool in_order() const { return sequence_ <= (1ULL << Event::kSequenceBits); }

  // `time_ps` is not before the last event popped; `actor` is at most kMostActor.
  void push(std::int64_t time_ps, std::uint32_t actor, Gate gate, void* subject) {
    const std::uint64_t who_and_when =
        (static_cast<std::uint64_t>(actor) << Event::kSequenceBits) | sequence_++;
    const Event event{
        time_ps, (who_and_when << Event::kGateBits) | static_cast<std::uint64_t>(gate), subject};
    ++pending_;
    if (time_ps <= near_last_ps_) {
      push_near(event);
    } else {
      Far* far = take();
      far->event = event;
      put(far);
    }
  }

  // The next event; the queue is not empty.
  const Event& next() {
    if (in_heap_ == 0) refill();
    return near_.front();
  }
  // The next event, or one of those that come soon; null: finding one takes work.
  const Event* glimpse() const {
    if (in_heap_ > 0) return &near_.front();
    return wheels_[0].empty() ? nullptr : &wheels_[0].slots[wheels_[0].first()]->event;
  }

  Event pop() {
    const Event result = next();
    --pending_;
    const Event last = near_[--in_heap_];
    if (in_heap_ > 0) sift_down(last);
    return result;
  }

 private:
  static constexpr int kSlotBits = 14;  // log2 of picoseconds
  static constexpr std::int64_t kSlotMask = (std::int64_t{1} << kSlotBits) - 1;
  static constexpr int kDigitBits = 10;  // bits of a date, per wheel
  static constexpr std::size_t kWheels = 5;
  static_assert(kSlotBits + kDigitBits * static_cast<int>(kWheels) == 64);
  static constexpr std::size_t kSlots = 1 << kDigitBits;
  static constexpr std::size_t kArity = 4;
  static constexpr std::size_t kSubjectBytes = 320;  // size of an operation

  struct Far {
    Event event;
    Far* next = nullptr;
  };

  // `occupied` has a bit for each slot that holds events, `words` a bit for each word of it that is
  // not 0.
  struct Wheel {
    std::array<Far*, kSlots> slots = {};
    std::array<std::uint64_t, kSlots / 64> occupied = {};
    std::uint64_t words = 0;

    bool empty() const { return words == 0; }
    std::size_t first() const {
      const auto word = static_cast<std::size_t>(std::countr_zero(words));
      return word * 64 + static_cast<std::size_t>(std::countr_zero(occupied[word]));
    }
    void add(std::size_t slot, Far* far) {
      far->next = slots[slot];
      slots[slot] = far;
      occupied[slot / 64] |= 1ULL << slot % 64;
      words |= 1ULL << slot / 64;
    }
    Far* empty_out(std::size_t slot) {
      occupied[slot / 64] &= ~(1ULL << slot % 64);
      if (occupied[slot / 64] == 0) words &= ~(1ULL << slot / 64);
      return std::exchange(slots[slot], nullptr);
    }
  };

  static constexpr int shift_of(std::size_t wheel) {
    return kSlotBits + kDigitBits * static_cast<int>(wheel);
  }

  Far* take() {
    if (free_ == nullptr) return &all_.emplace_back();
    return std::exchange(free_, free_->next);
  }

  // Puts the event on the wheel of the highest digit in which its date differs from the present.
  void put(Far* far) {
    const auto date = static_cast<std::uint64_t>(far->event.time_ps);
    const std::uint64_t differs = (date ^ static_cast<std::uint64_t>(base_ps_)) >> kSlotBits;
    const auto wheel = static_cast<std::size_t>(std::bit_width(differs) - 1) / kDigitBits;
    wheels_[wheel].add(date >> shift_of(wheel) & (kSlots - 1), far);
  }

  // Moves the next slot that holds events into the heap.
  void refill() {
    while (in_heap_ == 0) {
      std::size_t wheel = 0;
      while (wheels_[wheel].empty()) ++wheel;
      Far* far = wheels_[wheel].empty_out(wheels_[wheel].first());
      base_ps_ = far->event.time_ps >> shift_of(wheel) << shift_of(wheel);
      near_last_ps_ = base_ps_ + kSlotMask;
      while (far != nullptr) {
        Far* const following = far->next;
        if (far->event.time_ps <= near_last_ps_) {
          push_near(far->event);
          far->next = std::exchange(free_, far);
        } else {
          put(far);
        }
        far = following;
      }
    }
    prefetch_ahead();
  }

  // Prefetches the subjects of the next slot's events.
  void prefetch_ahead() const {
    if (wheels_[0].empty()) return;
    for (const Far* far = wheels_[0].slots[wheels_[0].first()]; far != nullptr; far = far->next)
      prefetch_bytes(far->event.subject, kSubjectBytes);
  }

  void push_near(const Event& event) {
    if (in_heap_ == near_.size()) [[unlikely]]
      make_room();
    Event* const heap = near_.data();
    std::size_t at = in_heap_++;
    while (at > 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!event.before(heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = event;
  }

  // Not inlined, because it is rare.
  [[gnu::noinline]] void make_room() { near_.resize(2 * near_.size()); }

  void sift_down(const Event& event) {
    Event* const heap = near_.data();
    const std::size_t size = in_heap_;
    std::size_t at = 0;
    for (;;) {
      const std::size_t first = at * kArity + 1;
      if (first >= size) break;
      const std::size_t end = std::min(first + kArity, size);
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (heap[child].before(heap[least])) least = child;
      if (!heap[least].before(event)) break;
      heap[at] = heap[least];
      at = least;
    }
    heap[at] = event;
  }

  // A heap in the first in_heap_ entries: every pending event up to near_last_ps_.
  std::vector<Event> near_ = std::vector<Event>(16);
  std::size_t in_heap_ = 0;
  std::int64_t near_last_ps_ = kSlotMask;
  std::int64_t base_ps_ = 0;  // start of the slot that is due
  std::array<Wheel, kWheels> wheels_;
  std::deque<Far> all_;
  Far* free_ = nullptr;
  std::size_t pending_ = 0;
  std::uint64_t sequence_ = 0;
};

// The present of the simulated world, its pending events, and the way to the gates.
class Timeline {
 public:
  explicit Timeline(Gates& gates) : gates_(gates) {}

  Time now() const { return now_; }
  // The subject enters the gate at `date`, which is not before the present; `actor`
  // orders events of equal dates.
  [[gnu::noinline]] void push(Time date, std::uint32_t actor, Gate gate, void* subject) {
    queue_.push(date.ps, actor, gate, subject);
  }
  // The subject enters the gate now, without an event.
  void pass(Gate gate, void* subject) { gates_.enter(gate, subject); }
  // Runs the action before other events of that date.
  void at(Time date, std::function<void()> action) {
    push(date, 0, Gate::action, &actions_.emplace_back(std::move(action)));
  }

  // For the event loop.
  bool empty() const { return queue_.empty(); }
  const Event& next() { return queue_.next(); }
  const Event* glimpse() const { return queue_.glimpse(); }
  Event pop() {
    const Event event = queue_.pop();
    now_ = Time{event.time_ps};
    return event;
  }
  void reach(Time date) { now_ = date; }  // no event is pending before `date`
  std::uint64_t events() const { return queue_.popped(); }
  bool in_order() const { return queue_.in_order(); }

 private:
  Gates& gates_;
  EventQueue queue_;
  Time now_;
  std::deque<std::function<void()>> actions_;
};

}  // namespace latchlab::sim
