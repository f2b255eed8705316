#include "tools/export/trace_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/protocols/common/masks.h"
#include "core/verbs/operation.h"
#include "tools/export/trace_text.h"

namespace latchlab::exporting {

namespace {

// Thread ids start far above process ids, because a viewer misinterprets a thread id that equals a
// process id.
constexpr std::uint32_t kFirstClient = 1'000'000;
constexpr std::uint32_t kFirstOther = 2'000'000;

std::string cut_text(std::string_view why) {
  return Args().text("cut", why).str();
}

}  // namespace

TraceRecorder::TraceRecorder(const TraceWindow& window, const std::vector<std::string>& nodes)
    : window_(window), locks_(log_, static_cast<std::uint32_t>(nodes.size()) + 1) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    log_.name_process(static_cast<std::uint32_t>(i) + 1, nodes[i],
                      static_cast<std::int64_t>(i) + 1);
}

std::size_t TraceRecorder::add_actor(ActorKind kind, NodeId node, ClientId client) {
  Actor made;
  made.kind = kind;
  made.node = node;
  made.name = kind == ActorKind::client   ? fmt::format("client {}", client.value)
              : kind == ActorKind::server ? "server part"
                                          : "node part";
  const auto index = static_cast<std::uint32_t>(actors_.size());
  made.track = {node.value,
                kind == ActorKind::client ? kFirstClient + client.value : kFirstOther + index};
  log_.name_track(made.track, made.name, made.track.tid);
  if (kind == ActorKind::client) by_client_[client] = index;
  actors_.push_back(std::move(made));
  return index;
}

// ---- the window ----

// Every recording function calls this first. False: the window has ended, so record nothing.
bool TraceRecorder::looks(Time at) {
  if (closed_) return false;
  if (!shown_ && at >= window_.from) open(window_.from);
  if (at >= window_.to) {
    close(window_.to, "goes on behind the window");
  } else if (log_.size() >= window_.max_events) {
    full_ = true;
    close(at, "the trace is full");
  }
  return !closed_;
}

void TraceRecorder::open(Time at) {
  shown_ = true;
  locks_.open(at);
  for (Actor& each : actors_)
    for (const Slice& slice : each.open) {
      std::string args = args_of_slice(slice);
      if (slice.since < at) {
        args += args.empty() ? "" : ",";
        args += Args().text("cut", "began before the window").date("since", slice.since).str();
      }
      log_.begin(each.track, at, name_of_slice(slice), std::move(args));
    }
}

void TraceRecorder::close(Time at, std::string_view why) {
  shown_to_ = at;
  for (Actor& each : actors_) clear(at, each, cut_text(why));
  locks_.close(at, cut_text(why));
  closed_ = true;
}

void TraceRecorder::finish(Time at) {
  if (looks(at)) close(at, "the run ends");
  locks_.name_tracks();
}

// ---- slices of an actor ----

int TraceRecorder::level(Kind kind) {
  if (kind == Kind::cycle) return 0;
  if (kind <= Kind::release) return 1;
  return kind == Kind::phase ? 2 : 3;
}

TraceRecorder::Slice& TraceRecorder::push(Time at, Actor& actor, Slice slice) {
  if (level(slice.kind) < level(Kind::operation)) pop_to(at, actor, slice.kind);
  slice.since = at;
  if (shown_) log_.begin(actor.track, at, name_of_slice(slice), args_of_slice(slice));
  actor.open.push_back(std::move(slice));
  return actor.open.back();
}

void TraceRecorder::pop(Time at, Actor& actor, const std::string& args) {
  if (shown_) log_.end(actor.track, at, args);
  actor.open.pop_back();
}

// Ends the open slices at the level of `kind` or deeper; `args` go to those at that level.
void TraceRecorder::pop_to(Time at, Actor& actor, Kind kind, const std::string& args) {
  while (!actor.open.empty() && level(actor.open.back().kind) >= level(kind))
    pop(at, actor, level(actor.open.back().kind) == level(kind) ? args : std::string());
}

