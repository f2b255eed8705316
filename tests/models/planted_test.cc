// Calibration finds constants that were planted in a simulation: on one seed, or on as many as
// LATCHLAB_CALIBRATE_SEEDS says.

#ifdef LATCHLAB_WITH_SIMGRID

#include "tests/models/planted.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/non_empty.h"

namespace latchlab::planted_test {
namespace {

// The noise of each repeat: three times the noise of the simulation itself in most benchmarks.
constexpr double kScatter = 0.003;

int seeds() {
  const char* const asked = std::getenv("LATCHLAB_CALIBRATE_SEEDS");
  return asked == nullptr ? 1 : std::atoi(asked);
}

// Whole numbers and rates, which are drawn separately.
const std::vector<std::string>& drawn_apart() {
  static const std::vector<std::string> all = {"atomic.window", "atomic.slots", "qp.outstanding",
                                               "pcie.rate"};
  return all;
}

// The errors of an estimate, one per line.
std::vector<std::string> wrongs(const PlantedNic& planted, const Estimate& found) {
  std::vector<std::string> all;
  for (const FoundConstant& each : found.found) {
    const double truth = planted.truth(each.key);
    const double last = std::max(0.5e-3, 1e-9 * truth);  // of picoseconds
    if (truth < each.low - last || truth > each.high + last)
      all.push_back(fmt::format("{} is {:.6g}, found {:.6g} ({:.6g} to {:.6g})", each.key, truth,
                                each.value, each.low, each.high));
    const double half = std::max(each.high - each.value, each.value - each.low);
    const double rounded = each.key == "link.overhead" ? 1 : 0;
    if (half > 1.12 * kWidest * each.value + rounded)  // an interval of a rate is not symmetric
      all.push_back(fmt::format("{}: {:.6g} to {:.6g} is too wide", each.key, each.low, each.high));
  }
  const auto need = [&](const std::string& key) {
    if (found.find(key) == nullptr) all.push_back(key + " is open");
  };
  for (const Range& range : ranges()) need(range.key);
  const std::optional<FoundConstant>& by_event = found.event_completion;
  const double truth = planted.event_completion();
  if (!by_event || truth < by_event->low || truth > by_event->high)
    all.push_back(fmt::format("a completion by event takes {:.6g} ns, found {}", truth,
                              by_event ? fmt::format("{:.6g}", by_event->value) : "is open"));
  for (const std::string& key : drawn_apart()) need(key);
  // If PCIe is slower than the link, no benchmark determines the link's rate.
  if (planted.truth("link.rate") < 0.95 * planted.truth("pcie.rate")) need("link.rate");
  return all;
}

TEST(Planted, constants_are_found_within_their_intervals_on_nine_of_ten_seeds) {
  int good = 0;
  double widest = 0;
  for (int seed = 1; seed <= seeds(); ++seed) {
    PlantedNic planted(static_cast<std::uint64_t>(seed));
    MeasureOptions options;
    options.seed = static_cast<std::uint64_t>(seed);
    const auto found = estimate(planted.measured(options, kScatter), planted.nic());
    ASSERT_TRUE(found) << found.error().text();
    const std::vector<std::string> wrong = wrongs(planted, found.value());
    good += wrong.empty() ? 1 : 0;
    for (const FoundConstant& each : found.value().found)
      widest = std::max(widest, (each.high - each.low) / 2 / each.value);
    fmt::print("seed {:2}: {} constants, reduced chi^2 {:.2f}: {}\n", seed,
               found.value().found.size(), found.value().reduced_chi2,
               wrong.empty() ? "all within" : fmt::format("{}", fmt::join(wrong, "; ")));
  }
  fmt::print("{} of {} seeds; widest interval +-{:.1f} %\n", good, seeds(), 100 * widest);
  EXPECT_GE(10 * good, 9 * seeds());
}

// A seed whose link is slower than its PCIe, so that WRITEs tell of it.
constexpr std::uint64_t kSlowLink = 13;

// What the model says where no constant is fitted, which shows what an RNIC does otherwise.
TEST(Planted, rates_that_are_compared_only_are_those_of_the_model) {
  PlantedNic planted(3);
  const auto found = estimate(planted.measured({}, 0), planted.nic());
  ASSERT_TRUE(found) << found.error().text();
  std::set<std::string> compared;
  for (const Residual& each : non_empty(found.value().residuals)) {
    const std::set<std::string> of_interest = {"behind_read", "beside_read", "same_read", "loop_8"};
    if (of_interest.count(each.name) == 0) continue;
    EXPECT_NEAR(each.measured, each.predicted, 0.02 * each.predicted) << each.name;
    EXPECT_TRUE(each.compared) << each.name;
    compared.insert(each.name);
  }
  EXPECT_EQ(compared.size(), 4U);
}

TEST(Planted, leaving_a_benchmark_out_opens_the_constants_that_it_determined) {
  PlantedNic planted(kSlowLink);
  const Measurements all = planted.measured({}, kScatter);
  const auto complete = estimate(all, planted.nic());
  ASSERT_TRUE(complete);
  std::set<std::string> can_be_found;
  for (const FoundConstant& each : complete.value().found) can_be_found.insert(each.key);
  std::set<std::string> told;
  for (const Benchmark& benchmark : non_empty(benchmarks())) {
    SCOPED_TRACE("without " + benchmark.name);
    Measurements rest = all;
    for (const ProbePoint& point : benchmark.points) rest.erase(point.label);
    const auto found = estimate(rest, planted.nic());
    ASSERT_TRUE(found);
    for (const std::string& key : benchmark.needed_for) {
      if (key == "link.overhead") continue;  // so much scatter may leave it open: see below
      EXPECT_EQ(can_be_found.count(key), 1u) << key << " is open with all of them";
      EXPECT_EQ(found.value().find(key), nullptr) << key << " is set without it";
      told.insert(key);
    }
    // The other constants are as accurate as before.
    for (const std::string& wrong : wrongs(planted, found.value()))
      EXPECT_THAT(wrong, testing::HasSubstr("is open"));
    for (const FoundConstant& each : found.value().found)
      EXPECT_EQ(std::count(each.by.begin(), each.by.end(), benchmark.name), 0) << each.key;
  }
  can_be_found.erase("link.overhead");
  can_be_found.erase("latency.jitter");  // all verbs on an idle NIC determine it
  EXPECT_EQ(told, can_be_found);
}

MeasureOptions only(const std::set<std::string>& wanted) {
  MeasureOptions options;
  for (const std::string& name : benchmark_names())
    if (wanted.count(name) == 0) options.without.insert(name);
  return options;
}

// A tenth of a WRITE of 256 B: little scatter is needed to tell it within 10 %.
TEST(Planted, bytes_that_a_packet_adds_are_told_by_link_rate) {
  PlantedNic planted(kSlowLink);
  const MeasureOptions options = only({"link_rate", "write_rate", "issue_rate", "loopback"});
  Measurements all = planted.measured(options, kScatter / 3);
  const auto found = estimate(all, planted.nic());
  ASSERT_TRUE(found) << found.error().text();
  const FoundConstant* const bytes = found.value().find("link.overhead");
  ASSERT_NE(bytes, nullptr);
  EXPECT_LE(bytes->low, planted.truth("link.overhead"));
  EXPECT_GE(bytes->high, planted.truth("link.overhead"));
  all.erase("link_256");
  EXPECT_EQ(estimate(all, planted.nic()).value().find("link.overhead"), nullptr);
}

Measurements few_of(PlantedNic& planted, double scatter) {
  return planted.measured(only({"atomic_latency", "spread_rate", "same_address",
                                "same_address_failed", "posting", "core", "local"}),
                          scatter);
}

TEST(Planted, without_masks_of_16_bytes_masks_of_8_are_measured) {
  PlantedNic planted(4);
  MeasureOptions options = only({"atomic_latency", "masked_latency"});
  for (const auto& [absent, bytes] : {std::pair{"", 16.0}, std::pair{"masked_cas_16", 8.0}}) {
    options.not_here = {absent};
    const auto found = estimate(planted.measured(options, kScatter), planted.nic());
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_NE(found.value().find("atomic.masked"), nullptr) << absent;
    EXPECT_EQ(found.value().find("atomic.masked")->value, bytes) << absent;
  }
}

// Idle READs alone tell by how much it exceeds a polled one.
TEST(Planted, a_completion_by_event_is_told_by_the_benchmark_events) {
  PlantedNic planted(4);
  const MeasureOptions options = only({"events", "read_latency", "posting", "core"});
  Measurements all = planted.measured(options, kScatter);
  const auto found = estimate(all, planted.nic());
  ASSERT_TRUE(found) << found.error().text();
  const std::optional<FoundConstant>& by_event = found.value().event_completion;
  ASSERT_TRUE(by_event);
  EXPECT_LE(by_event->low, planted.event_completion());
  EXPECT_GE(by_event->high, planted.event_completion());
  EXPECT_EQ(by_event->by.front(), "events");
  for (const char* label : {"posting_1", "posting_33", "core"}) all.erase(label);
  const auto sums = estimate(all, planted.nic());
  ASSERT_TRUE(sums) << sums.error().text();
  EXPECT_FALSE(sums.value().event_completion);
  EXPECT_THAT(sums.value().unused, testing::Contains(testing::StartsWith("events: ")));
}

TEST(Planted, constants_name_the_benchmarks_that_determined_them) {
  PlantedNic planted(4);
  const auto found =
      estimate(planted.measured(only({"same_address", "local"}), kScatter), planted.nic());
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_NE(found.value().find("atomic.same_address"), nullptr);
  EXPECT_THAT(found.value().find("atomic.same_address")->by, testing::ElementsAre("same_address"));
  ASSERT_NE(found.value().find("local.cpu_access"), nullptr);
  EXPECT_THAT(found.value().find("local.cpu_access")->by, testing::ElementsAre("local"));
}

TEST(Planted, a_measurement_with_too_few_repeats_is_not_used_and_the_reason_is_given) {
  PlantedNic planted(4);
  Measurements all = planted.measured(only({"same_address", "local"}), kScatter);
  EXPECT_THAT(estimate(all, planted.nic()).value().unused, testing::IsEmpty());
  all.at("load").repeats.resize(kLeastRepeats - 1);
  const auto found = estimate(all, planted.nic());
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found.value().find("local.cpu_access"), nullptr);
  EXPECT_THAT(found.value().unused, testing::ElementsAre("load: only 2 repeats, and it takes 3"));
}

// Like the repeats of a simulation without jitter.
TEST(Planted, equal_repeats_give_a_fit_with_finite_numbers) {
  PlantedNic planted(4);
  Measurements all = few_of(planted, 0);
  for (auto& [label, measured] : all)
    for (Measured::Repeat& repeat : measured.repeats) repeat = measured.repeats.front();
  const auto found = estimate(all, planted.nic());
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_LT(found.value().reduced_chi2, kWorstChi2);
  EXPECT_GT(found.value().reduced_chi2, 0);
  EXPECT_GT(found.value().found.size(), 5U);
  for (const FoundConstant& each : found.value().found) {
    EXPECT_TRUE(std::isfinite(each.value) && std::isfinite(each.high - each.low)) << each.key;
    EXPECT_NEAR(each.value, planted.truth(each.key), 0.05 * planted.truth(each.key)) << each.key;
  }
  for (const Residual& each : non_empty(found.value().residuals)) EXPECT_GT(each.sigma, 0);
}

TEST(Planted, a_bad_fit_is_refused_and_names_the_contradicting_measurements) {
  PlantedNic planted(4);
  Measurements all = few_of(planted, kScatter);
  ASSERT_TRUE(estimate(all, planted.nic()));
  for (Measured::Repeat& repeat : all.at("faa").repeats) repeat.typical *= 20;
  const auto found = estimate(all, planted.nic());
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(),
              testing::AllOf(testing::HasSubstr("the fit is bad: reduced chi^2 is "),
                             testing::HasSubstr("faa of benchmark atomic_latency ("),
                             testing::HasSubstr("leave out benchmarks that contradict the others "
                                                "with --without")));
}

