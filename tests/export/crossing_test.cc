// At which value of an axis an answer changes, for locks whose goodput is a formula of the axis.

#include "core/conclude/crossing.h"

#include <gmock/gmock.h>

#include <set>

#include "core/protocols/registry.h"

namespace latchlab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Formula = std::function<double(std::int64_t at)>;

PointOutcome point_of(double goodput, double spread = 0, bool settled = true) {
  PointOutcome point;
  for (int r = -1; r <= 1; ++r) {
    RepeatOutcome repeat;
    repeat.seed = static_cast<std::uint64_t>(r) + 2;
    repeat.metrics.goodput_ops_s = goodput * (1 + r * spread);
    repeat.metrics.window.settled = settled ? 1 : 0;
    point.repeats.emplace_back(repeat);
  }
  return point;
}

class FindTurns : public ::testing::Test {
 protected:
  static SearchAxis axis(const std::string& text) {
    auto parsed = parse_search_axis(text, {});
    EXPECT_TRUE(parsed) << parsed.error().text();
    return parsed ? parsed.value() : SearchAxis{};
  }

  // Gives each point the goodput of its formula; counts the values that the search asks for.
  std::vector<Probe> find(const SearchAxis& along, const std::vector<Formula>& locks,
                          double spread = 0, double precision = 0.02) {
    Question question{{"a", "b"}, "goodput_ops_s", value_};
    question.labels.resize(locks.size());
    const RunAt run = [&](const std::vector<std::int64_t>& values)
        -> Result<std::vector<std::vector<PointOutcome>>> {
      std::vector<std::vector<PointOutcome>> all;
      for (const std::int64_t value : values) {
        EXPECT_TRUE(asked_.insert(value).second) << value << " twice";
        all.emplace_back();
        // Only the first lock has a spread: with the same spread for both locks, paired repeats
        // would cancel it.
        for (const Formula& lock : locks)
          all.back().push_back(point_of(lock(value), all.back().empty() ? spread : 0));
      }
      return all;
    };
    const auto found = find_crossings(along, question, precision, run);
    EXPECT_TRUE(found);
    return found ? found.value() : std::vector<Probe>{};
  }

  std::set<std::int64_t> asked_;
  double value_ = 0;
};

// The result of a run at every value: between which neighbouring values the winner changes.
std::vector<std::pair<std::int64_t, std::int64_t>> fine_sweep(const SearchAxis& along,
                                                              const Formula& a, const Formula& b) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;
  for (std::int64_t at = along.low; at < along.high; ++at)
    if ((a(at) > b(at)) != (a(at + 1) > b(at + 1))) changes.emplace_back(at, at + 1);
  return changes;
}

void expect_contains(const std::vector<Probe>& probes,
                     const std::vector<std::pair<std::int64_t, std::int64_t>>& changes) {
  const std::vector<Crossing> found = crossings(probes);
  ASSERT_EQ(found.size(), changes.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LE(found[i].before.at, changes[i].first);
    EXPECT_GE(found[i].after.at, changes[i].second);
  }
}

TEST_F(FindTurns, the_answer_contains_the_crossing_that_a_fine_sweep_finds) {
  const SearchAxis along = axis("platform.clients_per_node=1..1000");
  const Formula falling = [](std::int64_t at) { return 1e6 / static_cast<double>(at); };
  for (const double level : {9e5, 5e4, 1.7e4, 3.1e3, 1.05e3}) {
    asked_.clear();
    const Formula flat = [level](std::int64_t) { return level; };
    const std::vector<Probe> probes = find(along, {falling, flat});
    expect_contains(probes, fine_sweep(along, falling, flat));
    EXPECT_EQ(crossings(probes)[0].before.side, 1) << level;
    EXPECT_EQ(crossings(probes)[0].after.side, -1) << level;
    EXPECT_LE(asked_.size(), 5 + 2 * steps_per_crossing(along, 0.02));
  }
}

TEST_F(FindTurns, an_answer_is_as_narrow_as_asked_for) {
  const SearchAxis along = axis("workload.think_time=1us..10ms");
  constexpr std::int64_t crossing = 3'225'806'451;
  const Formula falling = [](std::int64_t at) { return at < crossing ? 2 : 1; };
  const Formula flat = [](std::int64_t) { return 1.5; };
  for (const double precision : {0.5, 0.1, 0.03}) {
    asked_.clear();
    const std::vector<Crossing> found = crossings(find(along, {falling, flat}, 0, precision));
    ASSERT_THAT(found, SizeIs(1));
    const std::int64_t low = found[0].before.at, high = found[0].after.at;
    EXPECT_LE(static_cast<double>(high - low), precision * static_cast<double>(high));
    EXPECT_LT(low, crossing);
    EXPECT_GE(high, crossing);
  }
}

// While the locks are within 10% of each other the winner is undecided: the answer ends at the
// nearest decided values.
TEST_F(FindTurns, an_undecided_interval_is_narrowed_from_both_sides) {
  const SearchAxis along = axis("platform.clients_per_node=1..1000");
  const Formula rising = [](std::int64_t at) { return static_cast<double>(at); };
  const Formula flat = [](std::int64_t) { return 100.0; };
  // Half the interval of the difference: 4.303 * 0.04 / sqrt(3), a tenth.
  const std::vector<Crossing> found = crossings(find(along, {rising, flat}, 0.04));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(static_cast<double>(found[0].before.at), 90, 3);
  EXPECT_NEAR(static_cast<double>(found[0].after.at), 111, 3);
  ASSERT_FALSE(found[0].between.empty());
  EXPECT_EQ(found[0].between[0].why, "the difference is within chance");
}

