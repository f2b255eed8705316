#pragma once
// Which clients a release has to wake, as far as the queue tells. Pure functions of the queue's
// words and of the header that the releasing FAA found.

#include <cstdint>
#include <span>

#include "core/protocols/cql/format.h"

namespace latchlab::cql {

// The places behind a client that releases.
struct Behind {
  std::uint64_t first = 0;    // index of its successor
  std::uint32_t count = 0;    // places
  std::uint32_t writers = 0;  // places of writers
  bool left_writer = false;   // the client that releases held the lock exclusively
  bool next_entry_first = false;
};

// For a release whose FAA found this header.
constexpr Behind behind(const Header& before, bool writes, bool next_entry_first) {
  return {before.head + 1, before.size - 1, before.writers - (writes ? 1 : 0), writes,
          next_entry_first};
}

// Has another reader released since this one did?
constexpr bool overtaken(const Behind& behind, const Header& now) {
  return !behind.left_writer && now.head != behind.first;
}

enum class Look : std::uint8_t {
  known,    // the clients to wake are known
  missing,  // an entry that matters has not been written yet: READ again
  lost,     // an entry was overwritten by a later owner
};
struct Wake {
  Look look = Look::known;
  std::uint32_t count = 0;  // so many from the successor on
};

// How the times of entries compare: they count up to `bits` bits and wrap. If two are further apart
// than `wrap_percent` of the range, the larger one is the earlier (DecLock 5.3).
// Notified: the time that a notification carries, of the clients that wait behind those it wakes:
// the earliest one's; the next one's, if its entry has been written; or that of the next one whose
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

// Since when clients wait from the `from`-th place behind on: 1 + the time that `times.notified`
// selects among the written entries; 0 if there is none.
std::uint64_t earliest(const Format& format, const Behind& behind, std::uint32_t from,
                       std::span<const std::uint64_t> queue, const TimeOrder& times);

Wake whom_to_wake(const Format& format, const Behind& behind, std::span<const std::uint64_t> queue);

}  // namespace latchlab::cql
