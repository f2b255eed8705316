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

}  // namespace

Hardware::Hardware(const WorldPlan& plan, const IbverbsOptions& options)
    : plan_(plan), options_(options) {
  LATCHLAB_CHECK(options.workers >= 1 && options.workers < 255, "1 to 254 threads of clients");
  LATCHLAB_CHECK(options.server_workers >= 1 && options.server_workers < 255,
                 "1 to 254 threads of a server part");
  if (options_.hosted.empty())
    for (const NodePlan& node : plan_.nodes) options_.hosted.push_back(node.id);
  directory_.nodes.resize(plan_.nodes.size());
  directory_.software_atomics = options.software_atomics;
  directory_.dc = options.dc && !options.software_atomics;
  directory_.most_dcis = options.dcis;
  directory_.server_threads = options.server_workers;
  directory_.synchronisation_error = options.synchronisation_error;
  std::uint32_t threads = 1;
  for (const NodeId node : options_.hosted) threads = std::max(threads, threads_of(node));
  for (std::uint32_t i = 0; i < threads; ++i)
    workers_.push_back(std::make_unique<Worker>(i, monotonic_ns(), live_clients_));
  if (options.exchange)
    for (const auto& worker : workers_) worker->set_serves_others();
}

LocalNode* Hardware::find(NodeId node) {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nullptr : found->second.get();
}

// ---- actors ----

