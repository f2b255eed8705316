// The worlds in which the suite runs.

#include "backends/explorer/explorer_backend.h"
#include "tests/conformance/conformance.h"
#if LATCHLAB_WITH_SIMGRID
#include "backends/simgrid/simgrid_backend.h"
#endif
#if LATCHLAB_WITH_IBVERBS
#include "backends/ibverbs/ibverbs_backend.h"
#include "tests/conformance/hardware.h"
#endif

namespace latchlab::conformance {

namespace {

constexpr std::uint32_t kClients = 80;

}  // namespace

BackendCase explorer_case(std::uint64_t seed) {
  return {"explorer_" + std::to_string(seed), [seed](const WorldPlan& plan) {
            ExplorerOptions options;
            options.seed = seed;
            return make_explorer(plan, options);
          }};
}

namespace {

#if LATCHLAB_WITH_SIMGRID
// Round numbers: the suite asks what happens, never how long it takes.
SimgridOptions plain_simulation() {
  SimgridOptions options;
  NicModel& nic = options.nic;
  nic.name = "plain";
  nic.link_bits_per_s = 100'000'000'000;
  nic.post = nanoseconds(100);
  nic.one_way = nanoseconds(600);
  nic.completion = nanoseconds(100);
  nic.jitter = nanoseconds(50);
  nic.read = nanoseconds(100);
  nic.request_gap = nanoseconds(10);
  nic.serve_read = nic.serve_write = nic.serve_send = nanoseconds(20);
  nic.serve_atomic_8 = nic.serve_atomic_16 = nanoseconds(30);
  nic.slots = 512;
  nic.hold_8 = nic.hold_8_failed = nanoseconds(300);
  nic.hold_16 = nanoseconds(350);
  nic.window = 16;
  nic.dc_connect = nanoseconds(300);
  nic.dc_reset = microseconds(50);
  nic.rnr_timer = microseconds(10);
  nic.ack_timeout = microseconds(50);
  nic.loopback_one_way = nanoseconds(400);
  nic.intra_node_message = nanoseconds(500);
  nic.on_node = nanoseconds(50);
  nic.cpu_access = nanoseconds(20);
  nic.call_service = microseconds(1);
  options.clocks.drift_ppb = 50'000;
  options.clocks.offset = microseconds(10);
  options.clocks.nic_drift_ppb = 10'000;
  options.clocks.nic_offset = microseconds(1);
  return options;
}

BackendCase simgrid_case() {
  return {"simgrid", [](const WorldPlan& plan) { return make_simgrid(plan, plain_simulation()); }};
}
#endif

#if LATCHLAB_WITH_IBVERBS
BackendCase hardware_case(const std::string& name, bool agents) {
  const auto make = [agents](const WorldPlan& plan) { return hardware_world(plan, agents); };
  return {name, make, 1000};
}
#endif

}  // namespace

std::vector<BackendCase> backend_cases() {
  std::vector<BackendCase> cases;
  for (std::uint64_t seed = 1; seed <= kExplorerSeeds; ++seed) cases.push_back(explorer_case(seed));
#if LATCHLAB_WITH_SIMGRID
  cases.push_back(simgrid_case());
#endif
#if LATCHLAB_WITH_IBVERBS
  if (on_hardware()) cases = {hardware_case("ibverbs", false), hardware_case("agents", true)};
#endif
  return cases;
}

std::string name_of_case(const testing::TestParamInfo<BackendCase>& info) {
  return info.param.name;
}

Backend& Bench::world() {
  if (!world_) {
    WorldPlan plan;
    plan.nodes = {{kServer, bytes_, true, false},
                  {kHere, bytes_, false, true},
                  {kThere, bytes_, false, true}};
    plan.clients = kClients;
    plan.seed = 7;
    plan.image = plan_image_;
    make(plan);
  }
  return *world_;
}

Backend& Bench::make(const WorldPlan& plan) {
  world_ = made_.make(plan);
  return *world_;
}

Verbs& Bench::add_client(NodeId node) {
  return world().add_actor(ActorKind::client, node, ClientId{clients_++});
}

Verbs& Bench::add_server() {
  return world().add_actor(ActorKind::server, kServer, ClientId{});
}

void Bench::spawn(Verbs& verbs, Task<void> body, Time start) {
  world().spawn(verbs, std::move(body), start);
}

void Bench::run_alone(Verbs& verbs, Task<void> body) {
  spawn(verbs, std::move(body));
  EXPECT_EQ(run(), RunEnd::finished);
}

}  // namespace latchlab::conformance
