#include "tools/explore/describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/explorer/state.h"
#include "core/base/random.h"

namespace latchlab::explore {

using explorer::Actor;
using explorer::OpSlot;
using explorer::Step;
using explorer::StepKind;

namespace {

std::string place(RemoteAddr addr) {
  return fmt::format("node {} +{}", addr.node.value, addr.offset);
}

std::string number(Words words, std::uint32_t bytes) {
  if (bytes <= 8) return fmt::format("{:#x}", words.lo);
  return fmt::format("{:#x}:{:#x}", words.hi, words.lo);
}

std::string masked(Words words, Words mask, std::uint32_t bytes) {
  const Words seen{words.lo & mask.lo, words.hi & mask.hi};
  return number(seen, bytes);
}

std::string describe_verb(const Verb& verb) {
  const std::string at = place(verb.addr);
  const std::uint32_t bytes = verb.bytes;
  switch (verb.kind) {
    case VerbKind::read:
      return fmt::format("READ {} bytes of {}", bytes, at);
    case VerbKind::write:
      return fmt::format("WRITE {} to {}", number(verb.value, bytes), at);
    case VerbKind::cas:
      return fmt::format("CAS {} -> {} on {}", number(verb.compare, bytes),
                         number(verb.value, bytes), at);
    case VerbKind::faa:
      return fmt::format("FAA {} on {}", number(verb.value, bytes), at);
    case VerbKind::masked_cas:
      return fmt::format("masked CAS {} -> {} on {}",
                         masked(verb.compare, verb.compare_mask, bytes),
                         masked(verb.value, verb.swap_mask, bytes), at);
    case VerbKind::masked_faa:
      return fmt::format("masked FAA {} on {}", number(verb.value, bytes), at);
  }
  return {};
}

std::string describe_operation(const OpSlot& op) {
  static constexpr std::array<const char*, 6> kAccesses = {
      "load of", "store to", "exchange on", "CAS on", "FAA on", "load of the words from"};
  switch (op.kind) {
    case OpKind::verb:
      return describe_verb(op.verb);
    case OpKind::send:
      return fmt::format("message {} to endpoint {} of node {}", op.message.type, op.target.number,
                         op.target.node.value);
    case OpKind::call:
      return fmt::format("call {} to node {}", op.call.request.type, op.server.value);
    case OpKind::cpu:
      return fmt::format("CPU {} {}", kAccesses[static_cast<std::size_t>(op.cpu)],
                         place(op.verb.addr));
    case OpKind::sleep:
      return "pause";
    case OpKind::compute:
      return "computation";
    case OpKind::on_node:
      return "visit to its node's state";
    case OpKind::flush:
      return "flush";
    case OpKind::allocate:
      return "allocation";
    case OpKind::evict:
      return "eviction";
    case OpKind::sync_now:
      return "look at the synchronised clock";
  }
  return {};
}

std::string describe_probe(const explorer::ProbeSlot& probe) {
  return describe_verb(probe.wait.probes[0]) + (probe.wait.probes.size() > 1 ? " and others" : "");
}

std::string what(const Step& step) {
  switch (step.kind) {
    case StepKind::start_root:
      return "starts";
    case StepKind::verb_piece:
      return fmt::format("{}: word {}", describe_operation(*step.op), step.part);
    case StepKind::atomic_read:
      return describe_operation(*step.op);
    case StepKind::atomic_write:
      return describe_operation(*step.op) + ": its second half";
    case StepKind::verb_fail:
      return describe_operation(*step.op) + ": fails";
    case StepKind::deliver:
    case StepKind::call_arrive:
      return describe_operation(*step.op) + ": arrives";
    case StepKind::send_fail:
    case StepKind::call_fail:
      return describe_operation(*step.op) + ": is not delivered";
    case StepKind::complete:
      return describe_operation(*step.op) + ": completes";
    case StepKind::local:
      return describe_operation(*step.op) + (step.op->kind == OpKind::sleep ? " ends" : "");
    case StepKind::wake_message:
      return "receives a message";
    case StepKind::wake_word:
      return "sees a word of its memory change";
    case StepKind::wake_deadline:
      return "stops waiting: its deadline has passed";
    case StepKind::wake_membership:
      return "learns that a client has died";
    case StepKind::probe_launch:
      return describe_probe(*step.probe) + ": looks again";
    case StepKind::probe_message:
      return "receives a message instead of looking again";
    case StepKind::probe_deadline:
      return "stops looking: its deadline has passed";
    case StepKind::probe_unchanged:
      return "stops looking: nothing has changed for long";
    case StepKind::detect_crash:
      return "is known to be dead";
    case StepKind::call_deadline:
      return describe_operation(*step.op) + ": its deadline has passed";
  }
  return {};
}

}  // namespace

std::string describe_actor(const Actor& actor) {
  switch (actor.kind()) {
    case ActorKind::client:
      return fmt::format("client {}", actor.client().value);
    case ActorKind::node:
      return fmt::format("node {}", actor.node().value);
    case ActorKind::server:
      return fmt::format("server {}", actor.node().value);
  }
  return {};
}

std::string describe_step(const Step& step) {
  return describe_actor(*step.actor) + ": " + what(step);
}

namespace {

constexpr const char* kSection = "its critical section";

// A holder's sleep is its critical section.
bool holds(const SearchModel& model, ClientId client) {
  const std::vector<ClientId> holders = model.holders();
  return std::find(holders.begin(), holders.end(), client) != holders.end();
}

const char* along_with(CrashUnit unit) {
  switch (unit) {
    case CrashUnit::client:
      return "";
    case CrashUnit::process:
      return ", with its process";
    case CrashUnit::node:
      return ", with its node and all clients there";
  }
  return "";
}

}  // namespace

std::string describe_choice(const SearchModel& model, const Choice& choice) {
  if (choice.kind == Choice::Kind::crash)
    return fmt::format("client {}: DIES{}", choice.victim.value, along_with(choice.unit));
  if (choice.kind == Choice::Kind::pause)
    return fmt::format("client {}: stands still from here on", choice.victim.value);
  if (choice.kind == Choice::Kind::resume)
    return fmt::format("client {}: goes on", choice.victim.value);
  const Step& step = choice.step;
  const bool section = step.op != nullptr && step.op->kind == OpKind::sleep &&
                       step.actor->kind() == ActorKind::client &&
                       holds(model, step.actor->client());
  if (choice.kind == Choice::Kind::cut)
    return fmt::format("{}: {}: FAILS, the path is down{}", describe_actor(*step.actor),
                       describe_operation(*step.op),
                       step.op->effected ? ", after it took effect" : "");
  const std::string text = section
                               ? fmt::format("{}: leaves {}", describe_actor(*step.actor), kSection)
                               : describe_step(step);
  return choice.kind == Choice::Kind::timeout ? text + " (after a timeout)" : text;
}

std::string describe_client(SearchModel& model, ClientId client) {
  const Actor* const actor = model.backend().state().find_client(client);
  if (!actor->alive) return "dead";
  if (actor->roots.empty()) return "done";
  std::string text;
  const auto add = [&](const std::string& thing) { text += (text.empty() ? "" : ", ") + thing; };
  const bool holding = holds(model, client);
  for (const OpSlot* op : actor->ops)
    if (!op->detached && op->probe == nullptr)
      add(holding && op->kind == OpKind::sleep ? kSection : describe_operation(*op));
  for (const explorer::ProbeSlot* probe : actor->probes) add("waits by " + describe_probe(*probe));
  for (const explorer::WaitSlot* wait : actor->waits)
    add(wait->set.message_count > 0 ? "waits for a message" : "waits for a word");
  return text;
}

std::uint64_t likeness(const Choice& choice) {
  if (choice.step.actor == nullptr)
    return hash_of(static_cast<std::uint64_t>(choice.kind), choice.victim.value);
  const Step& step = choice.step;
  std::uint64_t hash =
      hash_of(static_cast<std::uint64_t>(step.kind), step.actor->index(), step.part);
  if (step.op != nullptr) {
    hash = hash_of(hash, static_cast<std::uint64_t>(step.op->kind));
    if (step.op->kind == OpKind::verb)
      hash = hash_of(hash, static_cast<std::uint64_t>(step.op->verb.kind),
                     step.op->verb.addr.packed());
  }
  return hash;
}

}  // namespace latchlab::explore
