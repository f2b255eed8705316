#pragma once
// A small world for ShiftLock's tests: one server, a few scripted clients, and a check of every
// grant.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/checks/safety_monitor.h"
#include "core/protocols/shiftlock/entry.h"
#include "core/protocols/shiftlock/messages.h"
#include "core/protocols/shiftlock/shiftlock.h"
#include "core/workload/client_loop.h"
#include "core/world/world.h"
#include "tests/protocols/worlds.h"

namespace latchlab::shiftlock_tests {

using ::latchlab::testing::seeds;

using Script = std::vector<Section>;

inline Section writes(Duration hold = nanoseconds(1)) {
  Section section;
  section.wants.resize(1);
  section.work.hold = hold;
  return section;
}
inline Section reads(Duration hold = nanoseconds(1)) {
  Section section = writes(hold);
  section.wants[0].mode = LockMode::shared;
  return section;
}
inline Script times(int count, const Section& section) {
  return Script(static_cast<std::size_t>(count), section);
}

// Leases far longer than any run that makes progress: they expire only when a client has crashed.
inline ParamSet params_of(const std::string& profile) {
  ParamSet params = shiftlock_entry().info.resolve(profile);
  params.set("lease", seconds(1));
  return params;
}
inline ParamSet without_recovery(const std::string& profile, std::int64_t n) {
  ParamSet params = params_of(profile);
  params.set("recovery", false);
  params.set("max_consecutive_writers", n);
  return params;
}

class Bench final : public OperationSource, public LoopObserver, SafetyMonitor::Clocks {
 public:
  using Body = std::function<Task<void>(Bench&, ClientId)>;
  using Factory = std::function<std::unique_ptr<Backend>(const WorldPlan&)>;  // empty: worlds.h

  Bench(const ParamSet& params, std::vector<Script> scripts, std::uint64_t seed,
        std::uint64_t locks = 1, const Factory& make = {})
      : protocol_(shiftlock_entry().make(params)),
        scripts_(std::move(scripts)),
        world_(*protocol_, shape(scripts_.size(), seed, locks)),
        monitor_(world_.world_shape().clients(), *this),
        next_(scripts_.size()) {
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = 200'000;
    backend_ = make ? make(world_.plan()) : testing::make_world(world_.plan(), *protocol_, options);
    world_.attach(*backend_);
    format_.rdrcnt_bits = static_cast<int>(params.integer("rdrcnt_bits"));
    format_.relcnt_bits = static_cast<int>(params.integer("relcnt_bits"));
    format_.recovery_bits = static_cast<int>(params.integer("recovery_bits"));
  }

  RunEnd run() {
    for (std::uint32_t i = 0; i < scripts_.size(); ++i) {
      const ClientId client{i};
      Task<void> root =
          body && scripts_[i].empty()
              ? body(*this, client)
              : client_loop(world_.verbs(client), world_.client(client), *this, *this);
      backend_->spawn(world_.verbs(client), std::move(root), Time{});
    }
    return backend_->run_until(testing::end_of_run(kNever));
  }
  void crash(ClientId client) {
    monitor_.crashed(client);
    backend_->crash(client, CrashKind::client);
  }
  void crash_after(ClientId client, std::int64_t steps) {
    backend_->at(Time{} + nanoseconds(steps), [this, client] { crash(client); });
  }

  World& world() { return world_; }
  Backend& backend() { return *backend_; }
  SafetyMonitor& monitor() { return monitor_; }
  const SafetyCounts& safety() const { return monitor_.counts(); }
  Verbs& verbs(std::uint32_t client) { return world_.verbs(ClientId{client}); }
  LockRef lock(std::uint64_t id = 0) { return world_.lock(LockId{id}); }
  shiftlock::EntryFormat format() const { return format_; }
  shiftlock::Entry entry(std::uint64_t id = 0) {
    const RemoteAddr at = lock(id).entry;
    return format_.unpack({backend_->peek(at), backend_->peek(at + 8)});
  }
  std::uint64_t recoveries() const {
    std::uint64_t all = 0;
    for (std::uint32_t i = 0; i < scripts_.size(); ++i)
      all += world_.client(ClientId{i}).recoveries();
    return all;
  }
  std::uint64_t finished_cycles() const { return cycles_; }
  std::uint64_t longest_chain() const { return longest_chain_; }

