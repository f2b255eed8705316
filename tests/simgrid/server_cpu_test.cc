// The CPU of a server part: calls queue for its cores, and hold a core while they compute.

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "core/base/random.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

constexpr Duration kService = microseconds(2);

class ServerCpu : public SimWorld {
 protected:
  // Only the CPU is a bottleneck.
  ServerCpu() {
    nic().request_gap = nic().serve_send = {};
    nic().link_bits_per_s = 8'000'000'000'000'000;  // bytes of calls take no time
    nic().call_service = kService;
  }
  void serve(CallHandler& handler) { world().serve_calls(add_server(), handler); }
};

// Replies after `steps`, one after the other.
struct BusyClerk final : CallHandler {
  enum class Step : std::uint8_t { compute, load, visit, remote_read, sleep };
  std::vector<Step> steps;
  Duration length;  // of steps that have one

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    for (const Step step : steps) {
      if (step == Step::compute) co_await verbs.compute(length);
      if (step == Step::load) co_await verbs.load(on_server(64));
      if (step == Step::visit) co_await verbs.on_node([] {});
      if (step == Step::remote_read) co_await verbs.read({kThere, 64});
      if (step == Step::sleep) co_await verbs.sleep(length);
    }
    const Reply reply;
    verbs.reply(pending, reply);
  }
};
using Step = BusyClerk::Step;

Task<void> call_once(Verbs& verbs, Backend& backend, Duration& took) {
  const Time begin = backend.true_now();
  const Request request;
  const Reply reply = co_await verbs.call(kServer, request);
  EXPECT_TRUE(reply.ok());
  took = backend.true_now() - begin;
}

// One actor that calls at each of these times, without waiting for earlier replies.
Task<void> call_at_dates(Verbs& verbs, Backend& backend, std::vector<Time> dates,
                         std::vector<Duration>& took) {
  std::vector<Task<void>> calls;
  for (std::size_t i = 0; i < dates.size(); ++i) {
    if (const Duration left = dates[i] - backend.true_now(); left.ps > 0)
      co_await verbs.sleep(left);
    calls.push_back(call_once(verbs, backend, took[i]));
    calls.back().start();
  }
  for (const Task<void>& call : calls)
    while (!call.done()) co_await verbs.sleep(kService);
}

std::vector<Time> poisson(std::size_t count, Duration mean, std::uint64_t seed) {
  Rng rng(seed, 0, StreamPurpose::timing);
  std::vector<Time> dates;
  Time date;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = (static_cast<double>(rng.below(1ULL << 40)) + 0.5) / 0x1p40;
    date = date + picoseconds(std::llround(-std::log(u) * static_cast<double>(mean.ps)));
    dates.push_back(date);
  }
  return dates;
}

// Kiefer and Wolfowitz: the first free core takes the earliest call.
std::vector<Duration> waits(const std::vector<Time>& dates, std::size_t cores, Duration service) {
  std::vector<Time> free(cores);
  std::vector<Duration> result;
  for (const Time date : dates) {
    Time& first = *std::min_element(free.begin(), free.end());
    const Time begins = std::max(first, date);
    first = begins + service;
    result.push_back(begins - date);
  }
  return result;
}

double mean_ns(const std::vector<Duration>& all) {
  double sum = 0;
  for (const Duration each : all) sum += each.nanoseconds();
  return sum / static_cast<double>(all.size());
}

struct OfferedLoad {
  std::size_t cores;
  double share;      // share of the capacity of the cores
  Duration compute;  // of the service time; the rest is call_service
};

class Law : public ServerCpu, public ::testing::WithParamInterface<OfferedLoad> {};
INSTANTIATE_TEST_SUITE_P(Loads, Law,
                         ::testing::Values(OfferedLoad{1, 0.5, {}}, OfferedLoad{1, 0.8, {}},
                                           OfferedLoad{1, 0.8, nanoseconds(1500)},
                                           OfferedLoad{2, 0.8, {}}, OfferedLoad{4, 0.9, {}},
                                           OfferedLoad{4, 0.9, nanoseconds(500)}));

