// Estimates what is not linear in the measurements: whole numbers, a size and a curve.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/measured/benchmarks.h"
#include "models/measured/estimate.h"

namespace latchlab {
namespace {

using Repeats = std::vector<Measured::Repeat>;

// Null: not measured.
const Repeats* repeats_of(const Measurements& all, const std::string& label) {
  const auto found = all.find(label);
  return found == all.end() ? nullptr : &found->second.repeats;
}

Mean mean_in(const Repeats& repeats, double Measured::Repeat::*field) {
  std::vector<double> values;
  for (const Measured::Repeat& repeat : repeats) values.push_back(repeat.*field);
  return latchlab::mean_of(values);
}

// Relative standard error of the mean.
double error_of(const Mean& mean) {
  return std::sqrt(mean.relative_variance / static_cast<double>(mean.repeats));
}

class Counts {
 public:
  Counts(const Measurements& measurements, std::int64_t mtu, double errors, Estimate& estimate)
      : all_(measurements), mtu_(mtu), errors_(errors), estimate_(estimate) {}

  // Atomics on one address fill the window and the queue before it. Atomics on other addresses wait
  // in that queue, but not after it. So the former wait longer by the other atomics in the window.
  void window() {
    const Repeats* const both = repeats_of(all_, "window");
    const FoundConstant* const hold = estimate_.find("atomic.same_address");
    if (both == nullptr) return;
    if (hold == nullptr) return open("atomic.window", "same_address has not told what they hold");
    std::vector<double> values;
    double longest = 0;
    for (const Measured::Repeat& repeat : *both) {
      values.push_back(1 + (repeat.others_cycle - repeat.cycle) / hold->value);
      longest = std::max(longest, repeat.others_cycle / hold->value);
    }
    const Mean mean = latchlab::mean_of(values);
    const double of_hold = (hold->high - hold->low) / (hold->high + hold->low);
    const double half =
        mean.value * (errors_ * error_of(mean) + of_hold * (mean.value - 1) / mean.value);
    constexpr double kAlmostAll = 0.85;
    if (mean.value > kAlmostAll * longest)
      return open("atomic.window",
                  fmt::format("as many as there were, {:.0f}, are admitted at once",
                              std::floor(mean.value)));
    whole("atomic.window", mean.value, half, {"window", "same_address"});
  }

  // A WRITE of so many bytes fills the link with those, with the address that it goes to, and with
  // what each of its packets adds. Two sizes tell the last, without the link's rate.
  void overhead() {
    const Repeats* const small = repeats_of(all_, "link_256");
    const Repeats* const large = repeats_of(all_, "link_4096");
    if (small == nullptr || large == nullptr) return;
    if (estimate_.find("link.rate") == nullptr)
      return open("link.overhead", "WRITEs of 4 KiB have not told the link's rate");
    const Mean of_small = mean_in(*small, &Measured::Repeat::pace);
    const Mean of_large = mean_in(*large, &Measured::Repeat::pace);
    constexpr double kFaster = 1.1;  // what else could limit the rate of short WRITEs
    for (const char* const limit : {"issue", "write_rate"}) {
      const Repeats* const one = repeats_of(all_, limit);
      if (one != nullptr && of_small.value < kFaster * mean_in(*one, &Measured::Repeat::pace).value)
        return open("link.overhead", "WRITEs of 256 B do not fill the link");
    }
    constexpr double kCarried = 256 + kReth;
    const double ratio = of_small.value / of_large.value;
    const double share = ratio * static_cast<double>(packets_of(4096, mtu_));
    if (share >= 1) return open("link.overhead", "WRITEs of 256 B take as long as those of 4 KiB");
    const double bytes = (ratio * (4096 + kReth) - kCarried) / (1 - share);
    const double half = errors_ * std::hypot(error_of(of_small), error_of(of_large)) *
                        (kCarried + bytes) / (1 - share);
    whole("link.overhead", bytes, half, {"link_rate"});
  }

  // With a stride of s bytes, n 8 / s slots are in use. They are almost always busy, if the
  // pipeline is not the bottleneck.
  void slots() {
    const Repeats* const one = repeats_of(all_, "same");
    const Repeats* const spread = repeats_of(all_, "spread");
    if (one == nullptr || spread == nullptr) return;
    const double hold = mean_in(*one, &Measured::Repeat::pace).value;
    const double pipeline = mean_in(*spread, &Measured::Repeat::pace).value;
    if (hold < kClearly * pipeline) return set_count("atomic.slots", 1, {"same_address"});
    for (const int stride : {64, 512, 1024, 2048}) {
      const Repeats* const at = repeats_of(all_, fmt::format("stride_{}", stride));
      if (at == nullptr) continue;
      const double pace = mean_in(*at, &Measured::Repeat::pace).value;
      const double in_use = hold / pace;
      if (pace < 2 * pipeline || in_use < 1.5) continue;
      const double rounded = std::exp2(std::round(std::log2(in_use)));
      if (std::abs(std::log2(in_use / rounded)) > 0.3) continue;
      return set_count("atomic.slots", rounded * stride / 8, {"strides", "same_address"});
    }
    if (repeats_of(all_, "stride_64") != nullptr)
      open("atomic.slots", "at no stride do they limit the rate as a power of two would");
  }

