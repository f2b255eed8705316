#include "core/verbs/wrappers.h"

#include <fmt/format.h>

#include <algorithm>

namespace latchlab {

// ---- forwarding ----

EndpointAddr ForwardingVerbs::open(std::uint32_t recv_depth, Transport transport) {
  return inner_.open(recv_depth, transport);
}
void ForwardingVerbs::reply(const PendingCall& pending, const Reply& reply) {
  inner_.reply(pending, reply);
}
Task<RemoteWaitResult> ForwardingVerbs::await_remote(const RemoteWait& wait) {
  return inner_.await_remote(wait);
}
Time ForwardingVerbs::now() const {
  return inner_.now();
}
Membership ForwardingVerbs::membership() const {
  return inner_.membership();
}
ServerLife ForwardingVerbs::life_of(NodeId server) const {
  return inner_.life_of(server);
}
Operation& ForwardingVerbs::take_operation() {
  return inner_.take_operation();
}
void ForwardingVerbs::start(Operation& first) {
  for (Operation* op = &first; op != nullptr; op = op->next) op->owner = &inner_;
  inner_.start(first);
}
void ForwardingVerbs::recycle(Operation& op) {
  inner_.recycle(op);
}
void ForwardingVerbs::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  inner_.start_sleep(sleep, waiter);
}
WaitOperation& ForwardingVerbs::take_wait() {
  return inner_.take_wait();
}
void ForwardingVerbs::start_wait(WaitOperation& op) {
  op.owner = &inner_;
  inner_.start_wait(op);
}
void ForwardingVerbs::recycle_wait(WaitOperation& op) {
  inner_.recycle_wait(op);
}

// ---- recording ----

namespace {

constexpr std::array<std::string_view, 6> kVerbNames = {"read", "write",      "cas",
                                                        "faa",  "masked_cas", "masked_faa"};
constexpr std::array<std::string_view, 11> kOpNames = {"verb",     "send",    "call",    "cpu",
                                                       "sleep",    "compute", "on_node", "flush",
                                                       "allocate", "evict",   "sync_now"};
constexpr std::array<std::string_view, 6> kCpuNames = {"load",    "store",   "exchange",
                                                       "cpu_cas", "cpu_faa", "load_words"};
constexpr std::array<std::string_view, 6> kStatusNames = {
    "ok", "receiver_not_ready", "peer_failed", "access_error", "flushed", "timed_out"};

template <class T, class List>
Time take_start(List& under_way, const T& op, bool& found) {
  const auto at = std::find_if(under_way.begin(), under_way.end(),
                               [&](const auto& each) { return each.first == &op; });
  found = at != under_way.end();
  if (!found) return {};
  const Time posted = at->second;
  under_way.erase(at);
  return posted;
}

void describe(const Operation& op, TraceEntry& entry) {
  entry.what = name_of(op);
  entry.status = op.completion.status;
  entry.result = {op.completion.value.lo, op.completion.value.hi};
  switch (op.kind) {
    case OpKind::verb:
    case OpKind::cpu:
      entry.operands = {op.verb.addr.packed(), op.verb.bytes, op.verb.compare.lo, op.verb.value.lo};
      break;
    case OpKind::send:
      entry.operands = {op.target.packed(), op.message.type, op.message.lock.value,
                        op.message.words[0]};
      break;
    case OpKind::call:
      entry.operands = {op.server.value, op.call.request.type, op.call.request.words[0],
                        op.call.request.words[1]};
      entry.result = {op.call.reply.words[0], op.call.reply.words[1]};
      if (op.completion.ok()) entry.status = op.call.reply.status;
      break;
    case OpKind::allocate:
      entry.operands = {op.allocated_bytes, op.server.value, 0, 0};
      break;
    case OpKind::evict:
      entry.operands = {op.evicted.value, 0, 0, 0};
      break;
    default:
      entry.operands = {static_cast<std::uint64_t>(op.length.ps), 0, 0, 0};
      break;
  }
}

}  // namespace

