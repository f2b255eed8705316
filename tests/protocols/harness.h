#pragma once
// Runs a protocol with the client loop and the safety monitor, and returns the outcome: in the
// explorer, where one run is one seeded order and `first_seed` looks for one with a violation, in
// the backend that RunSetup::make names, or on hardware (worlds.h).
//
// The explorer has no timing: a lease expires there only when no other event can happen. So
// protocols that need `timing` only for their leases run in it, and their recoveries are explored.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/checks/guard_words.h"
#include "core/checks/safety_monitor.h"
#include "core/protocols/registry.h"
#include "core/workload/client_loop.h"
#include "core/world/world.h"
#include "tests/protocols/worlds.h"

namespace latchlab::testing {

inline ParamValue text(const char* value) {
  return std::string(value);
}
inline ParamValue number(std::int64_t value) {
  return value;
}

struct RunSetup {
  std::string protocol;
  const ProtocolEntry* entry = nullptr;  // of a protocol that is not registered
  std::string profile;                   // empty: the default
  ParamValues params;  // over the small model's, or over the profile's when one is named
  std::uint32_t client_nodes = 2;
  std::uint32_t clients_per_node = 2;
  std::uint32_t servers = 1;
  bool colocated = false;  // client node i is server i
  std::uint64_t locks = 1;
  std::uint64_t operations = 3;  // of each client
  std::uint32_t shared_percent = 0;
  Duration hold = nanoseconds(20);
  GuardMode guard = GuardMode::off;
  std::uint32_t guard_slots = 0;   // for units of objects
  std::uint64_t object_bytes = 0;  // of what each lock guards; 0: nothing
  // Replaces the operations on one lock each: the n-th section of a client; false: no more
  // sections.
  std::function<bool(ClientId, std::uint64_t, const World&, Section&)> section;
  std::function<std::unique_ptr<LockClient>(LockClient&)> wrap;  // wraps the clients' parts
  bool impatient = false;           // acquisitions have a deadline that has already passed
  std::vector<std::uint32_t> dies;  // clients that crash when they hold a lock for the first time
  std::uint64_t max_steps = 20'000;
  // Empty: the explorer, or hardware.
  std::function<std::unique_ptr<Backend>(const WorldPlan&)> make;
  // Called for acquisitions, upgrades and releases before the monitor is.
  LoopObserver* also = nullptr;
};

// The content of a client's buffer, from which WRITEs of objects come.
inline std::uint64_t buffer_word(ClientId client, std::uint64_t index) {
  return 1000 * (client.value + 1ULL) + index;
}

struct Outcome {
  RunEnd end = RunEnd::stuck;
  SafetyCounts safety;
  std::string violation;
  std::uint64_t acquired = 0;
  std::uint64_t upgraded = 0, extended = 0;
  std::uint64_t aborted = 0, suppressed = 0, cut = 0;  // cut: sections, by the end of a grant
  std::uint64_t recoveries = 0;
  Unreceived unreceived;          // at the end
  std::uint64_t most_inside = 0;  // holders of one lock at once
  std::uint64_t looked_free = 0;  // grants that show, during which the lock's entry looked free
  VerbTally tally;                // of all clients
  std::string entry;              // lock 0 at the end, decoded
  bool free = false;              // and whether its protocol says that it is free
  GuardFindings guard;
  std::vector<LeftInside> left;  // in the guard's journal, at the end
  std::uint64_t guard_word = 0;  // of lock 0, at the end
  std::vector<std::uint64_t> words;
  std::vector<std::string> log;                     // the events, if sections are given
  std::vector<Time> when;                           // the true time of each event
  std::vector<std::vector<std::uint64_t>> objects;  // of each lock, at the end

  bool safe() const { return safety.violations == 0 && safety.late_effects == 0; }
};

inline ParamSet params_of(const RunSetup& setup, const ProtocolEntry& entry) {
  ParamSet params =
      setup.profile.empty() ? entry.small_params() : entry.info.resolve(setup.profile);
  if (on_hardware() && !setup.make) {
    for (const char* const lease : {"lease", "ttl"})
      if (params.values().count(lease) > 0) params.set(lease, hardware_patience());
    if (params.values().count("delta") > 0) params.set("delta", hardware_patience() / 100);
  }
  for (const auto& [name, value] : setup.params) params.set(name, value);
  return params;
}

inline std::vector<std::uint64_t> words_at(Backend& backend, RemoteAddr start,
                                           std::uint64_t bytes) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t w = 0; w < bytes / 8; ++w) words.push_back(backend.peek(start + 8 * w));
  return words;
}

