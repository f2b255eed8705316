// What an actor does at home: CPU access to memory, node state, clocks, services.

#include <algorithm>
#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/check.h"

namespace latchlab::sim {

namespace {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)
constexpr int kRateBits = 60;
constexpr Wide kPerBillion = 1'000'000'000;

// What a CPU access touches: at least one.
std::int64_t cache_lines_of(const Operation& op) {
  constexpr std::uint64_t kLine = 64;
  if (op.kind != OpKind::cpu || op.cpu != CpuAccess::load_words) return 1;
  const std::uint64_t first = op.verb.addr.offset;
  return static_cast<std::int64_t>((first + op.verb.bytes - 1) / kLine - first / kLine + 1);
}

std::int64_t drift_of(std::int64_t length_ps, std::int64_t rate_q60) {
  return static_cast<std::int64_t>(static_cast<Wide>(length_ps) * rate_q60 >> kRateBits);
}

}  // namespace

// ---- clocks ----

// Without a division, because the clock is read several times per verb.
std::int64_t Simulator::rate_q60(std::int64_t drift_ppb) {
  return static_cast<std::int64_t>((static_cast<Wide>(drift_ppb) << kRateBits) / kPerBillion);
}

Time Simulator::local_now(NodeId id) const {
  const Node& here = node(id);
  const std::int64_t since_ps = now_.ps - here.clock_since.ps;
  return now_ + here.clock_offset + Duration{drift_of(since_ps, here.drift_q60)};
}

// The first true date at which the node's clock shows at least `local`.
Time Simulator::true_date_of(const Node& here, Time local) const {
  if (local == kNever) return kNever;
  const auto shows = [&here](std::int64_t true_ps) {
    return true_ps + here.clock_offset.ps + drift_of(true_ps - here.clock_since.ps, here.drift_q60);
  };
  const Wide since = static_cast<Wide>(local.ps) - here.clock_offset.ps - here.clock_since.ps;
  if (since <= 0) return here.clock_since;
  const Wide whole = static_cast<Wide>(1) << kRateBits;
  const Wide guess = (since << kRateBits) / (whole + here.drift_q60) + here.clock_since.ps;
  if (guess > static_cast<Wide>(kNever.ps) / 2) return kNever;
  auto date = static_cast<std::int64_t>(guess);
  while (shows(date) < local.ps) ++date;
  while (date > here.clock_since.ps && shows(date - 1) >= local.ps) --date;
  return Time{date};
}

Duration Simulator::true_length_of(const Node& here, Duration local) const {
  const Time end = saturating_add(local_now(here.id), local);
  const Time date = true_date_of(here, end);
  return date == kNever ? kForever : date - now_;
}

// ---- what the CPU does ----

void Simulator::post_local(SimActor& actor, SimOperation& op) {
  Node& here = node(actor.node());
  Time date = now_;
  op.holds_core = false;
  if (actor.core != nullptr) hold_core(actor, op);
  switch (op.kind) {
    case OpKind::sleep:
      date = saturating_add(now_, true_length_of(here, op.length));
      break;
    case OpKind::compute:
      op.paused_before = actor.paused_total();
      date = actor.core != nullptr ? work(actor, op.length) : saturating_add(now_, op.length);
      break;
    case OpKind::on_node:
      date = std::max(here.state_free, now_) + actor.nic.on_node;
      if (actor.core != nullptr) date = std::max(date, work(actor, actor.nic.on_node));
      here.state_free = date;
      break;
    case OpKind::allocate:
      LATCHLAB_CHECK(op.server.value >= 1 && op.server.value <= nodes_.size(),
                     "allocation at a node that does not exist");
      date = now_ + actor.nic.post + actor.nic.one_way + nic_of(op.server).one_way +
             nic_of(op.server).call_service;
      break;
    case OpKind::evict:
      date = now_ + actor.nic.post + actor.nic.one_way * 2 + actor.nic.call_service;
      break;
    case OpKind::flush:
      if (actor.detached > 0) {
        LATCHLAB_CHECK(actor.flushing == nullptr, "one flush at a time");
        actor.flushing = &op;
        return;
      }
      op.completion.status = std::exchange(actor.detached_error, VerbStatus::ok);
      break;
    default:
      LATCHLAB_CHECK(op.kind != OpKind::cpu || op.verb.addr.offset >= here.device_bytes,
                     "CPU access to memory of an RNIC");
      const Duration length = actor.nic.cpu_access * cache_lines_of(op);
      date = actor.core != nullptr ? work(actor, length) : now_ + length;
  }
  if (date != kNever) push(std::max(date, now_), actor.index, EventKind::local, &op);
}