std::string_view name_of(const Operation& op) {
  if (op.kind == OpKind::verb) return kVerbNames[static_cast<std::size_t>(op.verb.kind)];
  if (op.kind == OpKind::cpu) return kCpuNames[static_cast<std::size_t>(op.cpu)];
  return kOpNames[static_cast<std::size_t>(op.kind)];
}
std::string_view name_of(VerbStatus status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::string TraceEntry::text() const {
  static constexpr std::string_view kinds = "cns";
  const std::uint32_t number = kind == ActorKind::client ? client.value : node.value;
  std::string line = fmt::format("{} {}{} {}", posted.ps / 1000,
                                 kinds[static_cast<std::size_t>(kind)], number, what);
  for (const std::uint64_t word : operands) line += fmt::format(" {:x}", word);
  return line + fmt::format(" -> {} {:x} {:x}", name_of(status), result[0], result[1]);
}

TraceEntry RecordingVerbs::entry(Time posted) const {
  TraceEntry made;
  made.posted = posted;
  made.ended = now();
  made.kind = kind();
  made.node = node();
  made.client = client();
  return made;
}

void RecordingVerbs::tell(const Operation& op, Time posted) {
  TraceEntry made = entry(posted);
  describe(op, made);
  sink_(made);
}

Task<RemoteWaitResult> RecordingVerbs::await_remote(const RemoteWait& wait) {
  TraceEntry made = entry(now());
  made.what = "await_remote";
  made.operands = {wait.probes[0].addr.packed(), wait.probes.size(), 0, 0};
  auto waiting = inner().await_remote(wait);
  const RemoteWaitResult result = co_await waiting;
  made.ended = now();
  made.operands[2] = static_cast<std::uint64_t>(result.end);
  made.operands[3] = result.tries;
  made.status = result.status;
  made.result = {result.values[0].lo, result.values[0].hi};
  sink_(made);
  co_return result;
}

// An entry for a slot that is taken again is stale: its client crashed before it recycled the slot.
Operation& RecordingVerbs::take_operation() {
  Operation& op = ForwardingVerbs::take_operation();
  bool stale = false;
  take_start(operations_, op, stale);
  return op;
}

void RecordingVerbs::start(Operation& first) {
  for (const Operation* op = &first; op != nullptr; op = op->next) {
    if (op->detached) {
      tell(*op, now());
    } else {
      operations_.emplace_back(op, now());
    }
  }
  ForwardingVerbs::start(first);
}

void RecordingVerbs::recycle(Operation& op) {
  bool started = false;
  const Time posted = take_start(operations_, op, started);
  if (started) tell(op, posted);
  ForwardingVerbs::recycle(op);
}

void RecordingVerbs::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  TraceEntry made = entry(now());
  made.what = "sleep";
  made.operands[0] = static_cast<std::uint64_t>(sleep.length.ps);
  sink_(made);
  ForwardingVerbs::start_sleep(sleep, waiter);
}

WaitOperation& RecordingVerbs::take_wait() {
  WaitOperation& op = ForwardingVerbs::take_wait();
  bool stale = false;
  take_start(waits_, op, stale);
  return op;
}

void RecordingVerbs::start_wait(WaitOperation& op) {
  waits_.emplace_back(&op, now());
  ForwardingVerbs::start_wait(op);
}

void RecordingVerbs::recycle_wait(WaitOperation& op) {
  bool started = false;
  const Time posted = take_start(waits_, op, started);
  if (started) {
    TraceEntry made = entry(posted);
    made.what = "wait";
    made.operands = {static_cast<std::uint64_t>(op.outcome.by), op.outcome.index, 0, 0};
    made.result = {op.outcome.value, op.outcome.message.words[0]};
    sink_(made);
  }
  ForwardingVerbs::recycle_wait(op);
}

// ---- faults ----

void FaultInjectingVerbs::start(Operation& first) {
  const bool may_fail =
      first.kind == OpKind::verb || first.kind == OpKind::send || first.kind == OpKind::call;
  Operation* before = nullptr;
  for (Operation* op = &first; may_fail && op != nullptr; op = op->next) {
    const std::optional<VerbStatus> fault = decide_(*op);
    if (fault) return start_failing(first, before, *op, *fault);
    before = op;
  }
  ForwardingVerbs::start(first);
}

// The backend never sees the failing verb; if it is the first, it becomes an empty sleep there, so
// that its waiter is resumed in the usual way.
void FaultInjectingVerbs::start_failing(Operation& first, Operation* before, Operation& failing,
                                        VerbStatus status) {
  if (first.detached && first.kind == OpKind::send) {
    failing.target.number = 0;  // no endpoint has it
    return ForwardingVerbs::start(first);
  }
  if (first.detached) {
    first.verb.addr.offset |= 1;  // misaligned: every backend refuses it
    return ForwardingVerbs::start(first);
  }
  failing.completion = {status, {}};
  for (Operation* op = failing.next; op != nullptr; op = op->next)
    op->completion = {VerbStatus::flushed, {}};
  Operation& last = before != nullptr ? *before : failing;
  Operation* behind = std::exchange(last.next, nullptr);
  first.remaining = 1;
  for (const Operation* op = &first; op != &last; op = op->next) ++first.remaining;
  if (before == nullptr) {
    first.kind = OpKind::sleep;
    first.length = {};
  }
  ForwardingVerbs::start(first);
  last.next = behind;
}

}  // namespace latchlab
