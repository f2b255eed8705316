#include "core/workload/keys.h"

#include <fmt/format.h>

#include <utility>

#include "core/workload/power_law.h"

namespace latchlab {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr auto kMaxThetaSignedPpb = static_cast<std::int64_t>(kMaxThetaPpb);

class UniformKeys : public KeyChooser {
 public:
  explicit UniformKeys(std::uint64_t count) : count_(count) {}
  std::uint64_t next(Rng& rng) const override { return rng.below(count_); }

 private:
  std::uint64_t count_;
};

template <class Law>
class RankedKeys : public KeyChooser {
 public:
  RankedKeys(std::uint64_t count, std::uint64_t exponent_ppb) : law_(count, exponent_ppb) {}
  std::uint64_t next(Rng& rng) const override { return law_.draw(rng) - 1; }

 private:
  Law law_;
};

class HotspotKeys : public KeyChooser {
 public:
  HotspotKeys(std::uint64_t count, std::uint64_t hot, std::uint64_t accesses_ppb)
      : count_(count), hot_(hot), accesses_ppb_(accesses_ppb) {}
  std::uint64_t next(Rng& rng) const override {
    if (rng.below(kBillion) < accesses_ppb_) return rng.below(hot_);
    return hot_ + rng.below(count_ - hot_);
  }

 private:
  std::uint64_t count_;
  std::uint64_t hot_;  // 0 < hot < count
  std::uint64_t accesses_ppb_;
};

class ScrambledKeys : public KeyChooser {
 public:
  ScrambledKeys(std::unique_ptr<const KeyChooser> ranks, Permutation permutation)
      : ranks_(std::move(ranks)), permutation_(permutation) {}
  std::uint64_t next(Rng& rng) const override { return permutation_(ranks_->next(rng)); }
  std::uint64_t hottest() const override { return permutation_(ranks_->hottest()); }

 private:
  std::unique_ptr<const KeyChooser> ranks_;
  Permutation permutation_;
};

using Chooser = std::unique_ptr<const KeyChooser>;

double in_units(std::int64_t ppb) {
  return static_cast<double>(ppb) / 1e9;
}

Chooser ranked(std::uint64_t count, std::int64_t theta_ppb) {
  if (theta_ppb == 0) return std::make_unique<UniformKeys>(count);
  return std::make_unique<RankedKeys<PowerLaw>>(count, static_cast<std::uint64_t>(theta_ppb));
}

Result<Chooser> make_zipf(const DistributionSpec& spec, std::uint64_t count) {
  if (spec.theta_ppb < 0 || spec.theta_ppb > kMaxThetaSignedPpb)
    return Error{fmt::format("distribution theta is {}; expected a number from 0 to 20",
                             in_units(spec.theta_ppb)),
                 {}};
  return ranked(count, spec.theta_ppb);
}

Result<Chooser> make_power_law(const DistributionSpec& spec, std::uint64_t count) {
  if (spec.alpha_ppb <= kBillion || spec.alpha_ppb > kMaxThetaSignedPpb)
    return Error{fmt::format("distribution alpha is {}; expected a number above 1 and up to 20 "
                             "(use kind: zipf for flatter laws)",
                             in_units(spec.alpha_ppb)),
                 {}};
  const auto alpha_ppb = static_cast<std::uint64_t>(spec.alpha_ppb);
  if (spec.continuous)
    return Chooser(std::make_unique<RankedKeys<ContinuousPowerLaw>>(count, alpha_ppb));
  return ranked(count, spec.alpha_ppb);
}

// The share of hot locks is rounded up, so that a small share of few locks is still one lock.
Result<Chooser> make_hotspot(const DistributionSpec& spec, std::uint64_t count) {
  if (spec.hot_locks_ppb <= 0 || spec.hot_locks_ppb > kBillion)
    return Error{fmt::format("distribution hot_locks is {}%; expected above 0% and up to 100%",
                             in_units(spec.hot_locks_ppb) * 100),
                 {}};
  if (spec.hot_accesses_ppb < 0 || spec.hot_accesses_ppb > kBillion)
    return Error{fmt::format("distribution hot_accesses is {}%; expected 0% to 100%",
                             in_units(spec.hot_accesses_ppb) * 100),
                 {}};
  const Wide product = static_cast<Wide>(count) * static_cast<std::uint64_t>(spec.hot_locks_ppb);
  const auto hot = static_cast<std::uint64_t>((product + (kBillion - 1)) / kBillion);
  if (hot == count) return Chooser(std::make_unique<UniformKeys>(count));
  return Chooser(
      std::make_unique<HotspotKeys>(count, hot, static_cast<std::uint64_t>(spec.hot_accesses_ppb)));
}

Result<Chooser> make_ranks(const DistributionSpec& spec, std::uint64_t count) {
  switch (spec.kind) {
    case DistributionKind::uniform:
      return Chooser(std::make_unique<UniformKeys>(count));
    case DistributionKind::zipf:
      return make_zipf(spec, count);
    case DistributionKind::power_law:
      return make_power_law(spec, count);
    case DistributionKind::hotspot:
      return make_hotspot(spec, count);
  }
  LATCHLAB_CHECK(false, "unknown distribution kind");
}

}  // namespace

Result<Chooser> KeyChooser::make(const DistributionSpec& spec, std::uint64_t lock_count,
                                 std::uint64_t seed) {
  if (lock_count == 0 || lock_count > kMaxRanks)
    return Error{fmt::format("locks.count is {}; expected 1 to 2^48", lock_count), {}};
  Result<Chooser> ranks = make_ranks(spec, lock_count);
  if (!ranks || !spec.scramble) return ranks;
  const Permutation permutation(lock_count, hash_of(seed, lock_count));
  return Chooser(std::make_unique<ScrambledKeys>(std::move(ranks).value(), permutation));
}

}  // namespace latchlab
