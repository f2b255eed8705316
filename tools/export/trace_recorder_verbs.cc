// TraceRecorder: verbs, messages and faults.

#include <fmt/core.h>

#include <algorithm>

#include "core/verbs/operation.h"
#include "tools/export/trace_recorder.h"
#include "tools/export/trace_text.h"

namespace latchlab::exporting {

namespace {

constexpr std::uint32_t kFirstMemory = 3'000'000;  // a thread id, like kFirstClient

}  // namespace

// ---- verbs ----

void TraceRecorder::started(Time at, std::size_t actor, const Operation& op) {
  if (!looks(at)) return;
  Actor& me = actors_[actor];
  wake(at, me);
  if (op.detached) {
    if (shown_)
      log_.instant(me.track, at, "post " + std::string(name_of(op)), asked_of(op, {}, names_));
    return;
  }
  Slice& made = push(at, me, {.kind = Kind::operation, .key = &op});
  if (!shown_ || op.kind != OpKind::send) return;
  made.arrow = next_arrow_++;
  log_.arrow_starts(me.track, at, made.arrow);
  on_their_way_[key_of(op.target, op.message)].push_back(made.arrow);
}

void TraceRecorder::ended(Time at, std::size_t actor, const Operation& op) {
  if (!looks(at)) return;
  Actor& me = actors_[actor];
  wake(at, me);
  if (shown_ && op.kind == OpKind::send && !op.completion.ok())
    for (const Slice& slice : me.open)
      if (slice.key == &op) forget_arrow(op, slice.arrow);
  settle(at, me, &op, shown_ ? result_of(op) : std::string());
}

// The message was never sent, so no receive may match its arrow.
void TraceRecorder::forget_arrow(const Operation& op, std::uint64_t arrow) {
  const auto found = on_their_way_.find(key_of(op.target, op.message));
  if (found != on_their_way_.end()) std::erase(found->second, arrow);
}

// Hold and think times are also sleeps, but have slices of their own.
void TraceRecorder::sleeps(Time at, std::size_t actor) {
  if (!looks(at)) return;
  Actor& me = actors_[actor];
  wake(at, me);
  if (me.idle_since != kNever || inside(me, Kind::hold)) return;
  push(at, me, {.kind = Kind::sleep});
}

// ---- waits and messages ----

void TraceRecorder::wait_started(Time at, std::size_t actor, const WaitOperation& wait) {
  if (!looks(at)) return;
  wake(at, actors_[actor]);
  push(at, actors_[actor], {.kind = Kind::wait, .key = &wait});
}

void TraceRecorder::wait_ended(Time at, std::size_t actor, const WaitOperation& wait) {
  if (!looks(at)) return;
  Actor& me = actors_[actor];
  wake(at, me);
  if (shown_ && wait.outcome.by == Woke::message) {
    const auto found = on_their_way_.find(
        key_of(wait.set.messages[wait.outcome.index].endpoint, wait.outcome.message));
    if (found != on_their_way_.end() && !found->second.empty()) {
      log_.arrow_ends(me.track, at, found->second.front());
      found->second.pop_front();
    }
  }
  settle(at, me, &wait, shown_ ? outcome_of(wait, names_) : std::string());
}

void TraceRecorder::opened(std::size_t actor, EndpointAddr endpoint) {
  owners_[endpoint.packed()] = actor;
}

// The actor that receives a message or serves a call; null: the recorder does not know it.
const TraceRecorder::Actor* TraceRecorder::target_of(const Operation& op) const {
  if (op.kind == OpKind::call) {
    const auto server = std::find_if(actors_.begin(), actors_.end(), [&op](const Actor& each) {
      return each.kind == ActorKind::server && each.node == op.server;
    });
    return server == actors_.end() ? nullptr : &*server;
  }
  const auto owner = owners_.find(op.target.packed());
  return owner == owners_.end() ? nullptr : &actors_[owner->second];
}

std::string TraceRecorder::receiver_of(const Operation& op) const {
  const Actor* const who = target_of(op);
  if (who == nullptr) return fmt::format("node {}", op.target.node.value);
  return fmt::format("{} on node {}", who->name, who->node.value);
}

// A message does not identify its sender. Of equal messages to one endpoint, the recorder matches
// the first sent with the first received.
TraceRecorder::MessageKey TraceRecorder::key_of(EndpointAddr target, const Message& message) {
  return {target.packed(), message.type, message.generation, message.lock.value, message.words};
}

// ---- at the other end ----

void TraceRecorder::took_effect(Time at, std::size_t actor, const Effect& effect,
                                const EffectText& text) {
  if (!looks(at) || !shown_ || !text.tells(effect.op)) return;
  Actor& me = actors_[actor];
  const Args dates = EffectText::dates(effect, at);
  const Args outcome = text.outcome(effect.op);
  for (Slice& slice : me.open)
    if (slice.key == &effect.op) slice.effect = Args(dates).add(outcome);
  const NodeId node = effect.op.verb.addr.node;
  const Track track{node.value, kFirstMemory + node.value};
  log_.name_track(track, "effects on memory", track.tid);
  Args args;
  args.text("verb", name_of(effect.op)).text("by", me.name);
  args.add(Args(asked_of(effect.op, {}, names_))).add(Args(result_of(effect.op)));
  log_.instant(track, at, fmt::format("{} by {}", name_of(effect.op), me.name),
               args.add(dates).add(outcome).str());
}

void TraceRecorder::arrived(Time at, std::size_t sender, const Operation& op) {
  if (!looks(at) || !shown_) return;
  const Actor* const target = target_of(op);
  if (target == nullptr) return;
  const Actor& from = actors_[sender];
  Args args;
  args.text("from", fmt::format("{} on node {}", from.name, from.node.value));
  if (op.kind == OpKind::send) {
    add_message(args, op.message, names_);
  } else {
    add_request(args, op.call.request, names_);
  }
  for (const Slice& slice : from.open)
    if (slice.key == &op && slice.arrow != 0) args.number("arrow", slice.arrow);
  log_.instant(target->track, at, op.kind == OpKind::send ? "message arrives" : "call arrives",
               args.str());
}

// ---- faults ----

void TraceRecorder::crashed(Time at, ClientId client, std::string_view kind) {
  if (!looks(at)) return;
  Actor& me = actor(client);
  const std::string args = Args().text("cut", "crash").str();
  for (const Slice& slice : me.open)
    if (slice.kind == Kind::acquire) locks_.gave_up(at, slice.lock);
  locks_.crashed(at, client, args);
  clear(at, me, args);
  if (shown_) log_.instant(me.track, at, std::string(kind));
}

void TraceRecorder::node_crashed(Time at, NodeId node) {
  if (!looks(at)) return;
  for (const auto& [client, index] : by_client_)
    if (actors_[index].node == node) crashed(at, client, "node crash");
  for (Actor& each : actors_)
    if (each.node == node) clear(at, each, Args().text("cut", "crash").str());
  if (shown_) log_.instant_of_process(node.value, at, "node crash");
}

void TraceRecorder::happened(Time at, ClientId client, std::string_view what,
                             const std::string& args) {
  if (looks(at) && shown_) log_.instant(actor(client).track, at, std::string(what), args);
}

void TraceRecorder::happened(Time at, NodeId node, std::string_view what, const std::string& args) {
  if (looks(at) && shown_) log_.instant_of_process(node.value, at, std::string(what), args);
}

}  // namespace latchlab::exporting
