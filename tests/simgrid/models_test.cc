// The NIC files of models/nics in the simulator.

#include <fstream>
#include <sstream>

#include "core/protocols/registry.h"
#include "core/run/child.h"
#include "core/run/repeat.h"
#include "core/scenario/scenario.h"
#include "tests/non_empty.h"
#include "tests/paths.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

const DataDirs kData{{LATCHLAB_SOURCE_DIR}};

NicModel model(const std::string& name) {
  const Result<NicModel> loaded = load_nic(name, ".", kData);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().text();
    return plain_nic();
  }
  return loaded.value();
}

// ---- unloaded round trips ----

class NicFiles : public SimWorld, public testing::WithParamInterface<std::string> {
 protected:
  NicFiles() {
    nic() = model(GetParam());
    mean_jitter_ = nic().jitter;  // half of it on each of two legs
    nic().jitter = {};
    std::ifstream file(std::string(LATCHLAB_SOURCE_DIR) + "/models/nics/" + GetParam() + ".yaml");
    std::stringstream text;
    text << file.rdbuf();
    header_ = text.str();
  }
  // The text in the file's header behind "Unloaded round trips: ... WHAT ".
  std::string claimed(const std::string& what) const {
    const std::size_t line = header_.find("# Unloaded round trips: ");
    const std::size_t at = line == std::string::npos ? line : header_.find(what + " ", line);
    if (at == std::string::npos) return "nothing";
    const std::size_t from = at + what.size() + 1;
    std::size_t to = header_.find_first_of(",\n", from);
    if (header_[to - 1] == '.') --to;
    return header_.substr(from, to - from);
  }
  void expect_claim(const std::string& what, Duration took) const {
    const Result<Duration> claim = parse_duration(claimed(what));
    ASSERT_TRUE(claim) << what << ": " << claimed(what);
    EXPECT_EQ(took + mean_jitter_, claim.value()) << what;
  }

  Duration mean_jitter_;
  std::string header_;
};
INSTANTIATE_TEST_SUITE_P(Files, NicFiles,
                         testing::Values("connectx-3", "connectx-4", "connectx-5", "connectx-6",
                                         "connectx-7", "soft-roce"),
                         [](const auto& made) {
                           std::string name = made.param;
                           name.erase(name.find('-'), 1);
                           return name;
                         });

Task<void> send_twice(Verbs& verbs, Backend& backend, EndpointAddr target, Duration& second) {
  const Message message = numbered(1);
  co_await verbs.send(target, message);  // changes the target
  const Time begin = backend.true_now();
  co_await verbs.send(target, message);
  second = backend.true_now() - begin;
}

TEST_P(NicFiles, give_the_unloaded_round_trips_that_their_headers_claim) {
  const RemoteAddr word = on_server(1024);
  expect_claim("READ", time_of(read_verb(word)));
  expect_claim("WRITE", time_of(write_verb(word, 0)));
  expect_claim("CAS", time_of(cas_verb(word, 0, 1)));
  if (world().capabilities().has(Capability::masked_atomics_16))
    expect_claim("16-byte atomic", time_of(masked_faa_verb(word, 16, {1, 1}, {})));
  else
    EXPECT_EQ(claimed("16-byte atomic"), "none");
  Verbs& sender = add_client();
  const EndpointAddr inbox = add_client(kThere).open_endpoint(8);
  Duration took;
  spawn(sender, send_twice(sender, world(), inbox, took), world().true_now());
  EXPECT_EQ(run(), RunEnd::finished);
  expect_claim("SEND", took);
}

TEST_P(NicFiles, have_a_source_for_every_constant) {
  for (const ConstantOrigin& origin : non_empty(model(GetParam()).origins)) {
    EXPECT_FALSE(origin.source.empty()) << origin.key;
    EXPECT_EQ(origin.low.empty(), origin.status == ConstantStatus::published) << origin.key;
  }
}

// ---- CITRON Fig. 1c: 32 callers on one core ----

class Citron : public SimWorld {};

struct Answer final : CallHandler {
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    const Reply reply;
    verbs.reply(pending, reply);
    co_return;
  }
};

Task<void> call_on(Verbs& verbs, Backend& backend, int calls, Duration& total) {
  for (int i = 0; i < calls; ++i) {
    const Time begin = backend.true_now();
    const Request request;
    co_await verbs.call(kServer, request);
    if (i > 0) total += backend.true_now() - begin;
  }
}

