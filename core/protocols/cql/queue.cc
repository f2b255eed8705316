#include "core/protocols/cql/queue.h"

#include "core/protocols/common/planted.h"

namespace latchlab::cql {
namespace {

enum class State : std::uint8_t { older, valid, newer };

State state_of(const Format& format, const Entry& entry, std::uint64_t index) {
  const std::uint32_t expected = format.version(index);
  if (entry.version == expected || PLANTED(cql_checks_no_version)) return State::valid;
  if (entry.version == format.never() || entry.version < expected) return State::older;
  return State::newer;
}

class Places {
 public:
  Places(const Format& format, const Behind& behind, std::span<const std::uint64_t> queue)
      : format_(format), behind_(behind), queue_(queue) {}
  Entry entry(std::uint32_t place) const {
    return Format::unpack_entry(queue_[format_.slot(behind_.first + place)]);
  }
  State state(std::uint32_t place) const {
    return state_of(format_, entry(place), behind_.first + place);
  }

 private:
  const Format& format_;
  const Behind& behind_;
  std::span<const std::uint64_t> queue_;
};

// After a writer all others wait, and all write their entries: wake one writer, or the readers up
// to the next writer.
Wake after_writer(const Places& places, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const State state = places.state(i);
    if (state == State::newer) return {Look::lost};
    if (state == State::older) return {Look::missing};
    if (places.entry(i).writes) return {Look::known, i == 0 ? 1 : i};
    if (PLANTED(cql_wakes_one_reader)) return {Look::known, 1};
  }
  return {Look::known, count};
}

// After a reader, all readers up to the next writer hold the lock already, whether their entries
// say so or not. The positions of the writers are known once as many are seen as the header counts.
Wake after_reader(const Places& places, const Behind& behind) {
  if (behind.writers == 0) return {};
  if (behind.next_entry_first && places.state(0) == State::valid)
    return {Look::known, places.entry(0).writes ? 1U : 0U};
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < behind.count; ++i) {
    const State state = places.state(i);
    if (state == State::newer) return {Look::lost};
    if (state == State::valid && places.entry(i).writes) ++seen;
  }
  if (seen < behind.writers) return {Look::missing};
  const bool next_writes = places.state(0) == State::valid && places.entry(0).writes;
  return {Look::known, next_writes ? 1U : 0U};
}

}  // namespace

std::uint64_t earliest(const Format& format, const Behind& behind, std::uint32_t from,
                       std::span<const std::uint64_t> queue, const TimeOrder& times) {
  const Places places(format, behind, queue);
  std::uint64_t since = 0;
  for (std::uint32_t i = from; i < behind.count; ++i) {
    if (places.state(i) == State::valid) {
      const std::uint32_t time = places.entry(i).time;
      if (since == 0 || times.earlier(time, static_cast<std::uint32_t>(since - 1)))
        since = 1 + time;
      if (times.notified == Notified::next_written) break;
    }
    if (times.notified == Notified::next) break;
  }
  return since;
}

Wake whom_to_wake(const Format& format, const Behind& behind,
                  std::span<const std::uint64_t> queue) {
  if (behind.count == 0) return {};
  const Places places(format, behind, queue);
  return behind.left_writer ? after_writer(places, behind.count) : after_reader(places, behind);
}

}  // namespace latchlab::cql
