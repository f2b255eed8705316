#include "core/run/share.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/multiples.h"
#include "core/base/prefetch.h"
#include "core/base/random.h"
#include "core/run/faults.h"
#include "core/run/observers.h"
#include "core/run/warm_up.h"
#include "core/scenario/advice.h"
#include "core/scenario/file_io.h"
#include "core/workload/grouped.h"

namespace latchlab {

std::string_view name_of(RepeatStatus status) {
  switch (status) {
    case RepeatStatus::ok:
      return "ok";
    case RepeatStatus::starved:
      return "starved";
    case RepeatStatus::too_short:
      return "window too short";
    case RepeatStatus::unsafe:
      return "unsafe";
    case RepeatStatus::stuck:
      return "stuck";
    case RepeatStatus::no_progress:
      return "no progress";
    case RepeatStatus::unavailable:
      return "unavailable";
    case RepeatStatus::failed:
      break;
  }
  return "failed";
}

std::optional<RepeatStatus> repeat_status(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(kWorstStatus); ++i)
    if (name_of(static_cast<RepeatStatus>(i)) == name) return static_cast<RepeatStatus>(i);
  return std::nullopt;
}

std::uint64_t repeat_seed(std::uint64_t seed, std::uint32_t repeat) {
  return hash_of(seed, repeat);
}

WorldShape shape_of(const Point& point, std::uint64_t seed) {
  WorldShape shape;
  shape.servers = point.platform.servers;
  shape.client_nodes = point.platform.client_nodes;
  shape.clients_per_node = point.platform.clients_per_node;
  shape.groups = point.platform.groups;
  shape.client_nodes_per_nic = point.platform.client_nodes_per_nic;
  shape.colocated = point.platform.colocated;
  shape.locks = point.locks;
  shape.seed = seed;
  shape.guard = point.run.guard != GuardMode::off;
  const auto add = [&](const WorkloadSpec& workload, std::uint32_t clients) {
    const std::uint64_t bytes = object_bytes_of(workload, clients);
    shape.object_bytes = std::max(shape.object_bytes, bytes);
    const bool files = workload.kind == WorkloadKind::file_io;
    shape.file_data = shape.file_data || (files && workload.file.data == FileData::clients);
    shape.counters = shape.counters || (files && workload.file.roles.clients() > 0);
    if (shape.guard && wants_parts(workload.kind))
      shape.guard_slots = guard_slots(point.locks.count);
  };
  if (point.groups.empty()) add(point.workload, point.platform.clients());
  for (const GroupSpec& group : point.groups) add(group.workload, group.clients.clients());
  shape.topology = point.platform.topology;
  return shape;
}

