// Verbs that a software-atomics proxy executes: one request for a whole batch.

#include <algorithm>
#include <cstring>

#include "backends/ibverbs/verb_engine.h"

namespace latchlab::ib {

namespace {

// Data bytes in one frame: leaves room for the verb itself, and for its result in the answer.
constexpr std::uint32_t kPieceBytes = 2048;
static_assert(kPieceBytes + sizeof(ProxyHead) + sizeof(ProxyVerb) + sizeof(ProxyResult) <
              kBodyBytes);

// Whether data follows the verb or its result in a proxy's frames.
bool carries_data(const Verb& verb) {
  return uses_local(verb) || reads_words(verb);
}

}  // namespace

void ProxyClient::put(FrameWriter& frame, IbOperation& op, std::uint32_t at, std::uint32_t bytes) {
  const Verb& verb = op.verb;
  ProxyVerb asked;
  asked.offset = verb.addr.offset + at;
  asked.kind = verb.kind;
  asked.carries_data = carries_data(verb);
  asked.bytes = bytes;
  asked.value = verb.value;
  asked.compare = verb.compare;
  asked.compare_mask = verb.compare_mask;
  asked.swap_mask = verb.swap_mask;
  asked.boundary = verb.boundary;
  asked.ticket = context_.add_request(
      FrameKind::proxy_verbs, context_.directory.memory_server_of(verb.addr.node), &op, nullptr);
  ++op.pieces;
  frame.put(asked);
  if (asked.carries_data && verb.kind == VerbKind::write)
    frame.put_bytes(context_.node.memory->base() + verb.local.offset + at, bytes);
}

void ProxyClient::post(IbActor& actor, IbOperation& first, const IbOperation* end) {
  const ThreadId memory_server = context_.directory.memory_server_of(first.verb.addr.node);
  FrameWriter frame;
  ProxyHead head;
  head.from = actor.key;
  frame.put(head);
  std::uint32_t answered = 0;  // in the answer
  const auto send = [&] {
    if (head.verbs == 0) return;
    frame.replace(0, head);
    context_.frames.send(memory_server, FrameKind::proxy_verbs, 0, frame.body());
    frame.clear();
    head.verbs = answered = 0;
    head.continues = true;
    frame.put(head);
  };
  for (Operation* next = &first; next != end && next != nullptr; next = next->next) {
    auto& op = static_cast<IbOperation&>(*next);
    op.pieces = 0;
    const bool data = carries_data(op.verb);
    const bool reads = op.verb.kind == VerbKind::read;
    if (reads_words(op.verb)) context_.operations.lend(op, op.verb.bytes);
    for (std::uint32_t at = 0; at < op.verb.bytes;) {
      const std::uint32_t bytes = data ? std::min(kPieceBytes, op.verb.bytes - at) : op.verb.bytes;
      const std::uint32_t there = sizeof(ProxyVerb) + (data && !reads ? bytes : 0);
      const std::uint32_t back = sizeof(ProxyResult) + (data && reads ? bytes : 0);
      if (frame.room() < there || kBodyBytes - answered < back) send();
      put(frame, op, at, bytes);
      answered += back;
      ++head.verbs;
      at += bytes;
    }
  }
  send();
  if (!context_.frames.reaches(memory_server)) context_.requests.peer_is_gone(memory_server);
}

void ProxyClient::answered(FrameReader& reader) {
  for (ProxyResult result; reader.take(result);) {
    const std::byte* const data = reader.take_bytes(result.data_bytes);
    const std::optional<ThreadRequest> asked = context_.requests.take(result.ticket);
    if (!asked || data == nullptr) continue;
    IbOperation& op = *asked->op;
    const Verb& verb = op.verb;
    if (result.status != VerbStatus::ok && op.completion.status == VerbStatus::ok)
      op.completion.status = result.status;
    if (result.data_bytes > 0 && carries_data(verb)) {
      // Pieces of one READ are answered in the order of their requests.
      const std::uint32_t left = op.pieces - 1;
      const std::uint32_t whole = (verb.bytes + kPieceBytes - 1) / kPieceBytes;
      const std::uint64_t at = static_cast<std::uint64_t>(whole - 1 - left) * kPieceBytes;
      std::byte* const into = uses_local(verb) ? context_.node.memory->base() + verb.local.offset
                                               : reinterpret_cast<std::byte*>(op.buffer.words);
      std::memcpy(into + at, data, result.data_bytes);
    } else if (verb.kind != VerbKind::write) {
      std::memcpy(&op.completion.value, &result.value, std::min<std::uint32_t>(verb.bytes, 16));
    }
    if (op.pieces == 1 && reads_words(verb) && op.completion.ok()) op.show_words();
    if (--op.pieces == 0) context_.end(op, op.completion.status);
  }
}

void ProxyClient::failed(IbOperation& op) {
  if (op.pieces > 0) --op.pieces;
  if (op.pieces == 0) context_.end(op, VerbStatus::peer_failed);
}

}  // namespace latchlab::ib