TEST_P(Law, calls_wait_as_in_a_queue_with_this_number_of_servers) {
  const OfferedLoad load = GetParam();
  nic().server_cores = static_cast<std::int64_t>(load.cores);
  nic().call_service = kService - load.compute;
  BusyClerk clerk;
  if (load.compute.ps > 0) clerk.steps = {Step::compute};
  clerk.length = load.compute;
  serve(clerk);
  const double mean_ps =
      static_cast<double>(kService.ps) / static_cast<double>(load.cores) / load.share;
  const std::vector<Time> dates = poisson(40'000, picoseconds(std::llround(mean_ps)), 5);
  std::vector<Duration> took(dates.size());
  Verbs& caller = add_client();
  spawn(caller, call_at_dates(caller, world(), dates, took));
  EXPECT_EQ(run(kStart + seconds(1)), RunEnd::finished);
  const std::vector<Duration> expected = waits(dates, load.cores, kService);
  for (std::size_t i = 0; i < dates.size(); ++i)
    ASSERT_EQ(took[i] - travel() - kService, expected[i]) << "call " << i;
  if (load.cores == 1) {  // Pollaczek and Khinchine
    const double wait = load.share * kService.nanoseconds() / (2 * (1 - load.share));
    EXPECT_NEAR(mean_ns(expected), wait, 0.05 * wait);
  }
  const CpuStats cpu = world().busiest_cpu();
  EXPECT_EQ(cpu.cores, load.cores);
  EXPECT_EQ(cpu.starts, dates.size());
  EXPECT_EQ(cpu.busy, kService * static_cast<std::int64_t>(dates.size()));
  EXPECT_NEAR(cpu.queued.nanoseconds() / static_cast<double>(cpu.starts), mean_ns(expected), 1e-3);
}

TEST_F(ServerCpu, never_serves_more_than_the_capacity_of_its_cores) {
  nic().server_cores = 3;
  BusyClerk clerk;
  clerk.steps = {Step::compute};
  clerk.length = microseconds(1);
  serve(clerk);
  const Duration each = kService + clerk.length;
  const std::vector<Time> dates = poisson(3'000, each / 6, 7);  // twice their capacity
  std::vector<Duration> took(dates.size());
  Verbs& caller = add_client();
  spawn(caller, call_at_dates(caller, world(), dates, took));
  EXPECT_EQ(run(), RunEnd::finished);
  Time last;
  for (std::size_t i = 0; i < dates.size(); ++i) last = std::max(last, dates[i] + took[i]);
  EXPECT_GE(last - kStart, travel() + each * 1'000);
  EXPECT_LE(last - kStart, travel() + each * 1'003);
}

// ---- what holds a core, and when ----

class Holding : public ServerCpu {
 protected:
  // Two calls at once on one core: how long after the first reply the second arrives.
  Duration apart(const std::vector<Step>& steps, Duration length = microseconds(5)) {
    nic().server_cores = 1;
    clerk_.steps = steps;
    clerk_.length = length;
    serve(clerk_);
    Verbs& caller = add_client();
    spawn(caller, call_at_dates(caller, world(), {kStart, kStart}, took_));
    EXPECT_EQ(run(), RunEnd::finished);
    return took_[1] - took_[0];
  }
  const std::vector<Duration>& took() const { return took_; }

 private:
  BusyClerk clerk_;
  std::vector<Duration> took_ = std::vector<Duration>(2);
};

TEST_F(Holding, computing_takes_the_core) {
  EXPECT_EQ(apart({Step::compute, Step::compute}), kService + microseconds(10));
}

TEST_F(Holding, cpu_access_and_access_to_the_nodes_state_take_the_core) {
  EXPECT_EQ(apart({Step::load, Step::visit}), kService + nic().cpu_access + nic().on_node);
}

TEST_F(Holding, a_call_that_sleeps_releases_its_core) {
  EXPECT_EQ(apart({Step::sleep}), kService);
  EXPECT_EQ(took()[0], travel() + kService + microseconds(5));
}

TEST_F(Holding, a_call_that_waits_for_a_remote_verb_releases_its_core) {
  EXPECT_EQ(apart({Step::remote_read}), kService + nic().post);
}

TEST_F(Holding, a_call_that_continues_queues_for_a_core_again) {
  // The first call sleeps for 1 us while the second holds the core for 2 us, and computes after it.
  apart({Step::sleep, Step::compute}, microseconds(1));
  EXPECT_EQ(took()[0], travel() + kService * 2 + microseconds(1));
  EXPECT_EQ(took()[1], travel() + kService * 2 + microseconds(2));
}

TEST_F(ServerCpu, background_work_of_the_server_part_takes_a_core) {
  nic().server_cores = 1;
  BusyClerk clerk;
  Verbs& server = add_server();
  world().serve_calls(server, clerk);
  spawn(server,
        [](Verbs& verbs) -> Task<void> { co_await verbs.compute(microseconds(50)); }(server));
  Verbs& caller = add_client();
  std::vector<Duration> took(1);
  spawn(caller, call_at_dates(caller, world(), {kStart}, took));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(took[0], microseconds(50) + kService + nic().one_way + nic().completion);
}

TEST_F(ServerCpu, a_paused_server_continues_with_its_calls_in_their_order) {
  nic().server_cores = 1;
  BusyClerk clerk;
  serve(clerk);
  Verbs& caller = add_client();
  std::vector<Duration> took(3);
  spawn(caller, call_at_dates(caller, world(), {kStart, kStart, kStart}, took));
  // One call is being served.
  world().at(kStart + microseconds(2),
             [this] { world().cpu_faults()->pause_node(kServer, microseconds(48)); });
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration back = microseconds(50) + nic().one_way + nic().completion;
  EXPECT_EQ(took, (std::vector<Duration>{back, back + kService, back + kService * 2}));
}

TEST_F(ServerCpu, calls_in_the_queue_of_a_server_that_crashes_fail) {
  nic().server_cores = 1;
  BusyClerk clerk;
  serve(clerk);
  std::vector<VerbStatus> answers;
  for (int i = 0; i < 3; ++i) {
    Verbs& caller = add_client();
    spawn(caller, [](Verbs& verbs, std::vector<VerbStatus>& all) -> Task<void> {
      const Request request;
      const Reply reply = co_await verbs.call(kServer, request);
      all.push_back(reply.status);
    }(caller, answers));
  }
  world().at(kStart + microseconds(2), [this] { world().hardware_faults()->crash_node(kServer); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(answers, std::vector<VerbStatus>(3, VerbStatus::peer_failed));
  expect_conservation();
}

TEST_F(ServerCpu, a_world_without_server_parts_has_no_cpu_statistics) {
  add_client();
  EXPECT_EQ(world().busiest_cpu().cores, 0U);
}

// ---- node parts ----

Task<void> compute_twice(Verbs& verbs, Backend& backend, Time& done) {
  co_await verbs.compute(microseconds(3));
  co_await verbs.compute(microseconds(3));
  done = backend.true_now();
}

TEST_F(ServerCpu, a_node_part_shares_the_first_core_of_its_node) {
  options().cores = 2;
  Verbs& part = world().add_actor(ActorKind::node, kHere, {});
  std::vector<Verbs*> clients = {&add_client(), &add_client()};
  std::vector<Time> done(3);
  spawn(part, compute_twice(part, world(), done[0]));
  for (std::size_t i = 0; i < 2; ++i)
    spawn(*clients[i], compute_twice(*clients[i], world(), done[i + 1]));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done[0], kStart + microseconds(6));
  EXPECT_EQ(done[1], kStart + microseconds(12));
  EXPECT_EQ(done[2], kStart + microseconds(6));
}

TEST_F(ServerCpu, a_node_part_is_free_where_cores_are_not_modelled) {
  Verbs& part = world().add_actor(ActorKind::node, kHere, {});
  Verbs& client = add_client();
  Time one, two;
  spawn(part, compute_twice(part, world(), one));
  spawn(client, compute_twice(client, world(), two));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(one, kStart + microseconds(6));
  EXPECT_EQ(two, kStart + microseconds(6));
}

}  // namespace
}  // namespace latchlab::simtest
