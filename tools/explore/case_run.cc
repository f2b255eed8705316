#include "tools/explore/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/explorer/actor.h"
#include "backends/explorer/search_support.h"
#include "backends/explorer/steps.h"
#include "core/base/check.h"

namespace latchlab::explore {

using explorer::ArenaScope;

namespace {

// Long enough to be a step of its own: any other step may happen during a critical section.
constexpr Duration kHold = nanoseconds(1);

ExplorerOptions options_of(explorer::SearchSupport& support) {
  ExplorerOptions options;
  options.search = &support;
  return options;
}

// No claims are checked with faults, which break any order, or in timed cases, where a lease may
// expire without a fault. The check handles one lock.
BypassCheck bypasses_of(const Case& setup, const Protocol& protocol) {
  if (setup.crashes > 0 || setup.pauses > 0 || setup.delays > 0 || setup.cuts > 0 ||
      setup.timed() || setup.locks > 1 || !setup.extents.empty())
    return {};
  const std::uint64_t acquisitions = std::uint64_t{setup.clients()} * setup.operations;
  return BypassCheck(protocol, setup.clients(), acquisitions);
}

}  // namespace

WorldShape shape_of(const Case& setup) {
  WorldShape shape;
  shape.client_nodes = setup.client_nodes;
  shape.clients_per_node = setup.clients_per_node;
  shape.servers = setup.servers;
  shape.colocated = setup.colocated;
  shape.locks.count = setup.locks;
  return shape;
}

CaseRun::CaseRun(const Case& setup, const Protocol& protocol, explorer::SearchSupport& support)
    : setup_(setup),
      world_(protocol, shape_of(setup)),
      backend_(world_.plan(), options_of(support)),
      monitor_(setup.clients(), *this),
      bypasses_(bypasses_of(setup, protocol)),
      done_(setup.clients()),
      holds_(setup.clients()),
      dead_(setup.clients()),
      begun_(setup.clients()),
      pauses_(setup.clients()),
      symmetric_(setup.symmetry && protocol.limits().clients_alike &&
                 !(setup.timed() && support.facts.draws())),
      crash_unit_(setup.crash_unit.value_or(protocol.limits().crash_unit)),
      crashes_left_(setup.crashes),
      pauses_left_(setup.pauses),
      delays_left_(setup.delays),
      cuts_left_(setup.cuts),
      timeouts_left_(setup.timeouts),
      own_arena_(&support.arenas[0]) {
  const ArenaScope heap(nullptr);
  support.owned = [this](RemoteAddr addr, std::uint64_t bytes) {
    return world_.belongs(addr, bytes);
  };
}

void CaseRun::begin(explorer::SearchSupport& support) {
  world_.attach(backend_);
  // The first access to an entry changes the state (it creates the page), so it happens here.
  for (LockId lock; lock.value < setup_.locks; ++lock.value) entry(lock);
  for (std::uint32_t i = 0; i < setup_.clients(); ++i) {
    const std::size_t node = i / setup_.clients_per_node;
    if (node < setup_.time.drift_ppm.size())
      support.time.drift_ppm[world_.node_of(ClientId{i}).value] = setup_.time.drift_ppm[node];
    Verbs& verbs = world_.verbs(ClientId{i});
    const ArenaScope scope(static_cast<explorer::Actor&>(verbs).arena);
    backend_.spawn(verbs, client_loop(verbs, world_.client(ClientId{i}), *this, *this), Time{});
  }
  backend_.expect_cuts(cuts_left_ > 0);
  const ArenaScope heap(nullptr);
  support.parts.assign(world_.plan().nodes.size() + 1, 0);
  for (const NodePlan& node : world_.plan().nodes)
    for (const void* part : world_.parts_at(node.id))
      support.parts[node.id.value] |= explorer::arena_of(part);
  for (const Verbs* verbs : world_.background_actors()) {
    const auto& actor = static_cast<const explorer::Actor&>(*verbs);
    support.parts[actor.node().value] |= explorer::arena_of(actor.arena);
  }
}

void CaseRun::see_effects() {
  if (!bypasses_.on()) return;
  for (std::uint32_t i = 0; i < setup_.clients(); ++i)
    if (bypasses_.expected(ClientId{i}) && !first_effect(ClientId{i}).armed)
      bypasses_.came(ClientId{i});
}

bool CaseRun::out_of_turn(ClientId client) const {
  if (!symmetric_ || begun_[client.value] != 0) return false;
  for (std::uint32_t i = 0; i < client.value; ++i)
    if (begun_[i] == 0 && setup_.equal(i, client.value)) return true;
  return false;
}

CaseRun::Clients CaseRun::dying_with(ClientId client) const {
  if (crash_unit_ != CrashUnit::node) return {client.value, client.value + 1};
  const std::uint32_t first = client.value - client.value % setup_.clients_per_node;
  return {first, first + setup_.clients_per_node};
}

bool CaseRun::may_crash(ClientId client) const {
  const Clients dying = dying_with(client);
  if (crashes_left_ == 0 || client.value != dying.begin) return false;
  for (std::uint32_t i = dying.begin; i < dying.end; ++i)
    if (at_work(ClientId{i})) return true;
  return false;
}

void CaseRun::crash(ClientId client, Chooser& inner) {
  static constexpr std::array kKinds = {CrashKind::client, CrashKind::process, CrashKind::node};
  --crashes_left_;
  const Clients dying = dying_with(client);
  for (std::uint32_t i = dying.begin; i < dying.end; ++i) {
    dead_[i] = 1;
    holds_[i] = 0;
    if (setup_.timed() && pauses_[i] != Pause::none) resume(ClientId{i});
    pauses_[i] = Pause::none;
    monitor_.crashed(ClientId{i});
  }
  backend_.crash(client, kKinds[static_cast<std::size_t>(crash_unit_)], inner);
}

bool CaseRun::only_lost_causes() const {
  bool any = false;
  for (std::uint32_t i = 0; i < setup_.clients(); ++i) {
    if (!at_work(ClientId{i})) continue;
    if (done_[i] == 0) return false;
    const std::vector<LockId> wanted = setup_.wanted(i, done_[i] - 1);
    const auto dead = [&](LockId lock) { return backend_.is_dead(entry_place(lock).node); };
    if (std::none_of(wanted.begin(), wanted.end(), dead)) return false;
    any = true;
  }
  return any;
}

std::optional<CaseRun::Outlasting> CaseRun::outlasting(const explorer::StepList& steps) const {
  if (setup_.delays == 0) return std::nullopt;
  const ArenaScope heap(nullptr);
  Outlasting outlasting;
  const std::uint32_t briefly = backend_.retried_briefly();
  outlasting.delayed = briefly > 0 && briefly <= delays_left_;
  const std::size_t most_down =
      std::min(cuts_left_, delays_left_ - (outlasting.delayed ? briefly : 0));
  bool any = false;
  for (const explorer::Step& step : steps.now) {
    if (explorer::looks_idly(step)) continue;
    any = true;
    const bool ends = explorer::by_nic(step.kind) || step.kind == explorer::StepKind::complete;
    if (step.op != nullptr && step.op->takes_long && ends) continue;
    if (outlasting.delayed && backend_.ends_retries(step)) continue;
    const std::optional<explorer::Path> path = backend_.path_of(step);
    if (!path) return std::nullopt;
    std::vector<explorer::Path>& down = outlasting.down;
    if (std::find(down.begin(), down.end(), *path) == down.end()) down.push_back(*path);
    if (down.size() > most_down) return std::nullopt;
  }
  if (!any) return std::nullopt;
  return outlasting;
}

bool CaseRun::outlast_leases(const explorer::StepList& steps) const {
  return outlasting(steps).has_value();
}

void CaseRun::cut(const explorer::Step& step, Chooser& inner) {
  --cuts_left_;
  backend_.expect_cuts(cuts_left_ > 0);
  backend_.make(step, inner);
}

void CaseRun::timeout(Time date) {
  --timeouts_left_;
  if (const std::optional<Outlasting> outlast = outlasting(backend_.possible())) {
    if (outlast->delayed) {
      delays_left_ -= backend_.retried_briefly();
      backend_.keep_retrying();
    }
    for (const explorer::Path& path : outlast->down) backend_.keep_retrying(path);
    delays_left_ -= static_cast<std::uint32_t>(outlast->down.size());
    cuts_left_ -= static_cast<std::uint32_t>(outlast->down.size());
    backend_.expect_cuts(cuts_left_ > 0);
  }
  backend_.move_clock(date);
  for (Pause& pause : pauses_)
    if (pause == Pause::begun) pause = Pause::for_long;
}

bool CaseRun::may_pause(ClientId client) const {
  if (pauses_left_ == 0 || !at_work(client) || paused(client)) return false;
  if (!setup_.between_atomics) return true;
  const auto& actor = static_cast<const explorer::Actor&>(world_.verbs(client));
  return std::none_of(actor.ops.begin(), actor.ops.end(), [](const explorer::OpSlot* op) {
    return op->kind == OpKind::verb && is_atomic(op->verb.kind);
  });
}

void CaseRun::pause(ClientId client) {
  --pauses_left_;
  pauses_[client.value] = Pause::begun;
  const Time end = setup_.timed() ? backend_.true_now() + setup_.time.pause : Time{};
  backend_.pause_cpu(client, true, end);
}

void CaseRun::resume(ClientId client) {
  pauses_[client.value] = Pause::none;
  backend_.pause_cpu(client, false);
}

std::vector<std::uint64_t> CaseRun::entry(LockId lock) {
  return world_.entry(lock, backend_);
}

bool CaseRun::next(ClientId client, Section& section) {
  std::uint32_t index = done_[client.value]++;
  while (index < setup_.operations && setup_.letter(client.value, index) == '-')
    index = done_[client.value]++;
  if (index >= setup_.operations) return false;
  for (const LockId lock : setup_.wanted(client.value, index)) {
    Want want;
    want.lock = world_.lock(lock);
    want.mode = setup_.mode(client.value, index);
    want.extent = setup_.extent(client.value, index);
    section.wants.push_back(want);
  }
  section.upgrades = setup_.letter(client.value, index) == 'P' ? setup_.held : 0;
  section.work.hold = setup_.timed() ? setup_.time.hold : kHold;
  if (setup_.timed() && setup_.time.patience.ps > 0)
    section.options.deadline = local_now(client) + setup_.time.patience;
  return true;
}

void CaseRun::acquire_begins(ClientId client, const Want& want) {
  tell([&](LoopObserver& listener) { listener.acquire_begins(client, want); });
  monitor_.requested(client, want);
  bypasses_.requested(client, want.mode);
  first_effect(client).armed = bypasses_.on();
}

void CaseRun::acquire_aborted(ClientId client, const Want& want, AbortReason reason) {
  tell([&](LoopObserver& listener) { listener.acquire_aborted(client, want, reason); });
  monitor_.withdrawn(client);
  bypasses_.withdrawn(client);
  first_effect(client).armed = false;
}

void CaseRun::acquired(ClientId client, const Grant& grant) {
  tell([&](LoopObserver& listener) { listener.acquired(client, grant); });
  const ArenaScope scope(own_arena_);
  monitor_.granted(client, grant);
  bypasses_.granted(client);
  first_effect(client).armed = false;
  ++holds_[client.value];
}

void CaseRun::upgraded(ClientId client, const Grant& grant) {
  tell([&](LoopObserver& listener) { listener.upgraded(client, grant); });
  const ArenaScope scope(own_arena_);
  monitor_.upgraded(client, grant);
}

void CaseRun::extended(ClientId client, const Grant& grant) {
  tell([&](LoopObserver& listener) { listener.extended(client, grant); });
  const ArenaScope scope(own_arena_);
  monitor_.extended(client, grant);
}

void CaseRun::release_begins(ClientId client, const Grant& grant) {
  tell([&](LoopObserver& listener) { listener.release_begins(client, grant); });
  monitor_.releasing(client, grant);
  --holds_[client.value];
}

void CaseRun::released(ClientId client, const Grant& grant, ReleaseResult result) {
  tell([&](LoopObserver& listener) { listener.released(client, grant, result); });
  monitor_.released(client, grant, result);
  if (result == ReleaseResult::suppressed) late_ |= std::uint64_t{1} << grant.lock.id.value;
}

Time CaseRun::local_now(ClientId client) const {
  return backend_.local_now(world_.node_of(client));
}

namespace {

constexpr std::uint32_t kNothingClaimed = ~0U;

std::uint32_t bit(ClientId client) {
  return 1U << client.value;
}

}  // namespace

BypassCheck::BypassCheck(const Protocol& protocol, std::uint32_t clients,
                         std::uint64_t acquisitions) {
  LATCHLAB_CHECK(clients <= 32, "one bit for each client");
  bool any = false;
  for (std::size_t waiter = 0; waiter < kLockModes; ++waiter) {
    for (std::size_t winner = 0; winner < kLockModes; ++winner) {
      const auto bound = protocol.bypass_bound(static_cast<LockMode>(waiter),
                                               static_cast<LockMode>(winner), acquisitions);
      bounds_[waiter][winner] = bound.value_or(kNothingClaimed);
      any = any || bound;
    }
  }
  if (any) clients_.resize(clients);
}

void BypassCheck::requested(ClientId client, LockMode mode) {
  if (!on()) return;
  clients_[client.value].mode = static_cast<std::uint32_t>(mode);
  clients_[client.value].expected = 1;
}

std::uint32_t BypassCheck::waiting_before(ClientId client) const {
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < clients_.size(); ++i) {
    const bool claimed = bounds_[clients_[i].mode][clients_[client.value].mode] != kNothingClaimed;
    if (claimed && (waiting_ & bit(ClientId{i})) != 0) before |= bit(ClientId{i});
  }
  return before;
}

