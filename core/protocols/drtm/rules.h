#pragma once
// DrTM's word and its decisions, as pure functions of what was read and of what the synchronised
// clock showed. The switches are described in drtm.h; all dates here are of the synchronised clock.

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

  // On either side of a lease's end, of whoever has seen a clock that may be off by so much: delta,
  // or that where it is more.
  Duration margin(Duration error) const;
};

// ---- the word ----

inline constexpr std::uint64_t kFree = 0;
bool is_locked(std::uint64_t word);
bool is_leased(std::uint64_t word);
std::uint64_t locked_by(ClientId owner);
// With the lease's end, which is rounded down to what the word can say.
std::uint64_t leased_until(const Options& options, Time& end);
// As whoever compares it with the clock takes it.
Time lease_end(const Options& options, std::uint64_t word);
std::string decoded(const Options& options, std::uint64_t word);

// ---- decisions ----

// What to do about a word that is not as expected.
enum class Next : std::uint8_t { share, take, wait };

// Who wants the lock, when it looks at the word.
struct Wish {
  bool shared = false;
  Duration needed;  // so much must be left of a lease that is shared
  Time now;
  Time end;         // of the lease that would be installed
  Duration margin;  // Options::margin of the clock that showed `now`
};
Next judge(const Options& options, std::uint64_t word, const Wish& wish);

// Readers' right by a lease ends here; after this others may take it over.
Time valid_until(const Wish& wish, Time end);
Time taken_over_from(const Options& options, const Wish& wish, Time end);
// For so long a reader tries with one end of a lease; then it dates it anew. Of what readers can
// use of a lease, its length less the margin, half is left when it is installed late, or `needed`
// where that is more; but an eighth goes by in any case, or somebody would do nothing but look at
// clocks.
Duration fresh_for(const Options& options, const Wish& wish);

}  // namespace latchlab::drtm