TEST(Planted, a_rate_that_still_grows_with_clients_is_not_used_as_a_rate_of_the_nic) {
  PlantedNic planted(4);
  Measurements all = planted.measured(only({"same_address"}), 0);
  ASSERT_NE(estimate(all, planted.nic()).value().find("atomic.same_address"), nullptr);
  for (Measured::Repeat& repeat : all.at("same_fewer").repeats) repeat.pace *= 1.5;
  const auto found = estimate(all, planted.nic());
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(), testing::HasSubstr("same: with more clients the rate still"));
}

TEST(Planted, a_rate_whose_packets_fill_the_link_is_not_used_as_a_rate_of_the_pipeline) {
  PlantedNic planted(4);
  Measurements all = planted.measured(only({"send_rate", "link_rate"}), 0);
  ASSERT_NE(estimate(all, planted.nic()).value().find("responder.send"), nullptr);
  const double sent = all.at("send_rate").repeats.front().pace;
  for (const char* label : {"link_4096", "link_4096_fewer"})
    for (Measured::Repeat& repeat : all.at(label).repeats) repeat.pace = sent / 82 * 4138;
  const auto found = estimate(all, planted.nic());
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found.value().find("responder.send"), nullptr);
  EXPECT_THAT(found.value().unused, testing::Contains("send_rate: its packets fill the link"));
}

