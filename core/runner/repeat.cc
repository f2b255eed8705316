#include "core/runner/repeat.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/prefetch.h"
#include "core/base/random.h"
#include "core/runner/cpu_faults.h"
#include "core/runner/measuring.h"
#include "core/workload/micro.h"

namespace latchlab {

std::string_view name_of(RepeatStatus status) {
  switch (status) {
    case RepeatStatus::ok:
      return "ok";
    case RepeatStatus::starved:
      return "starved";
    case RepeatStatus::unsafe:
      return "unsafe";
    case RepeatStatus::stuck:
      return "stuck";
    case RepeatStatus::unavailable:
      return "unavailable";
    case RepeatStatus::failed:
      break;
  }
  return "failed";
}

std::uint64_t repeat_seed(std::uint64_t seed, std::uint32_t repeat) {
  return hash_of(seed, repeat);
}

WorldShape shape_of(const Point& point, std::uint64_t seed) {
  WorldShape shape;
  shape.servers = point.platform.servers;
  shape.client_nodes = point.platform.client_nodes;
  shape.clients_per_node = point.platform.clients_per_node;
  shape.colocated = point.platform.colocated;
  shape.locks = point.locks;
  shape.seed = seed;
  return shape;
}

std::string limits_exceeded(const Point& point, const Protocol& protocol) {
  const Limits limits = protocol.limits();
  const auto over = [&](const char* what, std::uint64_t asked, std::uint64_t most) {
    return fmt::format("{} takes at most {} {}, and the scenario has {}", point.protocol.name, most,
                       what, asked);
  };
  const std::uint64_t nodes =
      point.platform.servers + (point.platform.colocated ? 0 : point.platform.client_nodes);
  if (point.platform.clients() > limits.max_clients)
    return over("clients", point.platform.clients(), limits.max_clients);
  if (nodes > limits.max_nodes) return over("nodes", nodes, limits.max_nodes);
  if (point.locks.count > limits.max_locks)
    return over("locks", point.locks.count, limits.max_locks);
  return {};
}

namespace {

constexpr std::size_t kPartBytes = 128;  // of a client part: what most protocols touch each time

std::int64_t skip_release_ppb(const Point& point) {
  for (const FaultSpec& fault : point.faults)
    if (fault.kind == FaultKind::skip_release) return fault.probability_ppb;
  return 0;
}

void schedule_link(const FaultSpec& fault, Backend& backend) {
  const NodeId node{static_cast<std::uint16_t>(fault.node + 1)};
  const NodeId other = fault.to ? NodeId{static_cast<std::uint16_t>(*fault.to + 1)} : kNoNode;
  const Time down = Time{} + *fault.at;
  backend.at(down, [&backend, node, other] { backend.set_link(node, other, false); });
  if (fault.outage)
    backend.at(down + *fault.outage,
               [&backend, node, other] { backend.set_link(node, other, true); });
}

void schedule_node_crash(const FaultSpec& fault, const World& world, Backend& backend,
                         MeasuringObserver& observer) {
  const NodeId node{static_cast<std::uint16_t>(fault.node + 1)};
  backend.at(Time{} + *fault.at, [&world, &backend, &observer, node] {
    for (std::uint32_t i = 0; i < world.shape().clients(); ++i)
      if (world.node_of(ClientId{i}) == node) observer.client_crashed(ClientId{i});
    backend.crash_node(node);
  });
}

void schedule_faults(const Point& point, const World& world, Backend& backend,
                     MeasuringObserver& observer) {
  for (const FaultSpec& fault : point.faults) {
    if (fault.kind == FaultKind::link_down) schedule_link(fault, backend);
    if (fault.kind == FaultKind::node_crash) schedule_node_crash(fault, world, backend, observer);
    const bool client = fault.kind == FaultKind::client_crash;
    if (!client && fault.kind != FaultKind::process_crash) continue;
    const CrashKind kind = client ? CrashKind::client : CrashKind::process;
    const ClientId who{fault.client};
    backend.at(Time{} + *fault.at, [&backend, &observer, who, kind] {
      observer.client_crashed(who);
      backend.crash(who, kind);
    });
  }
}

bool hardware_fails(const Point& point) {
  return std::any_of(point.faults.begin(), point.faults.end(), [](const FaultSpec& fault) {
    return fault.kind == FaultKind::node_crash || fault.kind == FaultKind::link_down;
  });
}

void spawn_clients(const World& world, Backend& backend, MicroWorkload& workload,
                   LoopObserver& observer) {
  for (std::uint32_t i = 0; i < world.shape().clients(); ++i) {
    const ClientId client{i};
    Verbs& verbs = world.verbs(client);
    backend.spawn(verbs, client_loop(verbs, world.client(client), workload, observer),
                  Time{} + workload.start_offset(client));
  }
}

void check_books(const Backend& backend, const MeasuringObserver& observer) {
  const VerbCensus census = backend.census();
  LATCHLAB_CHECK(census.posted == census.executed + census.failed + census.in_flight,
                 "verbs were lost: posted is not executed + failed + in flight");
  LATCHLAB_CHECK(observer.recorder().check_window_law(), "the window's law does not hold");
}

void judge(RunEnd end, const Point& point, const MeasuringObserver& observer,
           RepeatOutcome& outcome) {
  if (!observer.violation().empty()) {
    outcome.status = RepeatStatus::unsafe;
    outcome.message = observer.violation();
  } else if (end == RunEnd::stuck) {
    outcome.status = RepeatStatus::stuck;
    outcome.message =
        fmt::format("deadlock: all {} live clients wait, and nothing can happen any more",
                    observer.live_clients());
  } else if (const std::uint32_t waiting = observer.clients_without_progress();
             waiting > 0 && waiting == observer.live_clients()) {
    outcome.status = RepeatStatus::stuck;
    outcome.message = fmt::format(
        "hang: all {} live clients waited for one lock each through the whole window of {}",
        waiting, format_duration(point.run.duration));
  } else if (waiting > 0) {
    outcome.status = RepeatStatus::starved;
    outcome.message = fmt::format(
        "{} of {} clients waited for one lock through the whole window of {}: the lock starves "
        "them, or hangs",
        waiting, point.platform.clients(), format_duration(point.run.duration));
  }
}

RepeatOutcome refused(std::uint64_t seed, RepeatStatus status, std::string message) {
  RepeatOutcome outcome;
  outcome.seed = seed;
  outcome.status = status;
  outcome.message = std::move(message);
  return outcome;
}

}  // namespace

RepeatOutcome run_repeat(const Point& point, const ProtocolEntry& entry, std::uint32_t repeat,
                         const BackendFactory& make_backend, Onlooker* onlooker) {
  Onlooker nobody;
  Onlooker& watching = onlooker != nullptr ? *onlooker : nobody;
  const std::uint64_t seed = repeat_seed(point.run.seed, repeat);
  const std::unique_ptr<Protocol> protocol = entry.make(point.protocol.params);
  if (std::string over = limits_exceeded(point, *protocol); !over.empty())
    return refused(seed, RepeatStatus::failed, std::move(over));
  World world(*protocol, shape_of(point, seed));
  const std::unique_ptr<Backend> backend =
      watching.around(make_backend(world.plan(), point), world.plan());
  if (const std::string missing = backend->capabilities().first_missing(protocol->needs());
      !missing.empty())
    return refused(
        seed, RepeatStatus::unavailable,
        fmt::format("{} needs {}, which this backend does not have", point.protocol.name, missing));
  if (hardware_fails(point) && !backend->has_hardware_faults())
    return refused(seed, RepeatStatus::unavailable,
                   "faults: this backend has no nodes or links that can fail");
  if (std::string why = cpu_faults_refused(point, *backend); !why.empty())
    return refused(seed, RepeatStatus::unavailable, std::move(why));
  world.attach(*backend);
  auto workload =
      MicroWorkload::make(point.workload, point.locks.count, point.platform.clients(), seed,
                          skip_release_ppb(point), [&world](LockId id) { return world.lock(id); });
  if (!workload) return refused(seed, RepeatStatus::failed, workload.error().text());

  const Time opens = Time{} + point.run.warmup;
  MeasuringObserver observer(world, *backend, opens, point.run.duration, point.run.on_violation);
  observer.watch_clients();
  backend->at(opens, [&observer] { observer.window_opens(); });
  schedule_faults(point, world, *backend, observer);
  schedule_cpu_faults(point, world, *backend, seed, opens + point.run.duration);
  spawn_clients(world, *backend, *workload.value(), watching.around(observer, world));
  backend->announce_clients([&](ClientId client) {
    observer.prefetch_client(client);
    workload.value()->prefetch_client(client);
    prefetch_bytes(&world.client(client), kPartBytes);
  });
  const RunEnd end = backend->run_until(opens + point.run.duration);
  watching.ended(backend->true_now());
  check_books(*backend, observer);

  RepeatOutcome outcome;
  outcome.seed = seed;
  outcome.metrics = observer.metrics();
  judge(end, point, observer, outcome);
  return outcome;
}

}  // namespace latchlab
