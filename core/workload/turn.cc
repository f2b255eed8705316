#include "core/workload/turn.h"

#include <algorithm>

namespace latchlab::loop {
namespace {

// The part of `wanted` for which all grants stay valid.
Duration time_left(const Turn& turn, Duration wanted) {
  const Time until = turn.held.valid_until();
  if (until == kNever) return wanted;
  const Time now = turn.verbs.now();
  return std::min(wanted, until > now ? time_until(until, now) : Duration{});
}

// Extends grants that expire before the work is over.
Task<void> extend_all(Turn& turn) {
  const Duration wanted = turn.section.work.hold + turn.section.work.compute;
  for (std::size_t i = 0; i < turn.held.size(); ++i) {
    Grant& grant = turn.held[i];
    if (grant.valid_until == kNever || grant.valid_until > saturating_add(turn.verbs.now(), wanted))
      continue;
    const AcquireResult result = co_await turn.lock.extend(grant, wanted);
    const Grant* const longer = std::get_if<Grant>(&result);
    if (longer == nullptr) continue;
    grant = *longer;
    turn.observer.extended(turn.me(), grant);
  }
}

// True if the last WRITE of a section is posted with its release. A guard checks the lock's words
// between the two, so not with a guard.
bool goes_with_the_release(const Turn& turn) {
  return turn.held.size() == 1 && turn.guard == nullptr && !turn.section.skip_release &&
         turn.lock.frees_with_a_write();
}

Verb verb_on_objects(Turn& turn, VerbKind kind) {
  const Work& work = turn.section.work;
  const bool write = kind == VerbKind::write;
  Verb verb;
  verb.kind = kind;
  verb.bytes = write && work.write_bytes > 0 ? work.write_bytes : work.bytes;
  verb.value.lo = verb.value.hi = turn.me().value;
  if (verb.bytes > (write ? kByValueBytes : kMaxReadBytes))
    verb.local = turn.source.buffer_of(turn.me());
  return verb;
}

Task<void> use_object(Turn& turn, const Verb& verb) {
  if (reads_words(verb)) {
    const ReadWords seen = co_await turn.verbs.read_words(verb.addr, verb.bytes);
  } else {
    co_await turn.verbs.issue(verb);
  }
}

// `times` READs or WRITEs of each object. False: a grant expired before the last one began.
Task<bool> use_objects(Turn& turn, VerbKind kind, std::uint32_t times) {
  Verb verb = verb_on_objects(turn, kind);
  for (std::size_t held = 0; held < turn.held.size(); ++held) {
    if (kind == VerbKind::write && turn.section.wants[held].mode == LockMode::shared) continue;
    verb.addr = turn.source.object_of(turn.held[held].lock.id);
    for (std::uint32_t i = 0; i < times; ++i) {
      if (time_left(turn, nanoseconds(1)).ps == 0) co_return false;
      if (kind == VerbKind::write && i + 1 == times && goes_with_the_release(turn))
        turn.last = verb;
      else
        co_await use_object(turn, verb);
    }
  }
  co_return true;
}

}  // namespace

bool has_kept_all(const Turn& turn) {
  const Time until = turn.held.valid_until();
  return until == kNever || turn.verbs.now() < until;
}

Task<void> look_up(Turn& turn) {
  Verb verb = verb_on_objects(turn, VerbKind::read);
  for (const LockId id : turn.section.lookups) {
    verb.addr = turn.source.object_of(id);
    co_await use_object(turn, verb);
  }
}

bool is_some(const Work& work) {
  return work.hold.ps > 0 || work.compute.ps > 0 || work.reads > 0 || work.writes > 0;
}

Task<bool> do_work(Turn& turn) {
  const Work& work = turn.section.work;
  bool all = true;
  if (turn.section.extend) co_await extend_all(turn);
  if (work.reads > 0) all = co_await use_objects(turn, VerbKind::read, work.reads);
  const Duration hold = time_left(turn, work.hold);
  if (hold.ps > 0) co_await turn.verbs.sleep(hold);
  const Duration compute = time_left(turn, work.compute);
  if (compute.ps > 0) co_await turn.verbs.compute(compute);
  all = all && hold == work.hold && compute == work.compute;
  if (work.writes > 0) {
    const bool written = co_await use_objects(turn, VerbKind::write, work.writes);
    all = all && written;
  }
  co_return all&& has_kept_all(turn);
}

}  // namespace latchlab::loop
