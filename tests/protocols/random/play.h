#pragma once
// Plays a drawn scenario in the simulator and reports which promise of the lock it breaks, if any.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fingerprint.h"
#include "core/workload/keys.h"
#include "tests/conformance/simulation.h"
#include "tests/protocols/harness.h"
#include "tests/protocols/random/draw.h"
#include "tests/protocols/random/verdict.h"
#include "tools/swarm/bypass_count.h"

namespace latchlab::testing {

class Playing final : public swarm::BypassCount {
 public:
  explicit Playing(const Draw& draw) : draw_(draw) {
    DistributionSpec spec;
    if (draw.theta_ppb > 0) spec.kind = DistributionKind::zipf;
    if (draw.theta_ppb > 0) spec.theta_ppb = draw.theta_ppb;
    keys_ = std::move(KeyChooser::make(spec, draw.locks, draw.seed()).value());
    done_.resize(draw.workers());
    deadlines_.resize(draw.workers() + 1, kNever);
  }

  Played go(bool aloud = false) {
    CaseRun run(setup(), draw_.seed());
    run_ = &run;
    watch(run.world());
    for (const Crash& crash : draw_.crashes)
      if (!crash.when_it_holds) crash_later(crash);
    look_for_progress();
    const Outcome outcome = run.go();
    Played played;
    judge_all(outcome, played);
    if (aloud) tell(outcome);
    run_ = nullptr;
    return played;
  }

  // ---- BypassCount, LoopObserver ----
  bool too_late(ClientId client) const override {
    return run_->world().verbs(client).now() >= deadlines_[client.value];
  }
  void acquired(ClientId client, const Grant& grant) override {
    ++progress_;
    BypassCount::acquired(client, grant);
    for (const Crash& crash : draw_.crashes)
      if (crash.client == client.value && crash.when_it_holds) done_[client.value] = true;
  }
  void acquire_aborted(ClientId client, const Want& want, AbortReason reason) override {
    BypassCount::acquire_aborted(client, want, reason);
    told(client, reason);
  }
  void upgrade_aborted(ClientId client, const Grant&, AbortReason reason) override {
    told(client, reason);
  }
  void upgraded(ClientId, const Grant&) override { ++progress_; }
  void released(ClientId, const Grant&, ReleaseResult) override { ++progress_; }

 private:
  RunSetup setup() {
    RunSetup setup;
    setup.entry = draw_.entry;
    setup.profile = draw_.profile->name;
    setup.params = draw_.changed;
    setup.client_nodes = draw_.nodes;
    setup.clients_per_node = draw_.per_node;
    setup.servers = draw_.servers;
    setup.colocated = draw_.colocated;
    setup.locks = draw_.locks;
    setup.guard = draw_.guard ? GuardMode::on : GuardMode::off;
    setup.also = this;
    setup.section = [this](ClientId client, std::uint64_t count, const World& world,
                           Section& section) {
      return client.value < draw_.workers() ? work(client, count, world, section)
                                            : come_last(world, section);
    };
    for (const Crash& crash : draw_.crashes)
      if (crash.when_it_holds) setup.dies.push_back(crash.client);
    setup.make = [this](const WorldPlan& plan) {
      SimgridOptions options = plain_options();
      options.clocks.drift_ppb = draw_.drift_ppb;
      options.clocks.offset = draw_.offset;
      options.synchronisation_error = draw_.synchronisation_error;
      return make_simgrid(plan, options);
    };
    return setup;
  }

