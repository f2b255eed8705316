#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/explorer/steps.h"
#include "core/base/json.h"
#include "core/protocols/message_names.h"
#include "core/verbs/operation.h"
#include "tools/explore/describe.h"
#include "tools/explore/replay.h"

namespace latchlab::explore {

using explorer::OpSlot;
using explorer::Step;
using explorer::StepKind;

namespace {
constexpr std::uint32_t kPieces = 8;  // pieces of a long READ or WRITE

// By StepKind.
constexpr std::array<const char*, 21> kStepNames = {
    "starts",          "piece",         "atomic",       "second half", "refused",
    "message arrives", "message lost",  "call arrives", "call lost",   "completes",
    "local",           "takes message", "sees word",    "deadline",    "sees death",
    "looks",           "takes message", "deadline",     "unchanged",   "death noticed",
    "deadline"};

std::string hex(std::uint64_t word) {
  return fmt::format("{:#x}", word);
}

std::vector<std::string> operand(const Words& words, std::uint32_t bytes) {
  std::vector<std::string> texts = {hex(words.lo)};
  if (bytes > 8) texts.push_back(hex(words.hi));
  return texts;
}

const Verb* verb_of(const Step& step) {
  if (step.probe != nullptr) return step.probe->wait.probes.data();
  if (step.op == nullptr) return nullptr;
  return step.op->kind == OpKind::verb || step.op->kind == OpKind::cpu ? &step.op->verb : nullptr;
}

Json actor_json(const explorer::Actor& actor) {
  constexpr std::array<const char*, 3> kinds = {"client", "node", "server"};
  Json json;
  json["kind"] = kinds[static_cast<std::size_t>(actor.kind())];
  if (actor.kind() == ActorKind::client) json["client"] = actor.client().value;
  json["node"] = actor.node().value;
  return json;
}

}  // namespace

std::vector<std::string> hex_words(std::span<const std::uint64_t> words) {
  std::vector<std::string> texts;
  for (const std::uint64_t word : words) texts.push_back(hex(word));
  return texts;
}

TouchedWords touched_by(const Step& step) {
  const Verb* const verb = verb_of(step);
  if (verb == nullptr) return {};
  const std::uint32_t words = (verb->bytes + 7) / 8;
  switch (step.kind) {
    case StepKind::verb_piece: {
      const std::uint32_t pieces = std::min(words, kPieces);
      const std::uint32_t from = step.part * words / pieces;
      const std::uint32_t to = (step.part + 1) * words / pieces;
      return {verb->addr + 8ULL * from, to - from, nullptr, verb->kind == VerbKind::write};
    }
    case StepKind::atomic_read:
      return {verb->addr, words, verb, true};
    case StepKind::atomic_write:
      return {verb->addr, words, nullptr, true};
    case StepKind::local: {
      if (step.op->kind != OpKind::cpu) return {};
      return {verb->addr, 1, nullptr, step.op->cpu != CpuAccess::load};
    }
    case StepKind::probe_launch:
      return {verb->addr, words, nullptr, is_atomic(verb->kind)};
    default:
      return {};
  }
}

StepJson::StepJson(SearchModel& model) : model_(model), places_(model.world()) {}

std::vector<std::uint64_t> StepJson::peek(const TouchedWords& touched) const {
  std::vector<std::uint64_t> words;
  const explorer::NodeState* node = model_.backend().state().find_node(touched.addr.node);
  if (node == nullptr || !node->memory.contains(touched.addr.offset, 8ULL * touched.count))
    return words;
  for (std::uint32_t i = 0; i < touched.count; ++i)
    words.push_back(model_.backend().peek(touched.addr + 8ULL * i));
  return words;
}

namespace {

// One step that has not been made yet.
class Telling {
 public:
  Telling(SearchModel& model, const AddressMap& places) : model_(model), places_(places) {}

  void add_address(Json& json, RemoteAddr addr) const {
    json["node"] = addr.node.value;
    json["offset"] = addr.offset;
    const AddressOwner place = places_.of(addr);
    json["place"] = name_of(place);
    if (place.kind == AddressOwner::Kind::elsewhere) return;
    if (place.locks.size() == 1) json["lock"] = place.locks.front().value;
    if (place.kind == AddressOwner::Kind::client) json["client"] = place.client.value;
    json["byte"] = place.byte;
  }