namespace {

constexpr std::size_t kPartBytes = 128;  // of a client part: what most protocols access per cycle

void add_skip_release(const Point& point, MicroSetup& setup) {
  for (const FaultSpec& fault : point.faults) {
    if (fault.kind != FaultKind::skip_release) continue;
    setup.skip_release_ppb = fault.probability_ppb;
    setup.skipping_commits = fault.commits;
  }
}

std::vector<MicroSetup> workloads_of(const Point& point, const World& world, const Running& clock) {
  MicroSetup setup;
  setup.spec = point.workload;
  setup.locks = point.locks;
  setup.servers = point.platform.servers;
  setup.clients = point.platform.clients();
  setup.seed = world.world_shape().seed;
  setup.clients_per_machine = point.platform.clients_per_node;
  setup.machines = point.platform.client_nodes;
  add_skip_release(point, setup);
  setup.window_start = point.run.earliest();
  setup.window = point.run.duration;
  setup.now = [&world](ClientId client) { return world.verbs(client).now(); };
  setup.true_now = [&clock] { return clock.true_now(); };
  setup.find_object = [&world](LockId id) { return world.object_of(id); };
  setup.find_buffer = [&world](ClientId client) { return world.buffer_of(client); };
  setup.find_data = [&world](std::uint32_t node) { return world.data_on(node); };
  setup.find_counter = [&world](ClientId client) { return world.counter_of(client); };
  setup.find_lock = [&world](LockId id) { return world.lock(id); };
  setup.home = [&world](ClientId client) { return world.node_of(client).value - 1U; };
  if (point.groups.empty()) return {setup};
  std::vector<MicroSetup> setups;
  for (const GroupSpec& group : point.groups) {
    setup.spec = group.workload;
    setup.clients = group.clients.clients();
    setup.clients_per_machine = group.clients.clients_per_node;
    setups.push_back(setup);
    setup.first_client += setup.clients;
  }
  return setups;
}

void schedule_client_crashes(const Point& point, const World& world, Backend& backend,
                             WorkerObservers& observers) {
  for (const FaultSpec& fault : point.faults) {
    const bool client = fault.kind == FaultKind::client_crash;
    if (!client && fault.kind != FaultKind::process_crash) continue;
    const CrashKind kind = client ? CrashKind::client : CrashKind::process;
    const ClientId who{fault.client};
    if (!world.hosts(who)) continue;
    backend.at_worker(backend.worker_of(who), Time{} + *fault.at,
                      [&backend, &observers, who, kind] {
                        observers.client_crashed(who);
                        backend.crash(who, kind);
                      });
  }
}

bool has_fault(const Point& point, FaultKind one, FaultKind other) {
  return std::any_of(point.faults.begin(), point.faults.end(), [=](const FaultSpec& fault) {
    return fault.kind == one || fault.kind == other;
  });
}

// Why this backend cannot run the point; empty: it can.
std::string unavailable(const Point& point, const Protocol& protocol, Backend& backend) {
  if (std::string missing = lacking(point, protocol, backend.capabilities()); !missing.empty())
    return missing;
  if (has_fault(point, FaultKind::node_crash, FaultKind::link_down) &&
      backend.hardware_faults() == nullptr)
    return "faults: this backend has no nodes or links that can fail";
  if (has_fault(point, FaultKind::client_crash, FaultKind::process_crash) &&
      !backend.capabilities().has(Capability::client_crash))
    return "faults: this backend has no clients that can crash";
  return cpu_faults_refused(point, backend);
}

void spawn_clients(const World& world, Hosting& backend, GroupedWorkload& workload,
                   LoopObserver& observer, WorkerObservers& observers) {
  for (std::uint32_t i = 0; i < world.world_shape().clients(); ++i) {
    const ClientId client{i};
    if (!world.hosts(client)) continue;
    Verbs& verbs = world.verbs(client);
    backend.spawn(
        verbs,
        client_loop(verbs, world.client(client), workload, observer, observers.guard_of(client)),
        Time{} + workload.of(client).start_offset(client));
  }
}

// True if the run looks for steady state. Events at fixed times, such as faults, need a window at a
// known time.
bool seeks_steady_state(const Point& point, const World& world, const Backend& backend) {
  for (std::uint32_t i = 0; i < point.platform.clients(); ++i)
    if (!world.hosts(ClientId{i})) return false;
  bool scripted = false;
  for_each_workload(point, [&scripted](const WorkloadSpec& workload) {
    scripted = scripted || workload.arrivals.kind == ArrivalKind::script;
  });
  return !point.run.warmup && point.faults.empty() && !scripted && backend.sees_all_effects() &&
         backend.workers() == 1;
}

RunEnd run_until_steady(const Point& point, const ProtocolEntry& entry, const World& world,
                        Backend& backend, WorkerObservers& observers, GroupedWorkload& workload) {
  const auto period = entry.info.adaptation_period;
  const Duration least = period ? period(point.protocol.params) * kAdaptations : Duration{};
  WarmUp warm_up(observers.only(), backend, point.run, least, [&](Time) {
    for (std::uint32_t i = 0; i < point.platform.clients(); ++i)
      workload.of(ClientId{i})
          .window_opens(ClientId{i}, backend.local_now(world.node_of(ClientId{i})));
  });
  warm_up.begin();
  const RunEnd end = backend.run_until(warm_up.latest_end());
  if (warm_up.over()) return RunEnd::reached;
  warm_up.give_up();
  return end == RunEnd::reached ? RunEnd::stopped : end;
}

void check_books(const Inspecting& backend) {
  const VerbCensus census = backend.census();
  LATCHLAB_CHECK(census.posted == census.executed + census.failed + census.in_flight,
                 "verbs were lost: posted is not executed + failed + in flight");
}

ShareOutcome refused(ShareOutcome outcome, RepeatStatus status, std::string message) {
  outcome.status = status;
  outcome.message = std::move(message);
  return outcome;
}

}  // namespace