void Simulator::local_done(SimOperation& op) {
  const bool alive = op.life == owner(op).life;
  switch (op.kind) {
    case OpKind::cpu:
      if (alive) access_memory(op);
      break;
    case OpKind::on_node:
      if (alive) op.visit();
      break;
    case OpKind::compute: {
      const Duration pauses = owner(op).paused_total() - op.paused_before;
      if (!alive || pauses.ps == 0) break;
      op.paused_before = owner(op).paused_total();
      return push(saturating_add(now_, pauses), op.actor, EventKind::local, &op);
    }
    case OpKind::allocate: {
      Node& host = node(op.server);
      if (host.dead) {
        op.completion.status = VerbStatus::peer_failed;
        break;
      }
      op.verb.addr = {op.server, host.memory.grow(static_cast<std::uint64_t>(op.length.ps))};
      break;
    }
    case OpKind::evict:
      do_evict(op);
      break;
    case OpKind::sync_now: {
      const auto error = static_cast<std::uint64_t>(options_.synchronisation_error.ps);
      const auto off = static_cast<std::int64_t>(services_.below(2 * error + 1));
      op.completion.value.lo =
          static_cast<std::uint64_t>(now_.ps + off - static_cast<std::int64_t>(error));
      op.length = options_.synchronisation_error;
      break;
    }
    default:
      break;
  }
  finish_operation(op);
}

// ---- sleep ----

void Simulator::start_sleep(SimActor& actor, Duration length, std::coroutine_handle<> waiter) {
  const Time date = saturating_add(now_, true_length_of(node(actor.node()), length));
  if (date == kNever) return;
  SimSleep& sleep = sleeps_.take();
  sleep = {&actor, waiter, actor.life};
  push(std::max(date, now_), actor.index, EventKind::wake_up, &sleep);
}

void Simulator::wake_up(SimSleep& sleep) {
  SimActor& actor = *sleep.actor;
  if (actor.core == nullptr) return end_sleep(sleep);
  queue_for_core({&actor, nullptr, nullptr, &sleep, now_, {}});
}

void Simulator::end_sleep(SimSleep& sleep) {
  const SimSleep over = sleep;
  sleeps_.give(sleep);
  if (over.life == over.actor->life) resume(*over.actor, over.waiter);
}

// ---- memory and services ----

void Simulator::load_words(SimOperation& op) {
  const RemoteAddr addr = op.verb.addr;
  Node& here = node(addr.node);
  if (caches_) here.cache.touch(addr.offset, op.verb.bytes);
  if (!op.carried) op.carried = std::make_unique<std::vector<std::uint64_t>>();
  for (std::uint32_t at = 0; at < op.verb.bytes; at += 8)
    op.carried->push_back(here.memory.word(addr.offset + at));
  if (const std::uint32_t rest = op.verb.bytes % 8; rest != 0)
    op.carried->back() &= (1ULL << (8 * rest)) - 1;
  op.words = op.carried->data();
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), op.actor,
                    0x100 + static_cast<std::uint64_t>(op.cpu), addr.packed(), op.verb.bytes});
}

void Simulator::access_memory(SimOperation& op) {
  const RemoteAddr addr = op.verb.addr;
  if (op.cpu == CpuAccess::load_words) return load_words(op);
  if (caches_) node(addr.node).cache.touch(addr.offset, sizeof(std::uint64_t));
  std::uint64_t& word = node(addr.node).memory.word(addr.offset);
  const std::uint64_t before = word;
  switch (op.cpu) {
    case CpuAccess::load:
    case CpuAccess::load_words:
      break;
    case CpuAccess::store:
    case CpuAccess::exchange:
      word = op.verb.value.lo;
      break;
    case CpuAccess::cas:
      if (word == op.verb.compare.lo) word = op.verb.value.lo;
      break;
    case CpuAccess::faa:
      word += op.verb.value.lo;
      break;
  }
  op.completion.value.lo = before;
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), op.actor,
                    0x100 + static_cast<std::uint64_t>(op.cpu), addr.packed(), before, word});
  if (op.cpu != CpuAccess::load) note_first(op);
  if (word != before) word_changed(addr.node, addr.offset);
}

void Simulator::do_evict(SimOperation& op) {
  const auto client = static_cast<std::size_t>(op.length.ps);
  LATCHLAB_CHECK(client < clients_.size() && clients_[client] != nullptr,
                 "eviction of a client that does not exist");
  SimActor& victim = *clients_[client];
  victim.evicted = true;
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), 0xe71c7, victim.index});
}

}  // namespace latchlab::sim