TEST_F(FindTurns, every_crossing_that_the_grid_shows_is_found) {
  const SearchAxis along = axis("workload.read_ratio=0%..100%");
  const Formula flat = [](std::int64_t) { return 100.0; };
  // The first lock is above the second between 30% and 60%.
  const Formula hill = [](std::int64_t at) {
    return at > 300'000'000 && at < 600'000'000 ? 150.0 : 50.0;
  };
  const std::vector<Crossing> found = crossings(find(along, {hill, flat}));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].after.side, 1);
  EXPECT_LE(found[0].before.at, 300'000'000);
  EXPECT_GT(found[0].after.at, 300'000'000);
  EXPECT_EQ(found[1].after.side, -1);
  EXPECT_LT(found[1].before.at, 600'000'000);
  EXPECT_GE(found[1].after.at, 600'000'000);
}

TEST_F(FindTurns, without_a_turn_only_the_grid_is_run) {
  const SearchAxis along = axis("platform.clients_per_node=1..16");
  const std::vector<Probe> probes =
      find(along, {[](std::int64_t) { return 2.0; }, [](std::int64_t) { return 1.0; }});
  EXPECT_THAT(crossings(probes), IsEmpty());
  EXPECT_THAT(asked_, ElementsAre(1, 2, 4, 8, 16));
}

TEST_F(FindTurns, finds_where_the_metric_of_one_lock_passes_a_value) {
  const SearchAxis along = axis("platform.clients_per_node=1..64");
  value_ = 41.5;
  const std::vector<Crossing> found =
      crossings(find(along, {[](std::int64_t at) { return static_cast<double>(at); }}));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].before.at, 41);
  EXPECT_EQ(found[0].after.at, 42);
}

TEST_F(FindTurns, an_error_ends_the_search) {
  const auto found =
      find_crossings(axis("platform.clients_per_node=1..64"), {{"a", "b"}}, 0.02,
                     [](const auto&) -> Result<std::vector<std::vector<PointOutcome>>> {
                       return Error{"interrupted", {}};
                     });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().text(), "interrupted");
}

TEST(Answer, is_undecided_at_points_with_a_verdict) {
  const Question question{{"a", "b"}};
  EXPECT_EQ(answer(question, 1, {point_of(2), point_of(1)}).side, 1);
  PointOutcome stuck = point_of(2);
  stuck.repeats[1]->status = RepeatStatus::stuck;
  const Probe of_stuck = answer(question, 1, {stuck, point_of(1)});
  EXPECT_EQ(of_stuck.side, 0);
  EXPECT_EQ(of_stuck.why, "a is stuck");
  PointOutcome cut = point_of(1);
  cut.repeats[2].reset();
  EXPECT_EQ(answer(question, 1, {point_of(2), cut}).why, "b is interrupted");
  const Probe transient = answer(question, 1, {point_of(2), point_of(1, 0, false)});
  EXPECT_EQ(transient.side, 0);
  EXPECT_EQ(transient.why, "b has not settled");
  PointOutcome starving = point_of(2);
  starving.repeats[0]->status = RepeatStatus::starved;
  EXPECT_EQ(answer(question, 1, {starving, point_of(1)}).why, "a starves some clients");
  EXPECT_EQ(answer(question, 1, {point_of(1.005), point_of(1)}).why, "within 1% of each other");
}

TEST(Answer, of_one_lock_is_decided_by_its_interval) {
  const Question question{{"a"}, "goodput_ops_s", 100};
  EXPECT_EQ(answer(question, 1, {point_of(100.5)}).side, 1);
  EXPECT_EQ(answer(question, 1, {point_of(99.5)}).side, -1);
  EXPECT_EQ(answer(question, 1, {point_of(100.5, 0.01)}).why, "the value is within chance");
}

TEST(Axis, reads_any_number_of_a_scenario) {
  const std::vector<ParamSpec>& of_dslr = find_protocol("dslr")->info.params;
  const auto text = [&](const std::string& given) {
    const auto axis = parse_search_axis(given, of_dslr);
    EXPECT_TRUE(axis) << axis.error().text();
    return axis ? axis.value().text(axis.value().low) + " " + axis.value().text(axis.value().high) +
                      (axis.value().by_factors ? " by factors" : "")
                : "";
  };
  EXPECT_EQ(text("locks.count=1k..10M"), "1k 10M by factors");
  EXPECT_EQ(text("workload.think_time=0us..1.5us"), "0us 1.5us");
  EXPECT_EQ(text("workload.distribution.theta=0.5..0.99"), "0.5 0.99");
  EXPECT_EQ(text("workload.read_ratio=0..50%"), "0% 50%");
  EXPECT_EQ(text("platform.nic.atomic.window=48..128"), "48 128 by factors");
  EXPECT_EQ(text("protocol.lease=1us..1ms"), "1us 1ms by factors");
  EXPECT_EQ(text("groups.0.clients_per_node=1..8"), "1 8 by factors");
}

TEST(Axis, refuses_an_invalid_axis) {
  const auto refused = [](const std::string& given) {
    const auto axis = parse_search_axis(given, {});
    EXPECT_FALSE(axis) << given;
    return axis ? "" : axis.error().text();
  };
  EXPECT_THAT(refused("platform.client_per_node=1..4"),
              HasSubstr("did you mean 'platform.clients_per_node'?"));
  EXPECT_THAT(refused("locks.placement=1..4"), HasSubstr("it is a choice; expected the path of"));
  EXPECT_THAT(refused("locks.count=4"), HasSubstr("expected PATH=LOW..HIGH"));
  EXPECT_THAT(refused("locks.count=4..4"), HasSubstr("4 is not below 4"));
  EXPECT_THAT(refused("workload.think_time=1..4us"), HasSubstr("workload.think_time"));
}

}  // namespace
}  // namespace latchlab