// An actor that performs an operation is no longer asleep.
void TraceRecorder::wake(Time at, Actor& actor) {
  if (!actor.open.empty() && actor.open.back().kind == Kind::sleep) pop(at, actor, {});
}

// The operation of `key` has ended. Its slice stays open while slices begun after it are open.
void TraceRecorder::settle(Time at, Actor& actor, const void* key, const std::string& result) {
  const auto slice = std::find_if(actor.open.rbegin(), actor.open.rend(),
                                  [key](const Slice& each) { return each.key == key; });
  if (slice == actor.open.rend()) return;
  slice->ended = true;
  slice->result = Args(result).add(slice->effect).str();
  while (!actor.open.empty() && actor.open.back().ended) pop(at, actor, actor.open.back().result);
}

// Logged at its end, because most clients have no think time and an empty slice is of no use.
void TraceRecorder::end_idle(Time at, Actor& actor, const std::string& args) {
  const Time since = std::max(std::exchange(actor.idle_since, kNever), window_.from);
  if (!shown_ || since >= at) return;
  log_.begin(actor.track, since, "think");
  log_.end(actor.track, at, args);
}

void TraceRecorder::clear(Time at, Actor& actor, const std::string& args) {
  end_idle(at, actor, args);
  while (!actor.open.empty()) pop(at, actor, args);
}

bool TraceRecorder::inside(const Actor& actor, Kind kind) {
  return std::any_of(actor.open.begin(), actor.open.end(),
                     [kind](const Slice& each) { return each.kind == kind; });
}

std::string TraceRecorder::name_of_slice(const Slice& slice) {
  const auto of_lock = [&](const char* what) {
    return fmt::format("{} lock {} {}", what, slice.lock.value, name_of(slice.mode));
  };
  switch (slice.kind) {
    case Kind::cycle:
      return "cycle";
    case Kind::acquire:
      return of_lock("acquire");
    case Kind::hold:
      return of_lock("hold");
    case Kind::release:
      return of_lock("release");
    case Kind::phase:
      return std::string(kPhaseNames[static_cast<std::size_t>(slice.phase)]);
    case Kind::operation:
      return std::string(name_of(*static_cast<const Operation*>(slice.key)));
    case Kind::wait:
      return "wait";
    case Kind::sleep:
      break;
  }
  return "pause";
}

std::string TraceRecorder::args_of_slice(const Slice& slice) const {
  if (slice.kind == Kind::operation) {
    const auto& op = *static_cast<const Operation*>(slice.key);
    return asked_of(op, op.kind == OpKind::send ? receiver_of(op) : std::string(), names_);
  }
  if (level(slice.kind) != level(Kind::acquire)) return {};
  return Args().number("lock", slice.lock.value).text("mode", name_of(slice.mode)).str();
}

// ---- the client loop ----

void TraceRecorder::cycle_begins(Time at, ClientId client) {
  if (!looks(at)) return;
  Actor& me = actor(client);
  end_idle(at, me);
  push(at, me, {});
}

void TraceRecorder::acquire_begins(Time at, ClientId client, LockId lock, LockMode mode) {
  if (!looks(at)) return;
  push(at, actor(client), {.kind = Kind::acquire, .mode = mode, .lock = lock});
  locks_.asked(at, lock);
}

void TraceRecorder::aborted(Time at, ClientId client, AbortReason reason) {
  if (!looks(at)) return;
  Actor& me = actor(client);
  for (const Slice& slice : me.open)
    if (slice.kind == Kind::acquire) locks_.gave_up(at, slice.lock);
  pop_to(at, me, Kind::acquire, Args().text("aborted", name_of(reason)).str());
  me.idle_since = at;
}

void TraceRecorder::granted(Time at, ClientId client, const Grant& grant) {
  if (!looks(at)) return;
  push(at, actor(client), {.kind = Kind::hold, .mode = grant.mode, .lock = grant.lock.id});
  locks_.granted(at, client, grant);
}

void TraceRecorder::upgraded(Time at, ClientId client, const Grant& grant) {
  happened(at, client, "upgraded", Args().number("lock", grant.lock.id.value).str());
  if (looks(at)) locks_.upgraded(at, client, grant);
}

