// The backends in which the suite runs.

#include "backends/explorer/explorer_backend.h"
#include "tests/conformance/conformance.h"
#if LATCHLAB_WITH_SIMGRID
#include "tests/conformance/simulation.h"
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
BackendCase simgrid_case() {
  return {"simgrid", plain_simulation};
}
#endif

#if LATCHLAB_WITH_IBVERBS
BackendCase hardware_case(const std::string& name, bool agents) {
  const auto make = [agents](const WorldPlan& plan) { return hardware_world(plan, agents); };
  return {name, make, hardware_patience().ps / milliseconds(1).ps};
}

// All memory of the server is device memory of the RNIC.
BackendCase device_memory_case() {
  const auto make = [](WorldPlan plan) {
    for (NodePlan& node : plan.nodes)
      if (node.server) node.device_bytes = node.bytes;
    return hardware_world(plan, false);
  };
  return {"on_device", make, 1000};
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
  // The names of these tests are listed even without a device.
  if (on_hardware() && (!has_device() || own_memory_here() > 0))
    cases.push_back(device_memory_case());
  if (on_hardware() && tests_dc()) cases = {hardware_case("dc", false)};
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
