// Verbs that an agent (a node's software-atomics proxy) executes: one request for a whole batch.

#include <algorithm>
#include <utility>

#include "backends/ibverbs/actor_host.h"
#include "core/base/check.h"

namespace latchlab::ib {

namespace {

// Data bytes in one frame: leaves room for the verb itself, and for its result in the answer.
constexpr std::uint32_t kPieceBytes = 2048;
static_assert(kPieceBytes + sizeof(ProxyHead) + sizeof(ProxyVerb) + sizeof(ProxyResult) <
              kBodyBytes);

// Whether data follows the verb or its result.
bool carries_data(const Verb& verb) {
  return uses_local(verb) || reads_words(verb);
}

}  // namespace

void ActorHost::put_proxy_verb(FrameWriter& frame, IbOperation& op, std::uint32_t at,
                               std::uint32_t bytes) {
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
  asked.ticket =
      ask(FrameKind::proxy_verbs, directory_.memory_server_of(verb.addr.node), &op, nullptr);
  ++op.pieces;
  frame.put(asked);
  if (asked.carries_data && verb.kind == VerbKind::write)
    frame.put_bytes(node_.memory->base() + verb.local.offset + at, bytes);
}

// Sends the verbs from `first` up to, but not including, `end`: in each frame as many as fit, and
// as their results fit into its answer.
void ActorHost::ask_proxy(IbActor& actor, IbOperation& first, IbOperation* end) {
  const ThreadId memory_server = directory_.memory_server_of(first.verb.addr.node);
  FrameWriter frame;
  ProxyHead head;
  head.from = actor.key;
  frame.put(head);
  std::uint32_t answered = 0;  // in the answer
  const auto send = [&] {
    if (head.verbs == 0) return;
    frame.replace(0, head);
    frames_->send(memory_server, FrameKind::proxy_verbs, 0, frame.body());
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
    if (reads_words(op.verb)) operations_.lend(op, op.verb.bytes);
    for (std::uint32_t at = 0; at < op.verb.bytes;) {
      const std::uint32_t bytes = data ? std::min(kPieceBytes, op.verb.bytes - at) : op.verb.bytes;
      const std::uint32_t there = sizeof(ProxyVerb) + (data && !reads ? bytes : 0);
      const std::uint32_t back = sizeof(ProxyResult) + (data && reads ? bytes : 0);
      if (frame.room() < there || kBodyBytes - answered < back) send();
      put_proxy_verb(frame, op, at, bytes);
      answered += back;
      ++head.verbs;
      at += bytes;
    }
  }
  send();
  if (!frames_->reaches(memory_server)) peer_is_gone(memory_server);
}

void ActorHost::proxy_answered(FrameReader& reader) {
  for (ProxyResult result; reader.take(result);) {
    const std::byte* const data = reader.take_bytes(result.data_bytes);
    const std::optional<Ask> asked = answered(result.ticket);
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
      std::byte* const into = uses_local(verb) ? node_.memory->base() + verb.local.offset
                                               : reinterpret_cast<std::byte*>(op.buffer.words);
      std::memcpy(into + at, data, result.data_bytes);
    } else if (verb.kind != VerbKind::write) {
      std::memcpy(&op.completion.value, &result.value, std::min<std::uint32_t>(verb.bytes, 16));
    }
    if (op.pieces == 1 && reads_words(verb) && op.completion.ok()) show_words(op);
    if (--op.pieces == 0) verb_over(op, op.completion.status);
  }
}

}  // namespace latchlab::ib
