// Checks the costs that locks declare (core/base/costs.h) against those counted in the simulator,
// where a round trip takes much longer than anything else.

#if LATCHLAB_WITH_SIMGRID

#include <cmath>
#include <map>

#include "core/world/table_shape.h"
#include "tests/conformance/simulation.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

constexpr Duration kHalfTrip = microseconds(10);
constexpr Duration kSettled = microseconds(300);  // both have asked, and no verb is under way
constexpr Duration kApart = milliseconds(2);      // between the beginnings of two meetings
constexpr Duration kSkew = microseconds(120);     // more than clocks may differ
constexpr Duration kForAWhile = microseconds(100);
constexpr Duration kForLong = microseconds(400);

// The default profile's parameters, except that no waiting time is shorter than the round trips of
// this test.
ParamSet params_of(const ProtocolEntry& entry) {
  ParamSet params = entry.info.resolve(entry.info.profiles.front().name);
  if (entry.info.name == "citron") params.set("t_wait", microseconds(60));
  return params;
}

// One client asks for a lock that another one holds and releases after `held`, or for a free lock.
struct Meeting {
  LockMode mode = LockMode::exclusive;
  std::optional<LockMode> holder = {};
  Duration held = {};
  CostPair costs = {};  // of the second client, or of the only one: see Costs
  Time leaves = {};     // when the holder begins to release, or its grant ends by time alone
};

Cost spent(Verbs& verbs, Duration took) {
  ActorTally& tally = verbs.tally();
  const double halves = static_cast<double>(took.ps) / static_cast<double>(kHalfTrip.ps);
  Cost cost;
  cost.verbs = tally.one_sided();
  cost.messages = tally.sends;
  cost.calls = tally.calls;
  cost.half_trips = static_cast<std::uint32_t>(std::lround(halves));
  tally = {};
  return cost;
}

class Meetings {
 public:
  Meetings(const ProtocolEntry& entry, std::vector<Meeting> meetings)
      : meetings_(std::move(meetings)),
        extent_(cost_shape(entry.info).extent),
        protocol_(entry.make(params_of(entry))) {
    WorldShape shape;
    const auto count = static_cast<std::uint32_t>(meetings_.size());
    const bool one_node = protocol_->limits().max_nodes == 1;
    shape.client_nodes = one_node ? 1 : 2;
    shape.clients_per_node = one_node ? 2 * count : count;
    shape.locks.count = count;
    world_ = std::make_unique<World>(*protocol_, shape);
    SimgridOptions options = plain_options();
    options.clocks = {};
    options.nic.jitter = Duration{};
    options.nic.one_way = kHalfTrip;
    options.nic.call_service = nanoseconds(100);
    backend_ = make_simgrid(world_->plan(), options);
    world_->attach(*backend_);
  }

  std::vector<Meeting> run() {
    const auto count = static_cast<std::uint32_t>(meetings_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const Time start = Time{} + kApart * (i + 1);
      backend_->spawn(world_->verbs(ClientId{i}), holder(ClientId{i}, i), start);
      const ClientId comer{count + i};
      backend_->spawn(world_->verbs(comer), comes(comer, i), start + kSettled);
    }
    EXPECT_EQ(backend_->run_until(Time{} + seconds(10)), RunEnd::finished);
    return meetings_;
  }

 private:
  bool ends_by_time(const Meeting& meeting) const {
    return meeting.holder == LockMode::shared && protocol_->limits().released_by_time;
  }
  Want want(std::uint32_t i, LockMode mode) { return Want(world_->lock(LockId{i}), mode, extent_); }

  Task<void> holder(ClientId id, std::uint32_t i) {
    Meeting& meeting = meetings_[i];
    if (!meeting.holder) co_return;
    Verbs& verbs = world_->verbs(id);
    const Time came = verbs.now();
    const AcquireResult result = co_await world_->client(id).acquire(want(i, *meeting.holder), {});
    const Grant grant = std::get<Grant>(result);
    Time until = came + kSettled + meeting.held;
    if (ends_by_time(meeting)) until = meeting.leaves = grant.valid_until;
    co_await verbs.sleep(until - verbs.now());
    verbs.tally() = {};
    meeting.leaves = verbs.now();
    co_await world_->client(id).release(grant);
    meeting.costs.release = spent(verbs, verbs.now() - meeting.leaves);
  }