  Json verb_json(const Verb& verb) const {
    constexpr std::array<const char*, 6> names = {"read", "write",      "cas",
                                                  "faa",  "masked_cas", "masked_faa"};
    Json json;
    json["name"] = names[static_cast<std::size_t>(verb.kind)];
    add_address(json, verb.addr);
    json["bytes"] = verb.bytes;
    if (verb.kind == VerbKind::read || uses_local(verb)) return json;
    const bool compares = verb.kind == VerbKind::cas || verb.kind == VerbKind::masked_cas;
    if (compares) json["compare"] = operand(verb.compare, verb.bytes);
    if (verb.kind == VerbKind::masked_cas) {
      json["compare_mask"] = operand(verb.compare_mask, verb.bytes);
      json["swap_mask"] = operand(verb.swap_mask, verb.bytes);
    }
    if (verb.kind == VerbKind::masked_faa) json["boundary"] = operand(verb.boundary, verb.bytes);
    const char* const value = verb.kind == VerbKind::write ? "value" : compares ? "swap" : "add";
    json[value] = operand(verb.value, verb.bytes);
    return json;
  }

  Json cpu_json(const Operation& op) const {
    Json json;
    json["name"] = name_of(op);
    add_address(json, op.verb.addr);
    if (op.cpu == CpuAccess::cas) json["compare"] = hex(op.verb.compare.lo);
    if (op.cpu != CpuAccess::load) json["value"] = hex(op.verb.value.lo);
    return json;
  }

  Json message_json(const Message& message, EndpointAddr to) const {
    const MessageNames* const names = message_names_of(model_.world().protocol());
    Json json;
    const std::string_view name =
        names == nullptr ? std::string_view() : names->message_name(message.type);
    if (!name.empty()) json["name"] = name;
    json["type"] = message.type;
    json["lock"] = message.lock.value;
    json["generation"] = message.generation;
    json["words"] = hex_words(message.words);
    explorer::NodeState* const node = model_.backend().state().find_node(to.node);
    if (node != nullptr && to.number >= 1 && to.number <= node->endpoints.size())
      json["to"] = actor_json(*node->endpoints[to.number - 1].owner);
    return json;
  }

  Json call_json(const Operation& op) const {
    const MessageNames* const names = message_names_of(model_.world().protocol());
    Json json;
    const std::string_view name =
        names == nullptr ? std::string_view() : names->request_name(op.call.request.type);
    if (!name.empty()) json["name"] = name;
    json["type"] = op.call.request.type;
    json["node"] = op.server.value;
    json["words"] = hex_words(op.call.request.words);
    return json;
  }

  void add_operation(Json& json, const Step& step) const {
    const OpSlot& op = *step.op;
    if (op.kind == OpKind::verb) json["verb"] = verb_json(op.verb);
    if (op.kind == OpKind::cpu) json["cpu"] = cpu_json(op);
    if (op.kind == OpKind::send) json["message"] = message_json(op.message, op.target);
    if (op.kind == OpKind::call) json["call"] = call_json(op);
    if (step.kind != StepKind::complete) return;
    const bool answered = op.kind == OpKind::call && op.completion.ok();
    json["status"] = name_of(answered ? op.call.reply.status : op.completion.status);
    if (answered) json["reply"] = hex_words(op.call.reply.words);
    if (op.kind != OpKind::verb || !op.completion.ok() || op.verb.kind == VerbKind::write) return;
    json["result"] = operand(op.completion.value, op.verb.bytes);
  }

  // The message that is taken: the first that the filter accepts.
  void add_wait(Json& json, const Step& step) const {
    explorer::State& state = model_.backend().state();
    const bool of_probe = step.kind == StepKind::probe_message;
    if (!of_probe && step.kind != StepKind::wake_message) return;
    const MessageWait& wait =
        of_probe ? step.probe->wait.message : step.wait->set.messages[step.part];
    const explorer::Endpoint& endpoint = own_endpoint(state, *step.actor, wait.endpoint);
    const int index = find_message(endpoint, wait.filter);
    if (index < 0) return;
    json["message"] = message_json(endpoint.queue[static_cast<std::size_t>(index)], wait.endpoint);
  }

  Json of(const Step& step) const {
    Json json;
    json["step"] = kStepNames[static_cast<std::size_t>(step.kind)];
    json["text"] = describe_step(step);
    json["actor"] = actor_json(*step.actor);
    if (step.op != nullptr) add_operation(json, step);
    if (step.probe != nullptr) json["verb"] = verb_json(step.probe->wait.probes[0]);
    add_wait(json, step);
    return json;
  }

 private:
  SearchModel& model_;
  const AddressMap& places_;
};

}  // namespace

std::string StepJson::of(const Step& step) const {
  return dump_json(Telling(model_, places_).of(step));
}

}  // namespace latchlab::explore
