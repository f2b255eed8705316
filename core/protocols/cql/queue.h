#pragma once
// Whom a release has to wake, as far as the queue tells. Pure: what is said of a queue follows from
// its words and the header that the releasing FAA found.

#include <cstdint>
#include <span>

#include "core/protocols/cql/format.h"

namespace latchlab::cql {

// Those behind one that leaves.
struct Behind {
  std::uint64_t first = 0;    // index of its successor
  std::uint32_t count = 0;    // places
  std::uint32_t writers = 0;  // of these
  bool left_writer = false;   // the one that leaves had it exclusively
  bool next_entry_first = false;
};

// By a release, of the header that its FAA found.
constexpr Behind behind(const Header& before, bool writes, bool next_entry_first) {
  return {before.head + 1, before.size - 1, before.writers - (writes ? 1 : 0), writes,
          next_entry_first};
}

// Has another reader left since this one did?
constexpr bool overtaken(const Behind& behind, const Header& now) {
  return !behind.left_writer && now.head != behind.first;
}

enum class Look : std::uint8_t {
  known,    // whom to wake can be told
  missing,  // an entry that matters has not been written yet: look again
  lost,     // one was overwritten by a later owner
};
struct Wake {
  Look look = Look::known;
  std::uint32_t count = 0;  // so many from the successor on
};

// How the times of entries compare: they count up to `bits`, and over again. Of two that are
// further apart than `wrap_percent` of what there is, the larger one is the earlier (DecLock 5.3).
// Whose time a notification carries, of those that wait behind the clients that it wakes: the
// earliest one's; the next one's, if its entry has been written; or that of the next one whose
// entry has been written.
enum class Notified : std::uint8_t { earliest, next, next_written };
struct TimeOrder {
  unsigned bits = 16;
  unsigned wrap_percent = 50;
  Notified notified = Notified::earliest;

  constexpr std::uint32_t largest() const {
    return static_cast<std::uint32_t>(field_mask(0, bits));
  }
  constexpr bool earlier(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t apart = a < b ? b - a : a - b;
    const bool wrapped = std::uint64_t{100} * apart > std::uint64_t{wrap_percent} * largest();
    return wrapped ? a > b : a < b;
  }
};

// Since when clients wait from the `from`-th place behind on: 1 + the time in the entries that
// `times.notified` names, of those that have been written; or 0.
std::uint64_t earliest(const Format& format, const Behind& behind, std::uint32_t from,
                       std::span<const std::uint64_t> queue, const TimeOrder& times);

Wake whom_to_wake(const Format& format, const Behind& behind, std::span<const std::uint64_t> queue);

}  // namespace latchlab::cql