  bool reads_only(ClientId client) const {
    if (survives_ != Mortal::readers) return false;
    return std::any_of(draw_.crashes.begin(), draw_.crashes.end(),
                       [&](const Crash& crash) { return crash.client == client.value; });
  }
  LockMode mode(Dice& dice, ClientId client) const {
    if (reads_only(client) || dice.chance(draw_.read_percent)) return LockMode::shared;
    return dice.chance(draw_.update_percent) ? LockMode::update : LockMode::exclusive;
  }
  bool work(ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count >= draw_.operations) {
      done_[client.value] = true;
      return false;
    }
    Dice dice(hash_of(draw_.seed(), client.value, count));
    std::vector<std::uint64_t> locks(dice.between(1, draw_.at_once));
    for (std::uint64_t& lock : locks) lock = keys_->next(dice.rng());
    std::sort(locks.begin(), locks.end());
    locks.erase(std::unique(locks.begin(), locks.end()), locks.end());
    for (const std::uint64_t lock : locks)
      section.wants.push_back(Want{world.lock(LockId{lock}), mode(dice, client)});
    // A grant that is lost while it waits for its upgrade is released and requested again. Two
    // clients that upgrade one lock while they hold others might wait for each other.
    if (locks.size() == 1) section.upgrades = dice.chance(60) ? 1 : 0;
    section.work.hold = dice.between(Duration{}, draw_.hold);
    if (draw_.overstay.ps > 0 && dice.chance(12)) {
      section.work.hold = dice.between(Duration{}, draw_.overstay);
      section.extend = draw_.extend;
    }
    section.think = dice.between(Duration{}, draw_.think);
    section.pause = dice.between(Duration{}, microseconds(5));
    section.on_abort =
        draw_.give_back || section.upgrades > 0 ? OnAbort::give_back : OnAbort::retry;
    Time& deadline = deadlines_[client.value];
    deadline = draw_.patience.ps == 0
                   ? kNever
                   : world.verbs(client).now() + dice.between(Duration{}, draw_.patience);
    section.options.deadline = deadline;
    if (draw_.units > 0)
      for (Want& want : section.wants) want.extent = range(dice);
    return true;
  }

  // Short and long ranges; one in eight begins beyond the units, and others may end there.
  Extent range(Dice& dice) const {
    const std::uint64_t last = dice.chance(12) ? 6 * draw_.units : draw_.units - 1;
    Extent range{dice.between(0, last), 1};
    std::uint64_t most = draw_.units;
    while (most > 1 && dice.chance(50)) most /= 4;
    range.count = dice.between(1, std::max<std::uint64_t>(most, 1));
    if (most > 1 && dice.chance(30)) {  // the range of a node of the tree
      range.first -= range.first % most;
      range.count = most;
    }
    return range;
  }

  // ---- the last client acquires locks that do not look free, and some others ----