TEST_F(Citron, mean_queueing_of_32_callers_is_near_the_published_5_4_us) {
  constexpr int kCallers = 32;
  constexpr int kCalls = 101;
  nic() = model("connectx-6");
  nic().server_cores = 1;
  Answer answer;
  world().serve_calls(add_server(), answer);
  std::vector<Duration> total(kCallers);
  for (Duration& each : total) {
    Verbs& client = add_client();
    spawn(client, call_on(client, world(), kCalls, each));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  Duration sum;
  for (const Duration each : total) sum += each;
  const NicModel& file = nic();
  const Duration alone = file.post + file.one_way * 2 + file.jitter + file.completion +
                         file.serve_send + file.call_service;
  const Duration mean = sum / (kCallers * (kCalls - 1));
  EXPECT_NEAR((mean - alone).nanoseconds(), 5'400, 540);
}

// ---- whole runs ----

RepeatOutcome run_in_child(const std::string& platform, const std::string& rest,
                           const std::string& protocol, sim::PumpMode pump) {
  const std::string text =
      "schema: 1\nname: t\nplatform: {servers: 2, client_nodes: 3, "
      "clients_per_node: 8, clocks: {drift: 100ppm, nic_drift: 10ppm, "
      "nic_offset: 1us}, " +
      platform + "}\n" + rest + "protocol: {name: " + protocol +
      "}\nrun: {warmup: 1ms, duration: 3ms}\n";
  auto scenario = parse_scenario({text, "t", LATCHLAB_SOURCE_DIR}, {}, protocol_infos(), kData);
  if (!scenario) return {RepeatStatus::failed, scenario.error().text(), 0, {}, 0, 0};
  const BackendFactory make = [pump](const WorldPlan& plan, const Point& point) {
    SimgridOptions options;
    options.nic = point.platform.nic;
    options.clocks = point.platform.clocks;
    options.qps = point.platform.qps;
    options.cores = point.platform.cores;
    options.pump = pump;
    return make_simgrid(plan, options);
  };
  const Point& point = scenario.value().points.front();
  auto child = ChildRepeat::start(point, *find_protocol(protocol), 0, make);
  if (!child) return {RepeatStatus::failed, child.error().text(), 0, {}, 0, 0};
  while (!child.value().drain()) {
  }
  return child.value().finish();
}

class EveryFeature : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Protocols, EveryFeature, testing::ValuesIn(remote_protocol_names()),
                         [](const auto& made) { return made.param; });

TEST_P(EveryFeature, gives_equal_runs_whether_the_event_loop_looks_ahead_or_stops_at_every_time) {
  const std::string nic =
      "qps: core, cores: 3, nic: {base: connectx-5, qp.cache: [[2, 1], [20, 0.6]], "
      "atomic.slots_16: 2, atomic.read_hold: 40ns, host_cache.bytes: 2KiB, pcie.per_verb: 5ns, "
      "latency.completion: 30ns}";
  const std::string rest =
      "locks: {count: 100}\nworkload: {distribution: {kind: zipf, theta: 0.99}, read_ratio: 50%}\n"
      "faults: [{kind: pause, rate: 1k, length: 20us}, {kind: slow_client, client: 1, factor: 3, "
      "at: 1ms}, {kind: drift, client_node: 1, at: 2ms, jump: 5us, drift: -100ppm}]\n";
  const RepeatOutcome ahead = run_in_child(nic, rest, GetParam(), sim::PumpMode::look_ahead);
  const RepeatOutcome strict = run_in_child(nic, rest, GetParam(), sim::PumpMode::every_date);
  ASSERT_TRUE(has_run(ahead.status)) << ahead.message;
  EXPECT_EQ(ahead.status, strict.status);
  EXPECT_GT(ahead.metrics.engine.events.value_or(0), 10'000U);
  EXPECT_EQ(ahead.metrics, strict.metrics);
}

TEST(DeviceMemory, makes_one_hot_lock_faster) {
  const auto goodput = [](const char* memory) {
    const std::string locks = std::string("locks: {count: 1, memory: ") + memory + "}\n";
    return run_in_child("nic: connectx-5", locks, "cas", sim::PumpMode::look_ahead)
        .metrics.goodput_ops_s.value_or(0);
  };
  EXPECT_GT(goodput("device"), 1.3 * goodput("host"));
}

TEST(NarrowNic, refuses_a_lock_that_needs_wide_atomics) {
  const RepeatOutcome refused =
      run_in_child("nic: connectx-3", "", "shiftlock", sim::PumpMode::look_ahead);
  EXPECT_EQ(refused.status, RepeatStatus::unavailable);
  EXPECT_EQ(refused.message,
            "shiftlock needs masked_atomics_16 (connectx-3 has no masked atomics of 16 bytes), "
            "which this backend does not have");
}

}  // namespace
}  // namespace latchlab::simtest
