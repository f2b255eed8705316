#include "core/protocols/drtm/rules.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/paths.h"
#include "core/protocols/common/masks.h"
#include "core/protocols/common/planted.h"

namespace latchlab::drtm {

namespace {

constexpr std::uint64_t kLockBit = 1;
constexpr unsigned kOwnerShift = 1;
constexpr unsigned kOwnerBits = 8;
constexpr unsigned kLeaseShift = kOwnerShift + kOwnerBits;
constexpr std::int64_t kPsPerNs = 1'000;
// The artifact's clock at the start of a run: 2025-01-01, in nanoseconds.
constexpr std::uint64_t kUnixStart = 1'735'689'600'000'000'000;
constexpr Time kLongAgo{-(1LL << 62)};

}  // namespace

Duration Options::margin(Duration error) const {
  return PLANTED(drtm_no_margin) ? Duration{} : std::max(delta, error);
}

bool is_locked(std::uint64_t word) {
  return (word & kLockBit) != 0;
}
bool is_leased(std::uint64_t word) {
  return word != kFree && !is_locked(word);
}
std::uint64_t locked_by(ClientId owner) {
  return kLockBit | (owner.value & field_mask(0, kOwnerBits)) << kOwnerShift;
}

std::uint64_t leased_until(const Options& options, Time& end) {
  const std::int64_t ns = end.ps / kPsPerNs;
  LATCHLAB_CHECK(ns > 0, "the synchronised clock counts from the start of the run");
  end = Time{ns * kPsPerNs};
  const std::uint64_t mask = field_mask(0, options.lease_bits);
  const auto since_start = static_cast<std::uint64_t>(ns);
  if (options.epoch == Epoch::unix_truncated)
    return ((kUnixStart + since_start) & mask) << kLeaseShift;
  LATCHLAB_CHECK(since_start <= mask,
                 "a lease of drtm ends later than its word can say; give the word more lease_bits");
  return since_start << kLeaseShift;
}

Time lease_end(const Options& options, std::uint64_t word) {
  if (options.epoch == Epoch::unix_truncated) return kLongAgo;  // all ends precede kUnixStart
  const std::uint64_t ns = field_of(word, kLeaseShift, options.lease_bits);
  return Time{static_cast<std::int64_t>(ns) * kPsPerNs};
}

std::string decoded(const Options& options, std::uint64_t word) {
  if (word == kFree) return "free";
  const std::uint64_t owner = field_of(word, kOwnerShift, kOwnerBits);
  if (is_locked(word)) return "locked by client " + std::to_string(owner) + " (modulo 256)";
  const std::uint64_t ns = field_of(word, kLeaseShift, options.lease_bits);
  return "leased until " + std::to_string(ns) + " ns";
}

Next judge(const Options& options, std::uint64_t word, const Wish& wish) {
  if (word == kFree) return Next::take;
  if (is_locked(word)) return Next::wait;
  const Time end = lease_end(options, word);
  if (wish.shared && wish.now + wish.needed < valid_until(wish, end)) return Next::share;
  if (wish.now > taken_over_from(options, wish, end)) {
    LATCHLAB_PATH("drtm: a lease has expired");
    return Next::take;
  }
  if (!wish.shared) return PLANTED(drtm_writer_ignores_leases) ? Next::take : Next::wait;
  if (options.short_lease == ShortLease::wait || wish.end <= end) return Next::wait;
  LATCHLAB_PATH("drtm: a reader extends a lease");
  return Next::take;
}

Time valid_until(const Wish& wish, Time end) {
  return end - wish.margin;
}
Time taken_over_from(const Options& options, const Wish& wish, Time end) {
  const bool early = options.takeover == Takeover::not_valid && !wish.shared;
  return early ? end - wish.margin : end + wish.margin;
}

Duration fresh_for(const Options& options, const Wish& wish) {
  const Duration usable = std::max(options.lease - wish.margin, Duration{});
  return std::clamp(usable - wish.needed, usable / 8, usable / 2);
}

}  // namespace latchlab::drtm