  Task<void> comes(ClientId id, std::uint32_t i) {
    Meeting& meeting = meetings_[i];
    Verbs& verbs = world_->verbs(id);
    // Clocks differ: a grant that has expired for its holder expires for other clients a little
    // later.
    if (ends_by_time(meeting))
      co_await verbs.sleep(meeting.leaves + kSkew - meeting.held - verbs.now());
    Time since = verbs.now();
    const AcquireResult result = co_await world_->client(id).acquire(want(i, meeting.mode), {});
    const Grant grant = std::get<Grant>(result);
    if (meeting.holder) {
      EXPECT_GT(meeting.leaves, Time{}) << "granted before the holder leaves";
      since = std::max(since, meeting.leaves);
    }
    meeting.costs.acquire = spent(verbs, verbs.now() - since);
    since = verbs.now();
    co_await world_->client(id).release(grant);
    if (!meeting.holder) meeting.costs.release = spent(verbs, verbs.now() - since);
  }

  std::vector<Meeting> meetings_;
  Extent extent_;
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Backend> backend_;
};

// In the first two meetings the client waited for a while and for long. If both cost the same, that
// is what the lock declares, and meetings in which one client joins while the other releases do not
// count.
Cost combined(const std::vector<Cost>& costs) {
  if (costs[0] == costs[1]) return costs[0];
  Cost least = costs[0];
  for (const Cost& cost : costs) {
    least.verbs = std::min(least.verbs, cost.verbs);
    least.messages = std::min(least.messages, cost.messages);
    least.calls = std::min(least.calls, cost.calls);
    least.half_trips = std::min(least.half_trips, cost.half_trips);
  }
  least.at_least = true;
  return least;
}

Costs measured(const ProtocolEntry& entry) {
  const LockMode x = LockMode::exclusive;
  const LockMode s = LockMode::shared;
  std::vector<Duration> holds = {kForAWhile, kForLong};
  // With one of these times a look finds the lock just released.
  for (int us = 1; us <= 50; ++us) holds.push_back(microseconds(us));
  std::vector<Meeting> plan = {{.mode = x}};
  std::vector<std::pair<LockMode, LockMode>> kinds = {{x, x}};
  if (entry.info.shared_mode) {
    plan.push_back({.mode = s});
    kinds.insert(kinds.end(), {{s, x}, {x, s}});
  }
  const std::size_t alone = plan.size();
  for (const auto& [mode, holder] : kinds)
    for (const Duration held : holds)
      plan.push_back({.mode = mode, .holder = holder, .held = held});
  plan = Meetings(entry, plan).run();
  const auto of_kind = [&](std::size_t kind) {
    std::vector<Cost> acquires;
    std::vector<Cost> releases;
    for (std::size_t h = 0; h < holds.size(); ++h) {
      const CostPair& costs = plan[alone + kind * holds.size() + h].costs;
      acquires.push_back(costs.acquire);
      releases.push_back(costs.release);
    }
    return CostPair{combined(acquires), combined(releases)};
  };
  Costs costs = {.free_exclusive = plan[0].costs, .exclusive_after_exclusive = of_kind(0)};
  if (!entry.info.shared_mode) return costs;
  costs.free_shared = plan[1].costs;
  costs.shared_after_exclusive = of_kind(1);
  costs.exclusive_after_shared = of_kind(2);
  return costs;
}

// As the declaration of a lock lists them.
std::string source_of(const Cost& cost) {
  std::string text = "{";
  for (const auto count : {cost.verbs, cost.messages, cost.calls, cost.half_trips})
    text += std::to_string(count) + ", ";
  return cost.at_least ? text + "true}" : text.substr(0, text.size() - 2) + "}";
}
std::string source_of(const Costs& costs) {
  std::string text;
  const auto add = [&](const char* name, const CostPair& pair) {
    if (pair == CostPair{}) return;
    text += std::string("       .") + name + " = {";
    text += source_of(pair.acquire) + ", " + source_of(pair.release);
    text += "},\n";
  };
  add("free_x", costs.free_exclusive);
  add("x_after_x", costs.exclusive_after_exclusive);
  add("free_s", costs.free_shared);
  add("s_after_x", costs.shared_after_exclusive);
  add("x_after_s", costs.exclusive_after_shared);
  return text;
}

class Declared : public ::testing::TestWithParam<std::string> {};

TEST_P(Declared, costs_are_what_the_lock_says) {
  const ProtocolEntry& entry = *find_protocol(GetParam());
  const Costs counted = measured(entry);
  EXPECT_TRUE(counted == entry.info.costs) << "said:\n"
                                           << source_of(entry.info.costs) << "counted:\n"
                                           << source_of(counted);
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const ProtocolInfo& info : protocol_infos()) names.push_back(info.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Locks, Declared, ::testing::ValuesIn(all_names()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace latchlab::testing

#endif
