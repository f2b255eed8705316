#pragma once
// The simulator's own event queue, ordered by (time, actor, sequence), so that equal dates have one
// order on every machine. Integer picoseconds.
//
// A radix heap with a small ordinary heap in front. No event is ever pushed before the last one
// popped, so an event far away waits, unsorted, in the bucket that names the highest bit in which
// its date differs from a base; when the lowest bucket's turn comes it is split, or moves into the
// heap of what is near once few enough share it. What a push and a pop cost hardly grows with the
// number of pending events; with one heap it doubles from 240 to 4,000 of them.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/prefetch.h"

namespace latchlab::sim {

enum class EventKind : std::uint8_t {
  action,      // something asked for by Backend::at
  spawn,       // an actor's coroutine starts
  arrive,      // a verb reaches the responder's NIC
  served,      // it leaves the inbound pipeline, where others were before it
  slot_done,   // an atomic leaves its slot
  complete,    // the requester's CPU sees the completion
  timer,       // a wait's deadline may have come
  woken,       // a wait that is over resumes its coroutine
  local,       // CPU access, visit to node state, service: done
  wake_up,     // a sleep is over
  retry,       // a message is sent again after receiver-not-ready
  send_ready,  // a DCI can go on
  request_up,  // a call has waited for and used the server's CPU
  bulk,        // a long payload begins, or is cut off
  flow,        // the same, where payloads are flows of SimGrid, whose clock is then at this date
  port_done,   // a shared port may have carried a payload to its end
  bulk_done,   // a long payload has left its ports or its flow
  resend,      // a QP's acknowledgement has not come
  send_again,  // a message's
  core,        // a core that clients share may be free
};

struct Event {
  static constexpr int kKindBits = 5;
  static constexpr int kSequenceBits = 35;
  static constexpr int kActorBits = 64 - kSequenceBits - kKindBits;

  std::int64_t time_ps;
  std::uint64_t order;  // actor, sequence; below what decides: kind
  void* subject;

  bool before(const Event& other) const {
    return time_ps != other.time_ps ? time_ps < other.time_ps : order < other.order;
  }
  EventKind kind() const { return static_cast<EventKind>(order & ((1U << kKindBits) - 1)); }
};

class EventQueue {
 public:
  bool empty() const { return pending_ == 0; }

  // The date of the next event; the queue is not empty.
  std::int64_t next_ps() const {
    return near_.empty() ? earliest_ps_[lowest_bucket()] : near_.front().time_ps;
  }

  // Not before the last event popped.
  void push(std::int64_t time_ps, std::uint32_t actor, EventKind kind, void* subject) {
    LATCHLAB_CHECK(actor < (1U << Event::kActorBits) && sequence_ < (1ULL << Event::kSequenceBits),
                   "event order exhausted");
    const std::uint64_t who_and_when =
        (static_cast<std::uint64_t>(actor) << Event::kSequenceBits) | sequence_++;
    const Event event{
        time_ps, (who_and_when << Event::kKindBits) | static_cast<std::uint64_t>(kind), subject};
    ++pending_;
    if (time_ps < near_end_ps_) {
      push_near(event);
    } else {
      put(event);
    }
  }

  // The next event; the queue is not empty.
  const Event& next() {
    if (near_.empty()) refill();
    return near_.front();
  }
  // The same, where it is known without work; else null.
  const Event* glimpse() const { return near_.empty() ? nullptr : &near_.front(); }

  Event pop() {
    if (near_.empty()) refill();
    --pending_;
    const Event result = near_.front();
    const Event last = near_.back();
    near_.pop_back();
    if (!near_.empty()) sift_down(last);
    return result;
  }

 private:
  static constexpr std::size_t kBuckets = 64;
  static constexpr std::size_t kFew = 32;     // a heap this small stays in the first-level cache
  static constexpr std::size_t kMany = 4096;  // the memory of a bucket this large is given back
  static constexpr std::size_t kArity = 4;
  static constexpr std::size_t kSubjectBytes = 512;  // an operation
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  std::size_t lowest_bucket() const {
    return static_cast<std::size_t>(std::countr_zero(occupied_));
  }

  void put(const Event& event) {
    const auto differs = static_cast<std::uint64_t>(event.time_ps ^ base_ps_);
    const auto bucket = static_cast<std::size_t>(std::bit_width(differs));
    buckets_[bucket].push_back(event);
    occupied_ |= 1ULL << bucket;
    earliest_ps_[bucket] = std::min(earliest_ps_[bucket], event.time_ps);
  }

  // Takes the lowest bucket, split as often as it holds too many, as what comes next.
  void refill() {
    for (;;) {
      const std::size_t from = lowest_bucket();
      std::vector<Event>& bucket = buckets_[from];
      const std::int64_t earliest_ps = std::exchange(earliest_ps_[from], kNone);
      occupied_ &= ~(1ULL << from);
      if (bucket.size() <= kFew || from == 0) {
        // All dates that differ from the base as this bucket's do are near from now on.
        const std::size_t low_bits = from == 0 ? 0 : from - 1;
        near_end_ps_ = ((earliest_ps >> low_bits) + 1) << low_bits;
        for (const Event& event : bucket) {
          prefetch_bytes(event.subject, kSubjectBytes);
          push_near(event);
        }
        bucket.clear();
        return;
      }
      base_ps_ = earliest_ps;
      for (const Event& event : bucket) put(event);  // into lower ones
      bucket.clear();
      if (bucket.capacity() > kMany) bucket.shrink_to_fit();
    }
  }

  void push_near(const Event& event) {
    std::size_t at = near_.size();
    near_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!event.before(near_[parent])) break;
      near_[at] = near_[parent];
      at = parent;
    }
    near_[at] = event;
  }

  void sift_down(const Event& event) {
    std::size_t at = 0;
    for (;;) {
      const std::size_t first = at * kArity + 1;
      if (first >= near_.size()) break;
      const std::size_t end = std::min(first + kArity, near_.size());
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (near_[child].before(near_[least])) least = child;
      if (!near_[least].before(event)) break;
      near_[at] = near_[least];
      at = least;
    }
    near_[at] = event;
  }

  static constexpr std::array<std::int64_t, kBuckets> filled() {
    std::array<std::int64_t, kBuckets> none = {};
    none.fill(kNone);
    return none;
  }

  std::vector<Event> near_;  // a heap: every event before near_end_ps_
  std::int64_t near_end_ps_ = 0;
  std::array<std::vector<Event>, kBuckets> buckets_;
  std::array<std::int64_t, kBuckets> earliest_ps_ = filled();
  std::uint64_t occupied_ = 0;
  std::int64_t base_ps_ = 0;
  std::size_t pending_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace latchlab::sim
