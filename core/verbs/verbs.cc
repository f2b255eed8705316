#include "core/verbs/verbs.h"

#include <array>
#include <memory>

#include "core/base/check.h"

namespace latchlab {

Verb read_verb(RemoteAddr addr, std::uint32_t bytes) {
  Verb verb;
  verb.kind = VerbKind::read;
  verb.addr = addr;
  verb.bytes = bytes;
  return verb;
}

Verb write_verb(RemoteAddr addr, std::uint64_t word) {
  Verb verb;
  verb.kind = VerbKind::write;
  verb.addr = addr;
  verb.value.lo = word;
  return verb;
}

Verb cas_verb(RemoteAddr addr, std::uint64_t expected, std::uint64_t desired) {
  Verb verb;
  verb.kind = VerbKind::cas;
  verb.addr = addr;
  verb.compare.lo = expected;
  verb.value.lo = desired;
  return verb;
}

Verb faa_verb(RemoteAddr addr, std::uint64_t add) {
  Verb verb;
  verb.kind = VerbKind::faa;
  verb.addr = addr;
  verb.value.lo = add;
  return verb;
}

Verb masked_cas_verb(RemoteAddr addr, std::uint32_t bytes, Words compare, Words compare_mask,
                     Words swap, Words swap_mask) {
  Verb verb;
  verb.kind = VerbKind::masked_cas;
  verb.addr = addr;
  verb.bytes = bytes;
  verb.compare = compare;
  verb.compare_mask = compare_mask;
  verb.value = swap;
  verb.swap_mask = swap_mask;
  return verb;
}

Verb masked_faa_verb(RemoteAddr addr, std::uint32_t bytes, Words add, Words boundary) {
  Verb verb;
  verb.kind = VerbKind::masked_faa;
  verb.addr = addr;
  verb.bytes = bytes;
  verb.value = add;
  verb.boundary = boundary;
  return verb;
}

std::string_view name_of(const Operation& op) {
  static constexpr std::array<std::string_view, 6> kVerbs = {"read", "write",      "cas",
                                                             "faa",  "masked_cas", "masked_faa"};
  static constexpr std::array<std::string_view, 5> kCpuAccesses = {"load", "store", "exchange",
                                                                   "cpu_cas", "cpu_faa"};
  static constexpr std::array<std::string_view, 11> kOthers = {
      "verb",    "send",  "call",     "cpu",   "sleep",   "compute",
      "on_node", "flush", "allocate", "evict", "sync_now"};
  if (op.kind == OpKind::verb) return kVerbs[static_cast<std::size_t>(op.verb.kind)];
  if (op.kind == OpKind::cpu) return kCpuAccesses[static_cast<std::size_t>(op.cpu)];
  return kOthers[static_cast<std::size_t>(op.kind)];
}
std::string_view name_of(VerbStatus status) {
  static constexpr std::array<std::string_view, 6> kStatuses = {
      "ok", "receiver_not_ready", "peer_failed", "access_error", "flushed", "timed_out"};
  return kStatuses[static_cast<std::size_t>(status)];
}

// ---- requests ----

Operation& Verbs::prepare(OpKind kind) {
  Operation& op = take_operation();
  op.kind = kind;
  op.owner = this;
  op.batch = &op;
  op.remaining = 1;
  return op;
}

Operation& Verbs::prepare_verb(const Verb& verb) {
  Operation& op = prepare(OpKind::verb);
  std::construct_at(&op.verb, verb);
  tally().count(verb);
  return op;
}

VerbAwait Verbs::issue(const Verb& verb) {
  return {{this, &prepare_verb(verb)}};
}
VerbAwait Verbs::read(RemoteAddr addr, std::uint32_t bytes) {
  return issue(read_verb(addr, bytes));
}
VerbAwait Verbs::write(RemoteAddr addr, std::uint64_t word) {
  return issue(write_verb(addr, word));
}
VerbAwait Verbs::write(RemoteAddr addr, Words words) {
  Verb verb = write_verb(addr, words.lo);
  verb.bytes = 16;
  verb.value = words;
  return issue(verb);
}
WordsAwait Verbs::read_words(RemoteAddr addr, std::uint32_t bytes) {
  return {{this, &prepare_verb(read_verb(addr, bytes))}};
}
VerbAwait Verbs::compare_swap(RemoteAddr addr, std::uint64_t expected, std::uint64_t desired) {
  return issue(cas_verb(addr, expected, desired));
}
VerbAwait Verbs::fetch_add(RemoteAddr addr, std::uint64_t add) {
  return issue(faa_verb(addr, add));
}
VerbAwait Verbs::masked_compare_swap(RemoteAddr addr, std::uint32_t bytes, Words compare,
                                     Words compare_mask, Words swap, Words swap_mask) {
  return issue(masked_cas_verb(addr, bytes, compare, compare_mask, swap, swap_mask));
}
VerbAwait Verbs::masked_fetch_add(RemoteAddr addr, std::uint32_t bytes, Words add, Words boundary) {
  return issue(masked_faa_verb(addr, bytes, add, boundary));
}

void Verbs::post(const Verb& verb) {
  Operation& op = prepare_verb(verb);
  op.detached = true;
  start(op);
}
FlushAwait Verbs::flush() {
  return {{this, &prepare(OpKind::flush)}};
}

Operation& Verbs::prepare_send(EndpointAddr target, const Message& message) {
  Operation& op = prepare(OpKind::send);
  op.target = target;
  std::construct_at(&op.message, message);
  ++tally().sends;
  return op;
}
SendAwait Verbs::send(EndpointAddr target, const Message& message) {
  return {{this, &prepare_send(target, message)}};
}

WaitAwait Verbs::receive(EndpointAddr own, MessageFilter filter, Time deadline) {
  WaitOperation& op = take_wait();
  op.owner = this;
  op.set.add(MessageWait{own, filter});
  op.set.deadline = deadline;
  return {this, &op};
}

CallAwait Verbs::call(NodeId server, const Request& request, Time deadline) {
  Operation& op = prepare(OpKind::call);
  op.server = server;
  op.deadline = deadline;
  std::construct_at(&op.call, CallOperands{request, {}});
  ++tally().calls;
  return {{this, &op}};
}

WaitAwait Verbs::await_local(const WordWait& word, Time deadline) {
  WaitOperation& op = take_wait();
  op.owner = this;
  op.set.add(word);
  op.set.deadline = deadline;
  return {this, &op};
}

WaitAwait Verbs::first_of(const WaitSet& set) {
  WaitOperation& op = take_wait();
  op.owner = this;
  op.set = set;
  return {this, &op};
}

Operation& Verbs::prepare_cpu(CpuAccess access, RemoteAddr word, std::uint64_t value,
                              std::uint64_t compare) {
  LATCHLAB_CHECK(word.node == node_ && word.offset % 8 == 0, "CPU access to foreign memory");
  Operation& op = prepare(OpKind::cpu);
  op.cpu = access;
  std::construct_at(&op.verb);
  op.verb.addr = word;
  op.verb.value.lo = value;
  op.verb.compare.lo = compare;
  return op;
}
CpuAwait Verbs::load(RemoteAddr word) {
  return {{this, &prepare_cpu(CpuAccess::load, word, 0)}};
}
CpuAwait Verbs::store(RemoteAddr word, std::uint64_t value) {
  return {{this, &prepare_cpu(CpuAccess::store, word, value)}};
}
CpuAwait Verbs::exchange(RemoteAddr word, std::uint64_t value) {
  return {{this, &prepare_cpu(CpuAccess::exchange, word, value)}};
}
CpuAwait Verbs::cpu_compare_swap(RemoteAddr word, std::uint64_t expected, std::uint64_t desired) {
  return {{this, &prepare_cpu(CpuAccess::cas, word, desired, expected)}};
}
CpuAwait Verbs::cpu_fetch_add(RemoteAddr word, std::uint64_t add) {
  return {{this, &prepare_cpu(CpuAccess::faa, word, add)}};
}

SleepAwait Verbs::sleep(Duration length) {
  return {this, length};
}
void Verbs::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  Operation& op = prepare(OpKind::sleep);
  op.length = sleep.length;
  op.waiter = waiter;
  sleep.op = &op;
  start(op);
}
PlainAwait Verbs::compute(Duration length) {
  Operation& op = prepare(OpKind::compute);
  op.length = length;
  return {{this, &op}};
}
SynchronisedAwait Verbs::synchronised_now() {
  return {{this, &prepare(OpKind::sync_now)}};
}

PlainAwait Verbs::on_node(std::optional<LockId> about, const InlineFunction<void()>& visit) {
  Operation& op = prepare(OpKind::on_node);
  op.part = about ? about->value + 1 : 0;
  std::construct_at(&op.visit, visit);
  return {{this, &op}};
}
AllocateAwait Verbs::allocate(NodeId node, std::uint64_t bytes) {
  Operation& op = prepare(OpKind::allocate);
  op.server = node;
  std::construct_at(&op.verb);
  op.allocated_bytes = bytes;
  return {{this, &op}};
}
PlainAwait Verbs::evict(ClientId client) {
  Operation& op = prepare(OpKind::evict);
  op.evicted = client;
  return {{this, &op}};
}

}  // namespace latchlab