ShareOutcome run_share(const Point& point, const ProtocolEntry& entry, std::uint32_t repeat,
                       const BackendFactory& make_backend, const ShareOptions& options) {
  TraceHook none;
  TraceHook& watching = options.hook != nullptr ? *options.hook : none;
  ShareOutcome outcome;
  outcome.seed = repeat_seed(point.run.seed, repeat);
  const std::unique_ptr<Protocol> protocol = entry.make(point.protocol.params);
  if (std::string over = limits_exceeded(point, *protocol); !over.empty())
    return refused(std::move(outcome), RepeatStatus::unavailable, std::move(over));
  World world(*protocol, shape_of(point, outcome.seed));
  std::unique_ptr<Backend> made = make_backend(world.plan(), point);
  if (!made)
    return refused(std::move(outcome), RepeatStatus::unavailable, "the backend cannot be set up");
  const std::unique_ptr<Backend> backend = watching.around(std::move(made), world.plan());
  if (std::string why = unavailable(point, *protocol, *backend); !why.empty())
    return refused(std::move(outcome), RepeatStatus::unavailable, std::move(why));
  world.attach(*backend);
  auto workload = GroupedWorkload::make(workloads_of(point, world, *backend));
  if (!workload) return refused(std::move(outcome), RepeatStatus::failed, workload.error().text());
  const std::uint32_t held = workload.value()->held_at_once();
  if (std::string over = limits_exceeded(point, *protocol, held); !over.empty())
    return refused(std::move(outcome), RepeatStatus::unavailable, std::move(over));

  const bool seeks = seeks_steady_state(point, world, *backend);
  const Time ends = Time{} + point.run.earliest() + point.run.duration;
  WorkerObservers observers(world, *backend, point, options.guard_journal, seeks);
  if (point.run.hottest_lock) observers.measure_lock(workload.value()->of(ClientId{0}).hottest());
  schedule_hardware_faults(point, world, *backend, observers);
  schedule_client_crashes(point, world, *backend, observers);
  schedule_cpu_faults(point, world, *backend, outcome.seed, ends);
  spawn_clients(world, *backend, *workload.value(), watching.around(observers.front(), world),
                observers);
  backend->announce_clients([&](ClientId client) {
    observers.of(client).prefetch_client(client);
    workload.value()->of(client).prefetch_client(client);
    prefetch_bytes(&world.client(client), kPartBytes);
  });
  if (options.about_to_run) options.about_to_run(*backend);
  outcome.end = seeks
                    ? run_until_steady(point, entry, world, *backend, observers, *workload.value())
                    : backend->run_until(ends);
  watching.ended(backend->true_now());
  check_books(*backend);
  outcome.shares = observers.shares();
  if (options.run_is_over) options.run_is_over(outcome.shares);
  for (std::uint32_t i = 0; i < point.platform.clients(); ++i)
    if (const ClientId client{i}; world.hosts(client))
      outcome.shares.front().open_loop.merge(
          workload.value()->of(client).tally(client, backend->local_now(world.node_of(client))));
  if (outcome.end == RunEnd::reached && outcome.shares.front().saw_everything)
    outcome.after = run_on(*backend, observers.only().recorder(), outcome.shares.front());
  return outcome;
}

}  // namespace latchlab
