#include "backends/ibverbs/hardware.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "backends/ibverbs/cores.h"
#include "core/base/check.h"
#include "core/base/random.h"

namespace latchlab::ib {

namespace {

constexpr Duration kChores = milliseconds(1);

// The atomics that all nodes' RNICs execute over this run's transport.
NativeAtomics atomics_of_all(Process& process) {
  NativeAtomics all = process.nodes.begin()->second->atomics;
  for (const NodeDescriptor& node : process.directory.nodes) {
    const LocalNode* const here = process.find(node.node);
    all = common(all, here != nullptr
                          ? here->atomics
                          : NativeAtomics{node.atomics,
                                          fmt::format("the RNIC of node {} lacks some; latchlab "
                                                      "doctor says more there",
                                                      node.node.value)});
  }
  return process.directory.dc ? all.by_dc() : all;
}

bool is_one_machine(const Directory& directory) {
  return std::all_of(
      directory.nodes.begin(), directory.nodes.end(),
      [&](const NodeDescriptor& node) { return node.machine == directory.nodes.front().machine; });
}

// The device whose cores a process prefers. Listing devices is expensive.
std::string device_to_be_near(const IbverbsOptions& options) {
  if (!options.device.empty()) return options.device;
  std::string device;
  if (options.connection_cache)
    device = options.connection_cache->device_name(options.hosted.front());
  if (device.empty())
    if (const auto all = list_devices(); all)
      if (const DeviceFacts* const chosen = choose_device(all.value(), ""); chosen != nullptr)
        device = chosen->name;
  return device;
}

Status take_cores(Process& process) {
  const IbverbsOptions& options = process.options;
  if (!options.pin) return fine();
  CoreAssignment::TellAll tell_all;
  if (options.exchange)
    tell_all = [&process](const std::string& text) { return process.tell_all(text); };
  const std::size_t proxies = options.software_atomics ? options.hosted.size() : 0;
  if (Status taken = process.cores.take(device_to_be_near(options), process.workers.size(), proxies,
                                        options.hosted.front().value - 1U, tell_all);
      !taken)
    return taken;
  if (process.cores.has_any())
    for (const auto& worker : process.workers) worker->set_has_own_core(true);
  return fine();
}

}  // namespace

Status Hardware::set_up() {
  if (Status taken = take_cores(process_); !taken) return taken;
  if (process_.options.by_event)
    for (const auto& worker : process_.workers)
      if (Status sleeps = worker->set_sleeps(); !sleeps) return sleeps;
  for (const NodeId id : process_.options.hosted)
    if (Status made = make_node(process_, id); !made) return made;
  if (Status connected = rendezvous_.connect(); !connected) return connected;
  const NativeAtomics native = atomics_of_all(process_);
  process_.directory.atomics = native.kinds;
  capabilities_ = ibverbs_capabilities(native, process_.options.software_atomics,
                                       is_one_machine(process_.directory), process_.directory.dc);
  is_up_ = true;
  return fine();
}

// ---- actors ----

Verbs& Hardware::add_actor(ActorKind kind, NodeId node, ClientId client) {
  LocalNode* const here = process_.find(node);
  LATCHLAB_CHECK(here != nullptr, "an actor of a node that lives elsewhere");
  const bool is_client = kind == ActorKind::client;
  const ActorKey key =
      is_client ? client_key(client) : background_key(node, kind == ActorKind::server);
  ActorHost& host = *here->hosts[is_client ? worker_of(client) : 0];
  IbActor& actor =
      host.add_actor(key, kind, client,
                     is_client ? Rng(process_.plan.seed, client.value, StreamPurpose::protocol)
                               : Rng(process_.plan.seed, key, StreamPurpose::protocol));
  if (is_client) process_.clients[client] = &actor;
  if (kind == ActorKind::server && process_.options.server_workers > 1) {
    actor.turn = &here->calls.turn;
    for (std::uint32_t i = 1; i < process_.options.server_workers; ++i)
      here->hosts[i]->add_server(background_key(node, true, i), actor);
  }
  return actor;
}

void Hardware::spawn(Verbs& actor, Task<void> root, Time start) {
  auto& mine = static_cast<IbActor&>(actor);
  mine.root = std::move(root);
  mine.started = false;
  Worker& worker = mine.host().worker();
  if (mine.kind() == ActorKind::client) worker.client_began();
  worker.at(start, [&worker, &mine] { worker.begin(mine); });
}

void Hardware::serve_calls(Verbs& server, CallHandler& handler) {
  for (const auto& host : process_.find(server.node())->hosts)
    if (IbActor* const part = host->messages().server()) part->handler = &handler;
}

// ---- running ----

void Hardware::at(Time date, std::function<void()> action) {
  at_worker(0, date, std::move(action));
}

void Hardware::at_worker(std::uint32_t worker, Time date, std::function<void()> action) {
  if (process_.options.server_workers == 1)
    return process_.workers[worker]->at(date, std::move(action));
  // Meanwhile no thread runs code of a server part.
  process_.workers[worker]->at(date, [this, action = std::move(action)] {
    std::vector<std::unique_lock<std::mutex>> turns;
    for (const auto& [id, node] : process_.nodes) turns.emplace_back(node->calls.turn);
    action();
  });
}

void Hardware::run_chores() {
  if (process_.options.look_around) process_.options.look_around();
  process_.workers[0]->at(true_now() + kChores, [this] { run_chores(); });
}

RunEnd Hardware::run_until(Time date) {
  if (process_.options.look_around && !std::exchange(has_chores_, true)) run_chores();
  const bool alone =
      process_.nodes.size() == process_.plan.nodes.size() && process_.workers.size() == 1;
  if (process_.workers.size() == 1) {
    const RunEnd end = process_.workers[0]->run_until(date, process_.stop, alone);
    process_.stop.store(false, std::memory_order_relaxed);
    return end;
  }
  std::vector<RunEnd> ends(process_.workers.size());
  const auto run = [&](std::size_t i) {
    const OnCores own(i > 0 ? process_.cores.of_worker(i) : std::vector<int>());
    ends[i] = process_.workers[i]->run_until(date, process_.stop, false);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < process_.workers.size(); ++i) threads.emplace_back(run, i);
  run(0);
  for (std::thread& thread : threads) thread.join();
  process_.stop.store(false, std::memory_order_relaxed);
  if (std::count(ends.begin(), ends.end(), RunEnd::stopped) > 0) return RunEnd::stopped;
  return std::count(ends.begin(), ends.end(), RunEnd::reached) > 0 ? RunEnd::reached
                                                                   : RunEnd::finished;
}

// ---- crashes ----

void Hardware::crash(ClientId who, CrashKind kind) {
  const auto found = process_.clients.find(who);
  LATCHLAB_CHECK(found != process_.clients.end(), "crash of a client that does not exist");
  IbActor& victim = *found->second;
  // A process that hosts one node dies like any process.
  if (process_.options.exchange && kind == CrashKind::process) ::kill(::getpid(), SIGKILL);
  if (kind == CrashKind::node) return crash_node(victim.node());
  ActorHost& host = victim.host();
  if (process_.workers.size() == 1 && host.worker().running() != &victim)
    host.kill(victim, kind);
  else
    host.worker().inbox([&host, &victim, kind] { host.kill(victim, kind); });
  const Time heard = true_now() + process_.options.detection_delay;
  process_.workers[0]->inbox([this, who, heard] {
    process_.workers[0]->at(heard, [this, who] {
      tell_membership({who});
      if (process_.options.exchange) process_.workers[0]->hosts().front()->tell_others(who);
    });
  });
}

void Hardware::crash_node(NodeId id) {
  LocalNode* const node = process_.find(id);
  LATCHLAB_CHECK(node != nullptr && process_.workers.size() == 1,
                 "a node crashes in the process and on the thread that has it");
  node->dead = true;
  node->memory_server->die();
  for (const auto& host : node->hosts) {
    host->kill_all();
    host->frames().fail();
  }
  std::vector<ClientId> gone;
  for (const auto& [who, actor] : process_.clients)
    if (actor->node() == id) gone.push_back(who);
  process_.workers[0]->at(true_now() + process_.options.detection_delay,
                          [this, id, gone] { node_lost(id, gone); });
}

void Hardware::tell_membership(const std::vector<ClientId>& gone) {
  for (const auto& worker : process_.workers) {
    for (ActorHost* host : worker->hosts()) {
      if (worker->index() == 0)
        host->local().clients_gone(gone);
      else
        worker->inbox([host, gone] { host->local().clients_gone(gone); });
    }
  }
}

void Hardware::node_lost(NodeId lost, const std::vector<ClientId>& clients) {
  for (const auto& worker : process_.workers)
    for (ActorHost* host : worker->hosts())
      worker->inbox([host, lost] { host->node_is_gone(lost); });
  tell_membership(clients);
}

// ---- inspecting ----

void Hardware::reset_stats() {
  process_.workers[0]->restart_poll_times();
  for (std::size_t i = 1; i < process_.workers.size(); ++i)
    process_.workers[i]->inbox(
        [worker = process_.workers[i].get()] { worker->restart_poll_times(); });
}

std::vector<WorkerReport> Hardware::worker_reports() const {
  std::vector<WorkerReport> all;
  for (const auto& worker : process_.workers) {
    const PollTimeStats& times = worker->poll_times();
    all.push_back(
        {times.watched(), times.busy(), times.asleep(), times.longest(), worker->began()});
  }
  return all;
}

Memory& Hardware::memory_of(NodeId id) {
  LocalNode* const node = process_.find(id);
  LATCHLAB_CHECK(node != nullptr, "memory of a node that lives elsewhere");
  return *node->memory;
}

SetUpCost Hardware::set_up_cost(NodeId node) const {
  const LocalNode& here = *process_.nodes.at(node);
  return {here.device->qps(), here.device->qps_made(), here.device->doorbells(),
          here.descriptor_bytes};
}

RunFingerprint& Hardware::fingerprint() {
  static thread_local RunFingerprint unread;
  return unread;
}

std::uint64_t Hardware::events() const {
  std::uint64_t total = 0;
  for (const auto& worker : process_.workers) total += worker->events;
  return total;
}

VerbCensus Hardware::census() const {
  VerbCensus total;
  for (const auto& worker : process_.workers) {
    total.posted += worker->census.posted;
    total.executed += worker->census.executed;
    total.failed += worker->census.failed;
    total.in_flight += worker->census.in_flight;
  }
  return total;
}

Unreceived Hardware::unreceived() const {
  Unreceived found;
  for (const auto& worker : process_.workers)
    for (ActorHost* const host : worker->hosts()) host->messages().count_unreceived(found);
  return found;
}

}  // namespace latchlab::ib

namespace latchlab {

Result<std::unique_ptr<IbverbsBackend>> make_ibverbs(const WorldPlan& plan,
                                                     const IbverbsOptions& options) {
  auto made = std::make_unique<ib::Hardware>(plan, options);
  if (Status ready = made->set_up(); !ready) return ready.error();
  return std::unique_ptr<IbverbsBackend>(std::move(made));
}

}  // namespace latchlab
