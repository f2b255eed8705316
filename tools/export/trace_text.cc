#include "tools/export/trace_text.h"

#include <fmt/core.h>

#include <array>

#include "core/verbs/operation.h"

namespace latchlab::exporting {

void add_words(Args& args, std::string_view name, const Words& words, std::uint32_t bytes) {
  args.hex(name, words.lo);
  if (bytes == 16) args.hex(std::string(name) + " high", words.hi);
}

void add_message(Args& args, const Message& message, const MessageNames* names) {
  const std::string_view name =
      names == nullptr ? std::string_view() : names->message_name(message.type);
  if (!name.empty()) args.said("message", name);
  args.number("type", message.type).number("lock", message.lock.value);
  args.number("generation", message.generation);
  for (std::size_t i = 0; i < message.words.size(); ++i)
    if (message.words[i] != 0) args.hex(fmt::format("word {}", i), message.words[i]);
}

void add_request(Args& args, const Request& request, const MessageNames* names) {
  const std::string_view name =
      names == nullptr ? std::string_view() : names->request_name(request.type);
  if (!name.empty()) args.said("request", name);
  args.number("type", request.type);
}

namespace {

void add_operands(Args& args, const Verb& verb) {
  args.text("address", address_text(verb.addr)).number("bytes", verb.bytes);
  if (verb.kind == VerbKind::read || uses_local(verb)) return;
  const bool compares = verb.kind == VerbKind::cas || verb.kind == VerbKind::masked_cas;
  if (compares) add_words(args, "compare", verb.compare, verb.bytes);
  if (verb.kind == VerbKind::masked_cas) {
    add_words(args, "compare mask", verb.compare_mask, verb.bytes);
    add_words(args, "swap mask", verb.swap_mask, verb.bytes);
  }
  if (verb.kind == VerbKind::masked_faa) add_words(args, "boundary", verb.boundary, verb.bytes);
  add_words(args,
            verb.kind == VerbKind::write ? "value"
            : compares                   ? "swap"
                                         : "add",
            verb.value, verb.bytes);
}

void add_result(Args& args, const Operation& op) {
  const Words& value = op.completion.value;
  if (op.verb.kind == VerbKind::read && !uses_local(op.verb))
    add_words(args, "value", value, op.verb.bytes);
  if (!is_atomic(op.verb.kind)) return;
  add_words(args, "before", value, op.verb.bytes);
  args.flag("matched", matched(op.verb, value));
}

}  // namespace

std::string_view name_of(AbortReason reason) {
  constexpr std::array<std::string_view, 5> names = {"deadline", "recovered", "too many",
                                                     "server failed", "unsupported"};
  return names[static_cast<std::size_t>(reason)];
}

std::string address_text(RemoteAddr addr) {
  return fmt::format("node {} + {:#x}", addr.node.value, addr.offset);
}

std::string asked_of(const Operation& op, const std::string& receiver, const MessageNames* names) {
  Args args;
  switch (op.kind) {
    case OpKind::verb:
      add_operands(args, op.verb);
      if (op.detached) args.flag("detached", true);
      break;
    case OpKind::cpu:
      args.text("address", address_text(op.verb.addr));
      if (op.cpu == CpuAccess::cas) args.hex("compare", op.verb.compare.lo);
      if (op.cpu != CpuAccess::load) args.hex("value", op.verb.value.lo);
      break;
    case OpKind::send:
      args.text("to", receiver);
      add_message(args, op.message, names);
      break;
    case OpKind::call:
      args.text("to", fmt::format("node {}", op.server.value));
      add_request(args, op.call.request, names);
      break;
    default:
      break;
  }
  return args.str();
}

std::string result_of(const Operation& op) {
  Args args;
  const bool answered = op.kind == OpKind::call && op.completion.ok();
  args.text("status", name_of(answered ? op.call.reply.status : op.completion.status));
  if (op.kind == OpKind::verb && op.completion.ok()) add_result(args, op);
  if (op.kind == OpKind::cpu && op.cpu != CpuAccess::store)
    args.hex(op.cpu == CpuAccess::load ? "value" : "before", op.completion.value.lo);
  return args.str();
}

std::string outcome_of(const WaitOperation& wait, const MessageNames* names) {
  constexpr std::array<std::string_view, 4> wakers = {"message", "word", "deadline", "membership"};
  Args args;
  args.text("woken by", wakers[static_cast<std::size_t>(wait.outcome.by)]);
  if (wait.outcome.by == Woke::word) args.hex("value", wait.outcome.value);
  if (wait.outcome.by == Woke::message) add_message(args, wait.outcome.message, names);
  return args.str();
}

}  // namespace latchlab::exporting
