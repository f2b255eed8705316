// The floor: a 4-ary heap of 16-byte entries, ordered by time and then by insertion, and one
// resumed coroutine per event.

#include <cstddef>

#include "tools/benchmarks/hold.h"

namespace latchlab::bench {

namespace {

struct Entry {
  std::uint64_t time_ps;
  std::uint32_t sequence;  // wraps; only orders entries of equal time
  std::uint32_t client;

  bool before(const Entry& other) const {
    return time_ps != other.time_ps ? time_ps < other.time_ps : sequence < other.sequence;
  }
};
static_assert(sizeof(Entry) == 16);

class BareHeap {
 public:
  explicit BareHeap(std::uint32_t clients) : handles_(clients) { heap_.reserve(clients + 1); }

  // The caller is the client whose event was handled last; during the start, the next client.
  void arm(std::uint64_t pause_ps, std::coroutine_handle<> client) {
    if (starting_) running_ = started_++;
    handles_[running_] = client;
    push({now_ps_ + pause_ps, sequence_++, running_});
  }

  void run(std::uint64_t events) {
    starting_ = false;
    for (std::uint64_t i = 0; i < events; ++i) {
      const Entry next = pop();
      now_ps_ = next.time_ps;
      running_ = next.client;
      handles_[running_].resume();
    }
  }

 private:
  static constexpr std::size_t kArity = 4;

  void push(const Entry& entry) {
    std::size_t at = heap_.size();
    heap_.push_back(entry);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!entry.before(heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = entry;
  }

  Entry pop() {
    const Entry least = heap_.front();
    const Entry last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return least;
    std::size_t at = 0;
    for (std::size_t first = 1; first < size; first = at * kArity + 1) {
      const std::size_t end = first + kArity < size ? first + kArity : size;
      std::size_t child = first;
      for (std::size_t i = first + 1; i < end; ++i)
        if (heap_[i].before(heap_[child])) child = i;
      if (!heap_[child].before(last)) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = last;
    return least;
  }

  std::vector<Entry> heap_;
  std::vector<std::coroutine_handle<>> handles_;
  std::uint64_t now_ps_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint32_t running_ = 0;
  std::uint32_t started_ = 0;
  bool starting_ = true;
};

}  // namespace

Sample measure_floor(const HoldModel& model) {
  BareHeap heap(model.clients);
  const std::vector<Task<void>> clients = start_hold_clients(heap, model.clients);
  heap.run(model.warm_up_events);
  const double before = process_cpu_ns();
  heap.run(model.events);
  Sample sample;
  sample.cpu_ns = process_cpu_ns() - before;
  sample.events = static_cast<double>(model.events);
  sample.resident_bytes = process_resident_bytes();
  return sample;
}

}  // namespace latchlab::bench