void BypassCheck::came(ClientId client) {
  if (!on()) return;
  clients_[client.value].before = waiting_before(client);
  clients_[client.value].expected = 0;
  waiting_ |= bit(client);
}

void BypassCheck::granted(ClientId client) {
  if (!on()) return;
  if (expected(client)) came(client);
  const std::size_t winner = clients_[client.value].mode;
  for (std::uint32_t i = 0; i < clients_.size(); ++i) {
    if ((clients_[client.value].before & bit(ClientId{i})) == 0) continue;
    Client& waiter = clients_[i];
    const std::uint32_t bound = bounds_[waiter.mode][winner];
    std::uint32_t& count = waiter.bypassed[winner];
    if (count <= bound) ++count;
    if (count > bound && !broken()) broken_ = {i, client.value, count};
  }
  leave(client);
}

std::string BypassCheck::describe() const {
  return fmt::format(
      "client {} got the lock before client {}, whose first verb had taken effect earlier: "
      "bypass {} of that client, and the lock claims {} at most",
      broken_.winner, broken_.waiter, broken_.count, broken_.count - 1);
}

void BypassCheck::withdrawn(ClientId client) {
  if (on()) leave(client);
}

void BypassCheck::leave(ClientId client) {
  clients_[client.value] = {};
  waiting_ &= ~bit(client);
  for (Client& each : clients_) each.before &= ~bit(client);
}

}  // namespace latchlab::explore