  Body body;  // of clients with an empty script
  std::function<void(ClientId, const Grant&)> on_grant;

  // ---- reported by bodies and by the client loop ----
  void acquired(ClientId client, const Grant& grant) override {
    monitor_.granted(client, grant);
    count_chain(grant);
    if (on_grant) on_grant(client, grant);
  }
  void acquire_begins(ClientId client, const Want& want) override {
    monitor_.requested(client, want);
  }
  void acquire_aborted(ClientId client, const Want&, AbortReason) override {
    monitor_.withdrawn(client);
  }
  void release_begins(ClientId client, const Grant& grant) override {
    monitor_.releasing(client, grant);
  }
  void released(ClientId client, const Grant& grant, ReleaseResult result) override {
    monitor_.released(client, grant, result);
    ++cycles_;
  }
  void release_skipped(ClientId client, const Grant& grant) override {
    monitor_.forgotten(client, grant);
  }
  bool next(ClientId client, Section& section) override {
    const Script& script = scripts_[client.value];
    if (next_[client.value] == script.size()) return false;
    section = script[next_[client.value]++];
    for (Want& want : section.wants) want.lock = world_.lock(want.lock.id);
    return true;
  }

 private:
  static WorldShape shape(std::size_t clients, std::uint64_t seed, std::uint64_t locks) {
    WorldShape shape;
    shape.client_nodes = static_cast<std::uint32_t>(clients);
    shape.locks.count = locks;
    shape.seed = seed;
    return shape;
  }
  Time local_now(ClientId client) const override {
    return backend_->local_now(world_.node_of(client));
  }
  // Consecutive writers that acquired the lock although a reader had been counted before.
  void count_chain(const Grant& grant) {
    const bool passes_readers = grant.mode == LockMode::exclusive && entry().readers > 0;
    chain_ = passes_readers ? chain_ + 1 : 0;
    longest_chain_ = std::max(longest_chain_, chain_);
  }

  std::unique_ptr<Protocol> protocol_;
  std::vector<Script> scripts_;
  World world_;
  SafetyMonitor monitor_;
  std::vector<std::size_t> next_;
  std::unique_ptr<Backend> backend_;
  shiftlock::EntryFormat format_;
  std::uint64_t cycles_ = 0;
  std::uint64_t chain_ = 0;
  std::uint64_t longest_chain_ = 0;
};

// The explorer may wake a sleep early: this one sleeps until its time.
inline Task<void> sleep_until(Verbs& verbs, Time date) {
  while (verbs.now() < date) co_await verbs.sleep(date - verbs.now());
}

// Takes the lock, holds it until `date`, also after its lease has expired, and releases it.
inline Task<void> hold_until(Bench& bench, ClientId client, LockMode mode, Time date) {
  Verbs& verbs = bench.world().verbs(client);
  LockClient& locks = bench.world().client(client);
  const Want want{bench.lock(), mode};
  bench.monitor().requested(client, want);
  const AcquireResult got = co_await locks.acquire(want, {});
  const Grant grant = *std::get_if<Grant>(&got);
  bench.acquired(client, grant);
  co_await verbs.sleep(nanoseconds(1));
  co_await sleep_until(verbs, date);
  bench.release_begins(client, grant);
  const ReleaseResult result = co_await locks.release(grant);
  bench.released(client, grant, result);
}
inline constexpr Time kLeasesLater{20'000'000'000'000};  // 20 leases of params_of

// The first of the seeds 1..`budget` that shows `finding`; 0: none.
inline std::uint64_t first_seed(std::uint64_t budget,
                                const std::function<bool(std::uint64_t)>& finding) {
  for (std::uint64_t seed = 1; seed <= budget; ++seed)
    if (finding(seed)) return seed;
  return 0;
}

}  // namespace latchlab::shiftlock_tests