Verbs& Hardware::add_actor(ActorKind kind, NodeId node, ClientId client) {
  LocalNode* const here = find(node);
  LATCHLAB_CHECK(here != nullptr, "an actor of a node that lives elsewhere");
  const bool is_client = kind == ActorKind::client;
  const ActorKey key =
      is_client ? client_key(client) : background_key(node, kind == ActorKind::server);
  ActorHost& host = *here->hosts[is_client ? worker_of(client) : 0];
  IbActor& actor = host.add_actor(key, kind, client,
                                  is_client ? Rng(plan_.seed, client.value, StreamPurpose::protocol)
                                            : Rng(plan_.seed, key, StreamPurpose::protocol));
  if (is_client) clients_[client] = &actor;
  if (kind == ActorKind::server && options_.server_workers > 1) {
    actor.turn = &here->calls.turn;
    for (std::uint32_t i = 1; i < options_.server_workers; ++i)
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
  for (const auto& host : find(server.node())->hosts)
    if (host->has_server()) host->serve_calls(handler);
}

// ---- running ----

void Hardware::at(Time date, std::function<void()> action) {
  at_worker(0, date, std::move(action));
}

void Hardware::at_worker(std::uint32_t worker, Time date, std::function<void()> action) {
  if (options_.server_workers == 1) return workers_[worker]->at(date, std::move(action));
  // Meanwhile no thread runs code of a server part.
  workers_[worker]->at(date, [this, action = std::move(action)] {
    std::vector<std::unique_lock<std::mutex>> turns;
    for (const auto& [id, node] : nodes_) turns.emplace_back(node->calls.turn);
    action();
  });
}

void Hardware::run_chores() {
  if (options_.look_around) options_.look_around();
  workers_[0]->at(true_now() + kChores, [this] { run_chores(); });
}

RunEnd Hardware::run_until(Time date) {
  if (options_.look_around && !std::exchange(chores_, true)) run_chores();
  const bool alone = nodes_.size() == plan_.nodes.size() && workers_.size() == 1;
  if (workers_.size() == 1) {
    const RunEnd end = workers_[0]->run_until(date, stop_, alone);
    stop_.store(false, std::memory_order_relaxed);
    return end;
  }
  std::vector<RunEnd> ends(workers_.size());
  const auto run = [&](std::size_t i) {
    const OnCores own(i > 0 ? core_of_worker(i) : std::vector<int>());
    ends[i] = workers_[i]->run_until(date, stop_, false);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers_.size(); ++i) threads.emplace_back(run, i);
  run(0);
  for (std::thread& thread : threads) thread.join();
  stop_.store(false, std::memory_order_relaxed);
  if (std::count(ends.begin(), ends.end(), RunEnd::stopped) > 0) return RunEnd::stopped;
  return std::count(ends.begin(), ends.end(), RunEnd::reached) > 0 ? RunEnd::reached
                                                                   : RunEnd::finished;
}

// ---- crashes ----

IbActor& Hardware::client(ClientId client) const {
  const auto found = clients_.find(client);
  LATCHLAB_CHECK(found != clients_.end(), "crash of a client that does not exist");
  return *found->second;
}

void Hardware::crash(ClientId who, CrashKind kind) {
  IbActor& victim = client(who);
  // A process that hosts one node dies like any process.
  if (options_.exchange && kind == CrashKind::process) ::kill(::getpid(), SIGKILL);
  if (kind == CrashKind::node) return crash_node(victim.node());
  ActorHost& host = victim.host();
  if (workers_.size() == 1 && host.worker().running() != &victim)
    host.kill(victim, kind);
  else
    host.worker().inbox([&host, &victim, kind] { host.kill(victim, kind); });
  const Time heard = true_now() + options_.detection_delay;
  workers_[0]->inbox([this, who, heard] {
    workers_[0]->at(heard, [this, who] {
      tell_membership({who});
      if (options_.exchange) workers_[0]->hosts().front()->tell_others(who);
    });
  });
}

void Hardware::crash_node(NodeId id) {
  LocalNode* const node = find(id);
  LATCHLAB_CHECK(node != nullptr && workers_.size() == 1,
                 "a node crashes in the process and on the thread that has it");
  node->dead = true;
  node->memory_server->die();
  for (const auto& host : node->hosts) {
    host->kill_all();
    host->frames().fail();
  }
  std::vector<ClientId> gone;
  for (const auto& [who, actor] : clients_)
    if (actor->node() == id) gone.push_back(who);
  workers_[0]->at(true_now() + options_.detection_delay, [this, id, gone] { node_lost(id, gone); });
}

void Hardware::tell_membership(const std::vector<ClientId>& gone) {
  for (const auto& worker : workers_) {
    for (ActorHost* host : worker->hosts()) {
      if (worker->index() == 0)
        host->membership_changed(gone);
      else
        worker->inbox([host, gone] { host->membership_changed(gone); });
    }
  }
}

void Hardware::node_lost(NodeId lost, const std::vector<ClientId>& clients) {
  for (const auto& worker : workers_)
    for (ActorHost* host : worker->hosts())
      worker->inbox([host, lost] { host->node_is_gone(lost); });
  tell_membership(clients);
}

// ---- inspecting ----

void Hardware::reset_stats() {
  workers_[0]->restart_poll_times();
  for (std::size_t i = 1; i < workers_.size(); ++i)
    workers_[i]->inbox([worker = workers_[i].get()] { worker->restart_poll_times(); });
}

std::vector<WorkerReport> Hardware::worker_reports() const {
  std::vector<WorkerReport> all;
  for (const auto& worker : workers_) {
    const PollTimeStats& times = worker->poll_times();
    all.push_back({times.watched(), times.busy(), times.longest(), worker->began()});
  }
  return all;
}

std::uint64_t Hardware::peek(RemoteAddr word) {
  LocalNode* const node = find(word.node);
  LATCHLAB_CHECK(node != nullptr, "memory of a node that lives elsewhere");
  return node->memory->peek(word.offset);
}

void Hardware::poke(RemoteAddr word, std::uint64_t value) {
  LocalNode* const node = find(word.node);
  LATCHLAB_CHECK(node != nullptr, "memory of a node that lives elsewhere");
  node->memory->poke(word.offset, value);
}

RunFingerprint& Hardware::fingerprint() {
  static thread_local RunFingerprint unread;
  return unread;
}

std::uint64_t Hardware::events() const {
  std::uint64_t total = 0;
  for (const auto& worker : workers_) total += worker->events;
  return total;
}

VerbCensus Hardware::census() const {
  VerbCensus total;
  for (const auto& worker : workers_) {
    total.posted += worker->census.posted;
    total.executed += worker->census.executed;
    total.failed += worker->census.failed;
    total.in_flight += worker->census.in_flight;
  }
  return total;
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
