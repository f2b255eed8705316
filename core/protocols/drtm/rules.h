#pragma once
// DrTM's word and its decisions, as pure functions of the word read and of the time that the
// synchronised clock showed. drtm.h describes the switches. All times here are of the synchronised
// clock.

#include <cstdint>
#include <string>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/protocols/lock.h"

namespace latchlab::drtm {

enum class Epoch : std::uint8_t { start, unix_truncated };
enum class ShortLease : std::uint8_t { extend, wait };
enum class Takeover : std::uint8_t { expired, not_valid };

struct Options {
  Duration lease = milliseconds(1);
  Duration delta = microseconds(50);
  Duration reserve = microseconds(500);
  unsigned lease_bits = 55;
  Epoch epoch = Epoch::start;
  ShortLease short_lease = ShortLease::extend;
  Takeover takeover = Takeover::expired;
  bool release_by_write = false;
  std::uint64_t timeout_tries = 0;
  Duration backoff_first = microseconds(10);
  Duration backoff_bound = milliseconds(10);

  // The margin on either side of a lease's end for a client that read a clock with this error: the
  // larger of delta and the error.
  Duration margin(Duration error) const;
};

// ---- the word ----

inline constexpr std::uint64_t kFree = 0;
bool is_locked(std::uint64_t word);
bool is_leased(std::uint64_t word);
std::uint64_t locked_by(ClientId owner);
// Rounds `end`, the lease's end, down to what the word can represent.
std::uint64_t leased_until(const Options& options, Time& end);
// The end as a client that compares it with the clock reads it.
Time lease_end(const Options& options, std::uint64_t word);
std::string decoded(const Options& options, std::uint64_t word);

// ---- decisions ----

// What to do about a word other than the expected one.
enum class Next : std::uint8_t { share, take, wait };

// What a client wants when it looks at the word.
struct Wish {
  bool shared = false;
  Duration needed;  // least that must be left of a lease to share it
  Time now;
  Time end;         // of the lease that would be installed
  Duration margin;  // Options::margin of the clock that showed `now`
};
Next judge(const Options& options, std::uint64_t word, const Wish& wish);

// Readers hold by a lease until valid_until; after taken_over_from another client may replace it.
Time valid_until(const Wish& wish, Time end);
Time taken_over_from(const Options& options, const Wish& wish, Time end);
// How long a reader tries with one end of its lease before it computes a new one. Of the usable
// part of a lease (its length less the margin) half is left when it is installed late, or `needed`
// if that is more. At least an eighth passes, so that the client does more than look at clocks.
Duration fresh_for(const Options& options, const Wish& wish);

}  // namespace latchlab::drtm