  // 48 READs at once take one round trip for each group of n READs in flight. RNICs have powers of
  // two.
  void outstanding() {
    const Repeats* const one = repeats_of(all_, "outstanding_1");
    const Repeats* const four = repeats_of(all_, "outstanding_4");
    const Repeats* const all = repeats_of(all_, "outstanding_48");
    if (one == nullptr || four == nullptr || all == nullptr) return;
    constexpr int kAll = 48;
    constexpr double kOff = 0.1;  // what posting and handling may add or save
    const double trip = mean_in(*one, &Measured::Repeat::typical).value;
    const double step = (mean_in(*four, &Measured::Repeat::typical).value - trip) / 3;
    const double took = mean_in(*all, &Measured::Repeat::typical).value;
    int best = 0;
    double least = kOff;
    for (int n = 1; n <= 64; n *= 2) {
      const int in_flight = std::min(n, kAll);
      const int rounds = (kAll + n - 1) / n;
      const double off = std::abs((trip * rounds + step * ((kAll - 1) % in_flight)) / took - 1);
      if (off >= least) continue;
      least = off;
      best = n;
    }
    if (best == 0)
      open("qp.outstanding",
           fmt::format("{} READs at once took {:.0f} ns, which no limit explains", kAll, took));
    else if (best > kAll)
      open("qp.outstanding", fmt::format("{} READs at once are not too many", kAll));
    else
      set_count("qp.outstanding", best, {"outstanding"});
  }

  void masked() {
    if (repeats_of(all_, "masked_cas_16") != nullptr)
      set_count("atomic.masked", 16, {"masked_latency"});
    else if (repeats_of(all_, "masked_cas_8") != nullptr)
      set_count("atomic.masked", 8, {"masked_latency"});
  }

  // The rate of READs with this many QPs, relative to that with the fewest.
  void cache() {
    const Repeats* const fewest = repeats_of(all_, "qps_240");
    if (fewest == nullptr) return;
    if (estimate_.find("responder.read") == nullptr)
      return open("qp.cache", "read_rate has not told what the RNIC can do at its best");
    FoundConstant curve{"qp.cache", 1, 1, 1, {{240, kWholeRate}}, {"qps"}};
    const Mean best = mean_in(*fewest, &Measured::Repeat::pace);
    for (const int qps : {480, 960, 1920}) {
      const Repeats* const here = repeats_of(all_, fmt::format("qps_{}", qps));
      if (here == nullptr) continue;
      const Mean mean = mean_in(*here, &Measured::Repeat::pace);
      curve.value = std::min(1.0, best.value / mean.value);
      const double half = curve.value * errors_ * std::hypot(error_of(best), error_of(mean));
      curve.low = curve.value - half;
      curve.high = std::min(1.0, curve.value + half);
      curve.curve.push_back({qps, std::llround(curve.value * kWholeRate)});
    }
    if (curve.curve.size() > 1) estimate_.found.push_back(std::move(curve));
  }

 private:
  static constexpr double kClearly = 1.5;
  static constexpr std::int64_t kWholeRate = 1'000'000'000;

  void open(const std::string& key, std::string why) {
    estimate_.open.push_back({key, std::move(why)});
  }
  void set_count(const std::string& key, double value, std::vector<std::string> by) {
    estimate_.found.push_back({key, value, value, value, {}, std::move(by)});
  }
  void whole(const std::string& key, double value, double half, std::vector<std::string> by) {
    if (half > kWidest * value)
      return open(key, fmt::format("{:.0f} +- {:.0f}: wider than 10 %", value, half));
    estimate_.found.push_back({key,
                               std::round(value),
                               std::floor(value - half),
                               std::ceil(value + half),
                               {},
                               std::move(by)});
  }

  const Measurements& all_;
  std::int64_t mtu_;  // bytes
  double errors_;
  Estimate& estimate_;
};

}  // namespace

void find_counts(const Measurements& measurements, std::int64_t mtu, double errors,
                 Estimate& estimate) {
  Counts counts(measurements, mtu, errors, estimate);
  counts.overhead();
  counts.window();
  counts.slots();
  counts.outstanding();
  counts.masked();
  counts.cache();
}

}  // namespace latchlab