void TraceRecorder::release_begins(Time at, ClientId client, const Grant& grant) {
  if (!looks(at)) return;
  push(at, actor(client), {.kind = Kind::release, .mode = grant.mode, .lock = grant.lock.id});
  locks_.let_go(at, client, grant, {});
}

void TraceRecorder::released(Time at, ClientId client, ReleaseResult result) {
  if (!looks(at)) return;
  const bool suppressed = result == ReleaseResult::suppressed;
  pop_to(at, actor(client), Kind::release,
         suppressed ? Args().flag("suppressed", true).str() : std::string());
  actor(client).idle_since = at;
}

void TraceRecorder::release_skipped(Time at, ClientId client, const Grant& grant) {
  if (!looks(at)) return;
  const std::string args = Args().text("cut", "never released").str();
  pop_to(at, actor(client), Kind::hold, args);
  locks_.let_go(at, client, grant, args);
  actor(client).idle_since = at;
}

void TraceRecorder::phase(Time at, ClientId client, Phase phase) {
  if (!looks(at)) return;
  Actor& me = actor(client);
  pop_to(at, me, Kind::phase);
  if (phase == Phase::other) return;
  push(at, me, {.kind = Kind::phase, .phase = phase});
}

namespace {

// Larger entries, such as a tree of megabytes, are not decoded at each verb: too long to read.
constexpr std::uint64_t kMostEntryBytes = 4096;

bool reads(const Operation& op) {
  if (op.kind == OpKind::verb) return op.verb.kind == VerbKind::read;
  return op.cpu == CpuAccess::load;
}

}  // namespace

bool EffectText::tells(const Operation& op) const {
  if (op.kind == OpKind::verb) return true;
  return !reads(op) && places_.of(op.verb.addr).kind == AddressOwner::Kind::entry;
}

Args EffectText::dates(const Effect& effect, Time now) {
  Args args;
  if (effect.began != kNever)
    args.date("queued_us", effect.queued)
        .date("waited_us", Time{(effect.began - effect.queued).ps})
        .date("slot_us", effect.began);
  args.date("effect_us", now);
  return args;
}

Args EffectText::outcome(const Operation& op) const {
  const AddressOwner place = places_.of(op.verb.addr);
  Args args;
  args.text("place", name_of(place));
  if (place.kind == AddressOwner::Kind::entry) args.number("byte", place.byte);
  if (!reads(op)) {
    Words after{memory_.peek(op.verb.addr), 0};
    const std::uint32_t bytes = op.kind == OpKind::cpu ? 8 : op.verb.bytes;
    if (bytes == 16) after.hi = memory_.peek(op.verb.addr + 8);
    add_words(args, "after", after, bytes);
  }
  if (place.kind == AddressOwner::Kind::entry) add_entries(args, op, place);
  return args;
}

// If a word holds parts of several locks, adds only the entries that the effect changed, as far as
// the old value is known.
void EffectText::add_entries(Args& args, const Operation& op, const AddressOwner& place) const {
  if (world_.entry_bytes() > kMostEntryBytes) return;
  const bool parts = place.locks.size() > 1;
  const bool blind = op.kind == OpKind::verb && op.verb.kind == VerbKind::write;
  const std::uint64_t changed = blind ? ~0ULL : memory_.peek(op.verb.addr) ^ op.completion.value.lo;
  std::string text;
  for (const LockId lock : place.locks) {
    const PartOfWord part(world_.lock(lock).entry);
    const auto bits = static_cast<unsigned>(8 * world_.entry_bytes());
    if (parts && field_of(changed, part.shift, bits) == 0) continue;
    if (!text.empty()) text += "; ";
    if (parts) text += fmt::format("lock {}: ", lock.value);
    text += world_.protocol().decode(world_.entry(lock, memory_));
  }
  if (!parts) args.number("lock", place.locks.front().value);
  if (!text.empty()) args.said("entry", text);
}

}  // namespace latchlab::exporting