TEST(Planted, a_single_sum_of_many_constants_determines_none_of_them) {
  Measurements one;
  one["read_8"].repeats = {{1800, 1780, 1000, 1800, 1800, 0},
                           {1801, 1781, 1000, 1801, 1801, 0},
                           {1799, 1779, 1000, 1799, 1799, 0}};
  const auto found = estimate(one, NicModel{});
  ASSERT_TRUE(found) << found.error().text();
  for (const FoundConstant& each : non_empty(found.value().found))
    EXPECT_EQ(each.key, "latency.jitter");  // of the spread
  EXPECT_EQ(found.value().found.size() + found.value().open.size(), nic_constants().size());
}

double width(const Result<Estimate>& found, const std::string& key) {
  const FoundConstant* const constant = found.value().find(key);
  return constant == nullptr ? -1 : constant->high - constant->low;
}

TEST(Planted, contradicting_equations_widen_the_constants_that_depend_on_them) {
  PlantedNic planted(4);
  Measurements all = few_of(planted, kScatter);
  const auto agreeing = estimate(all, planted.nic());
  for (Measured::Repeat& repeat : all.at("faa").repeats) repeat.typical *= 1.01;
  const auto contradicting = estimate(all, planted.nic());
  ASSERT_TRUE(agreeing && contradicting);
  EXPECT_GT(width(contradicting, "latency.one_way"), 1.5 * width(agreeing, "latency.one_way"));
  EXPECT_EQ(width(contradicting, "local.cpu_access"), width(agreeing, "local.cpu_access"));
}

}  // namespace
}  // namespace latchlab::planted_test

#endif  // LATCHLAB_WITH_SIMGRID