class CaseRun final : public OperationSource, public LoopObserver, public SafetyMonitor::Clocks {
 public:
  CaseRun(const RunSetup& setup, std::uint64_t seed) : setup_(setup), seed_(seed) {
    const ProtocolEntry* entry = setup.entry ? setup.entry : find_protocol(setup.protocol);
    LATCHLAB_CHECK(entry != nullptr, "no such protocol");
    protocol_ = entry->make(params_of(setup, *entry));
    WorldShape shape;
    shape.client_nodes = setup.client_nodes;
    shape.clients_per_node = setup.clients_per_node;
    shape.servers = setup.servers;
    shape.colocated = setup.colocated;
    shape.locks.count = setup.locks;
    shape.seed = seed;
    shape.object_bytes = setup.object_bytes;
    shape.guard = setup.guard != GuardMode::off;
    shape.guard_slots = setup.guard_slots;
    world_ = std::make_unique<World>(*protocol_, shape);
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = setup.max_steps;
    backend_ =
        setup.make ? setup.make(world_->plan()) : make_world(world_->plan(), *protocol_, options);
    world_->attach(*backend_);
    done_.resize(shape.clients());
    for (std::uint32_t i = 0; i < shape.clients(); ++i)
      for (std::uint64_t w = 0; w < shape.object_bytes / 8; ++w)
        backend_->poke(world_->buffer_of(ClientId{i}) + 8 * w, buffer_word(ClientId{i}, w));
    monitor_ = std::make_unique<SafetyMonitor>(shape.clients(), *this);
    journal_ = std::vector<GuardRecord>(shape.clients());
    if (shape.guard)
      guard_ = std::make_unique<Guard>(
          GuardedLocks(setup.guard, seed), [this](LockId lock) { return world_->guard_of(lock); },
          journal_, setup.guard_slots);
  }

  const World& world() const { return *world_; }
  Backend& backend() { return *backend_; }
  bool looks_free(LockId lock) const {
    return protocol_->is_free(world_->lock(lock).entry, world_->entry(lock, *backend_));
  }
  // At this time, whatever the clients are doing then.
  void crash_at(Time date, std::vector<ClientId> clients, CrashKind kind) {
    backend_->at(date, [this, clients = std::move(clients), kind] {
      for (const ClientId each : clients) monitor_->crashed(each);
      backend_->crash(clients.front(), kind);
    });
  }

  Outcome go() {
    for (std::uint32_t i = 0; i < done_.size(); ++i) {
      const ClientId id{i};
      if (setup_.wrap) wrapped_.push_back(setup_.wrap(world_->client(id)));
      LockClient& part = setup_.wrap ? *wrapped_.back() : world_->client(id);
      Task<void> loop = client_loop(world_->verbs(id), part, *this, *this, guard_.get());
      backend_->spawn(world_->verbs(id), std::move(loop), Time{});
    }
    outcome_.end = backend_->run_until(end_of_run(Time{} + seconds(10)));
    outcome_.safety = monitor_->counts();
    outcome_.violation = monitor_->describe_violation();
    for (std::uint32_t i = 0; i < done_.size(); ++i) {
      outcome_.recoveries += world_->client(ClientId{i}).recoveries();
      outcome_.tally += world_->verbs(ClientId{i}).tally();
    }
    outcome_.words = world_->entry(LockId{0}, *backend_);
    outcome_.entry = protocol_->decode(outcome_.words);
    outcome_.free = looks_free(LockId{0});
    outcome_.unreceived = backend_->unreceived();
    for (std::uint64_t i = 0; setup_.object_bytes > 0 && i < setup_.locks; ++i)
      outcome_.objects.push_back(
          words_at(*backend_, world_->object_of(LockId{i}), setup_.object_bytes));
    if (guard_) {
      outcome_.guard = guard_->findings();
      outcome_.left = what_is_left(journal_);
      outcome_.guard_word = backend_->peek(world_->guard_of(LockId{0}));
    }
    return outcome_;
  }