  bool come_last(const World& world, Section& section) {
    const bool posted = posts_unlocks();  // they land meanwhile
    const bool all_gone = std::find(done_.begin(), done_.end(), false) == done_.end();
    if (posted || !all_gone) section.think = microseconds(50);
    if (!all_gone || (posted && !std::exchange(all_gone_, true))) return true;
    if (!swept_) {
      busy_ = not_free();
      sweep_ = busy_;
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(draw_.locks, 4); ++i)
        sweep_.push_back(i);
      swept_ = true;
    }
    if (sweep_.empty()) return false;
    section.wants.push_back(Want{world.lock(LockId{sweep_.back()}), LockMode::exclusive});
    sweep_.pop_back();
    return true;
  }
  bool posts_unlocks() const {
    const bool knows = draw_.params.values().contains("unlock_posted");
    return knows && draw_.params.boolean("unlock_posted");
  }
  std::vector<std::uint64_t> not_free() const {
    std::vector<std::uint64_t> found;
    for (std::uint64_t i = 0; i < draw_.locks; ++i)
      if (!run_->looks_free(LockId{i})) found.push_back(i);
    return found;
  }

  // ---- during the run ----

  void crash_later(const Crash& crash) {
    std::vector<ClientId> all = {ClientId{crash.client}};
    const std::uint32_t first = crash.client / draw_.per_node * draw_.per_node;
    if (draw_.unit == CrashUnit::node)
      for (std::uint32_t i = first; i < first + draw_.per_node; ++i)
        if (i != crash.client) all.push_back(ClientId{i});
    const auto kind = static_cast<CrashKind>(draw_.unit);
    run_->backend().at(Time{} + crash.at, [this, all] {
      for (const ClientId each : all) done_[each.value] = true;
    });
    run_->crash_at(Time{} + crash.at, all, kind);
  }
  void look_for_progress() {
    if (seen_ == progress_) run_->backend().request_stop();
    seen_ = progress_;
    run_->backend().at(run_->backend().true_now() + draw_.longest_wait(),
                       [this] { look_for_progress(); });
  }
  void told(ClientId client, AbortReason reason) {
    if (reason == AbortReason::deadline) ++progress_;
    const Time now = run_->world().verbs(client).now();
    const Time deadline = deadlines_[client.value];
    if (reason == AbortReason::deadline ? now < deadline : reason >= AbortReason::server_failed)
      untrue_ = fmt::format("client {} is told reason {} at {} ps, its deadline is {} ps",
                            client.value, static_cast<int>(reason), now.ps, deadline.ps);
  }

  // ---- afterwards ----

  std::string listed(const std::vector<std::uint64_t>& locks) const {
    return fmt::format("{} locks, the first is lock {}", locks.size(), locks.front());
  }
  void judge_all(const Outcome& outcome, Played& played) const {
    const auto breaks = [&](Promise promise, bool broken, const std::string& how) {
      if (!broken || played.broken != Promise::none) return;
      played.broken = promise;
      played.how = how;
    };
    const GuardVerdict guard = judge(outcome.guard);
    // A client that waits for several locks while it holds others may exceed a lease even if no
    // such section was drawn.
    const bool calm = draw_.calm() && outcome.suppressed == 0 && outcome.safety.expired_holds == 0;
    breaks(Promise::exclusion, outcome.safety.violations > 0, outcome.violation);
    breaks(Promise::exclusion, guard.violations > 0, "guard: " + guard.violation);
    breaks(Promise::late_effect, outcome.safety.late_effects > 0,
           fmt::format("{} releases after their grant was over", outcome.safety.late_effects));
    const auto left = std::count(done_.begin(), done_.end(), false);
    breaks(Promise::lost_client, left > 0,
           fmt::format("{} clients never come to their end, {}; lock 0: {}", left,
                       outcome.log.empty() ? "" : "the last to do anything: " + outcome.log.back(),
                       outcome.entry));
    breaks(Promise::stuck_lock, outcome.end != RunEnd::finished,
           "who comes last cannot take a lock: " +
               (outcome.log.empty() ? std::string() : outcome.log.back()));
    if (calm)
      breaks(Promise::stuck_lock, !busy_.empty(),
             busy_.empty() ? "" : "do not look free when all have gone: " + listed(busy_));
    // In a tree of ranges, the state that a crashed client left at a node stays until a client
    // wants that node.
    const bool lazy = draw_.entry->info.name == "citron";
    const std::vector<std::uint64_t> busy =
        calm || !lazy ? not_free() : std::vector<std::uint64_t>{};
    breaks(Promise::stuck_lock, !busy.empty(),
           busy.empty() ? "" : "do not look free in the end: " + listed(busy));
    const Worst worst = judged(run_->world().protocol());
    if (calm) breaks(Promise::bypass, !worst.broken.empty(), worst.broken);
    breaks(Promise::deadline, !untrue_.empty(), untrue_);
    add_up(outcome, worst, calm, played.tally);
  }
  void add_up(const Outcome& outcome, const Worst& worst, bool calm, Tally& tally) const {
    tally.runs = 1;
    tally.acquired = outcome.acquired;
    tally.upgraded = outcome.upgraded;
    tally.extended = outcome.extended;
    tally.aborted = outcome.aborted;
    tally.suppressed = outcome.suppressed;
    tally.crashed = draw_.crashes.size();
    tally.recoveries = outcome.recoveries;
    if (calm) {
      tally.claims = worst.bound.has_value();
      tally.bound = worst.bound.value_or(0);
      tally.claimed = worst.claimed;
    }
    tally.unclaimed = worst.unclaimed;
    Fingerprint all;
    all.add(run_->backend().fingerprint().value());
    for (const Time when : outcome.when) all.add(static_cast<std::uint64_t>(when.ps));
    for (const std::string& line : outcome.log)
      for (const char letter : line) all.add(static_cast<std::uint64_t>(letter));
    tally.hash = all.value();
  }

  static void tell(const Outcome& outcome) {
    for (std::size_t i = 0; i < outcome.log.size(); ++i)
      std::printf("%12.3f us  client %s\n", (outcome.when[i] - Time{}).nanoseconds() / 1000,
                  outcome.log[i].c_str());
    std::fflush(stdout);
  }

  const Draw& draw_;
  const Mortal survives_ = survives_the_crash_of(draw_.entry->info.name);
  std::unique_ptr<const KeyChooser> keys_;
  CaseRun* run_ = nullptr;
  std::vector<bool> done_;
  std::vector<Time> deadlines_;
  bool all_gone_ = false, swept_ = false;
  std::vector<std::uint64_t> busy_, sweep_;
  std::uint64_t progress_ = 1, seen_ = 0;
  std::string untrue_;
};

}  // namespace latchlab::testing