 private:
  bool next(ClientId client, Section& section) override {
    const std::uint64_t count = done_[client.value]++;
    if (setup_.section) return setup_.section(client, count, *world_, section);
    if (count >= setup_.operations) return false;
    const std::uint64_t dice = hash_of(seed_, client.value, count);
    section.wants.resize(1);
    section.wants[0].lock = world_->lock(LockId{mix64(dice) % setup_.locks});
    section.wants[0].mode =
        dice % 100 < setup_.shared_percent ? LockMode::shared : LockMode::exclusive;
    section.work.hold = setup_.hold;
    if (setup_.impatient) section.options.deadline = world_->verbs(client).now();
    return true;
  }
  RemoteAddr object_of(LockId lock) const override { return world_->object_of(lock); }
  RemoteAddr buffer_of(ClientId client) const override { return world_->buffer_of(client); }
  void note(ClientId client, const char* what, LockId lock) {
    if (!setup_.section) return;
    outcome_.log.push_back(std::to_string(client.value) + " " + what + " " +
                           std::to_string(lock.value));
    outcome_.when.push_back(backend_->true_now());
  }
  void arrived(ClientId client, Duration) override { note(client, "begins section", {}); }
  void acquire_begins(ClientId client, const Want& want) override {
    note(client, "asks for", want.lock.id);
    if (setup_.also != nullptr) setup_.also->acquire_begins(client, want);
    monitor_->requested(client, want);
  }
  void acquire_aborted(ClientId client, const Want& want, AbortReason reason) override {
    note(client, "is refused", want.lock.id);
    if (setup_.also != nullptr) setup_.also->acquire_aborted(client, want, reason);
    monitor_->withdrawn(client);
    ++outcome_.aborted;
  }
  void acquired(ClientId client, const Grant& grant) override {
    note(client, "takes", grant.lock.id);
    if (setup_.also != nullptr) setup_.also->acquired(client, grant);
    monitor_->granted(client, grant);
    ++outcome_.acquired;
    const bool unseen = grant.mode == LockMode::shared && protocol_->limits().released_by_time;
    if (!unseen && looks_free(grant.lock.id)) ++outcome_.looked_free;
    outcome_.most_inside = std::max(outcome_.most_inside, monitor_->holders(grant.lock.id));
    const auto doomed = std::find(setup_.dies.begin(), setup_.dies.end(), client.value);
    if (doomed == setup_.dies.end()) return;
    // Its own coroutine is running: the crash takes effect right afterwards.
    crash_at(backend_->true_now(), {client}, CrashKind::client);
  }
  void upgraded(ClientId client, const Grant& grant) override {
    note(client, "upgrades", grant.lock.id);
    if (setup_.also != nullptr) setup_.also->upgraded(client, grant);
    monitor_->upgraded(client, grant);
    ++outcome_.upgraded;
  }
  void upgrade_aborted(ClientId client, const Grant& grant, AbortReason reason) override {
    note(client, "cannot upgrade", grant.lock.id);
    if (setup_.also != nullptr) setup_.also->upgrade_aborted(client, grant, reason);
    ++outcome_.aborted;
  }
  void extended(ClientId client, const Grant& grant) override {
    note(client, "extends", grant.lock.id);
    monitor_->extended(client, grant);
    ++outcome_.extended;
  }
  void section_cut(ClientId /*client*/) override { ++outcome_.cut; }
  void release_begins(ClientId client, const Grant& grant) override {
    note(client, "leaves", grant.lock.id);
    monitor_->releasing(client, grant);
  }
  void released(ClientId client, const Grant& grant, ReleaseResult result) override {
    if (setup_.also != nullptr) setup_.also->released(client, grant, result);
    monitor_->released(client, grant, result);
    if (result == ReleaseResult::suppressed) ++outcome_.suppressed;
  }
  Time local_now(ClientId client) const override {
    return backend_->local_now(world_->node_of(client));
  }

  RunSetup setup_;
  std::uint64_t seed_;
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::vector<std::unique_ptr<LockClient>> wrapped_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<SafetyMonitor> monitor_;
  std::vector<GuardRecord> journal_;
  std::unique_ptr<Guard> guard_;
  std::vector<std::uint64_t> done_;
  Outcome outcome_;
};

inline Outcome run(const RunSetup& setup, std::uint64_t seed) {
  return CaseRun(setup, seed).go();
}

// Runs seeds 1.. until `wrong` returns true; returns that seed, or 0 if none of `runs` did.
inline std::uint64_t first_seed(const RunSetup& setup, std::uint64_t runs,
                                const std::function<bool(const Outcome&)>& wrong) {
  for (std::uint64_t seed = 1; seed <= runs; ++seed)
    if (wrong(run(setup, seed))) return seed;
  return 0;
}

// Safe, and all clients finish, in every order.
inline void expect_sound(const RunSetup& setup, std::uint64_t runs) {
  for (std::uint64_t seed = 1; seed <= seeds(runs); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_EQ(outcome.safety.violations, 0U) << "seed " << seed << ": " << outcome.violation;
    ASSERT_EQ(outcome.safety.late_effects, 0U) << "seed " << seed;
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed << ": entry " << outcome.entry;
    ASSERT_EQ(outcome.unreceived.full, 0U) << "seed " << seed;
  }
}

}  // namespace latchlab::testing
