#include "core/workload/section_run.h"

#include <algorithm>

namespace latchlab::loop {
namespace {

// The part of `wanted` for which all grants stay valid.
Duration time_left(const SectionRun& run, Duration wanted) {
  const Time until = run.held.valid_until();
  if (until == kNever) return wanted;
  const Time now = run.verbs.now();
  return std::min(wanted, until > now ? time_until(until, now) : Duration{});
}

// Extends grants that expire before the work is over.
Task<void> extend_all(SectionRun& run) {
  const Duration wanted = run.section.work.hold + run.section.work.compute;
  for (std::size_t i = 0; i < run.held.size(); ++i) {
    Grant& grant = run.held[i];
    if (grant.valid_until == kNever || grant.valid_until > saturating_add(run.verbs.now(), wanted))
      continue;
    const AcquireResult result = co_await run.lock.extend(grant, wanted);
    const Grant* const longer = std::get_if<Grant>(&result);
    if (longer == nullptr) continue;
    grant = *longer;
    run.observer.extended(run.me(), grant);
  }
}

// True if the last WRITE of a section is posted with its release. A guard checks the lock's words
// between the two, so not with a guard.
bool goes_with_the_release(const SectionRun& run) {
  return run.held.size() == 1 && run.guard == nullptr && !run.section.skip_release &&
         run.lock.frees_with_a_write();
}

Verb verb_on_objects(SectionRun& run, VerbKind kind) {
  const Work& work = run.section.work;
  const bool write = kind == VerbKind::write;
  Verb verb;
  verb.kind = kind;
  verb.bytes = write && work.write_bytes > 0 ? work.write_bytes : work.bytes;
  verb.value.lo = verb.value.hi = run.me().value;
  if (verb.bytes > (write ? kByValueBytes : kMaxReadBytes))
    verb.local = run.source.buffer_of(run.me());
  return verb;
}

Task<void> use_object(SectionRun& run, const Verb& verb) {
  if (reads_words(verb)) {
    const ReadWords seen = co_await run.verbs.read_words(verb.addr, verb.bytes);
  } else {
    co_await run.verbs.issue(verb);
  }
}

// One READ or WRITE of each place. False: a grant expired before the last one began.
Task<bool> use_places(SectionRun& run, VerbKind kind) {
  for (const PlacedObject& place : run.section.places) {
    if (time_left(run, nanoseconds(1)).ps == 0) co_return false;
    run.section.work.bytes = place.bytes;
    Verb verb = verb_on_objects(run, kind);
    verb.addr = place.addr;
    co_await use_object(run, verb);
  }
  co_return true;
}

// `times` READs or WRITEs of each object. False: a grant expired before the last one began.
Task<bool> use_objects(SectionRun& run, VerbKind kind, std::uint32_t times) {
  if (!run.section.places.empty()) co_return co_await use_places(run, kind);
  Verb verb = verb_on_objects(run, kind);
  for (std::size_t held = 0; held < run.held.size(); ++held) {
    if (kind == VerbKind::write && run.section.wants[held].mode == LockMode::shared) continue;
    verb.addr = run.source.object_of(run.held[held].lock.id);
    for (std::uint32_t i = 0; i < times; ++i) {
      if (time_left(run, nanoseconds(1)).ps == 0) co_return false;
      if (kind == VerbKind::write && i + 1 == times && goes_with_the_release(run))
        run.last = verb;
      else
        co_await use_object(run, verb);
    }
  }
  co_return true;
}

}  // namespace

bool has_kept_all(const SectionRun& run) {
  const Time until = run.held.valid_until();
  return until == kNever || run.verbs.now() < until;
}

Task<void> look_up(SectionRun& run) {
  Verb verb = verb_on_objects(run, VerbKind::read);
  for (const LockId id : run.section.lookups) {
    verb.addr = run.source.object_of(id);
    co_await use_object(run, verb);
  }
}

bool is_some(const Work& work) {
  return work.hold.ps > 0 || work.compute.ps > 0 || work.reads > 0 || work.writes > 0;
}

Task<bool> do_work(SectionRun& run) {
  const Work& work = run.section.work;
  bool all = true;
  if (run.section.extend) co_await extend_all(run);
  if (work.reads > 0) all = co_await use_objects(run, VerbKind::read, work.reads);
  const Duration hold = time_left(run, work.hold);
  if (hold.ps > 0) co_await run.verbs.sleep(hold);
  const Duration compute = time_left(run, work.compute);
  if (compute.ps > 0) co_await run.verbs.compute(compute);
  all = all && hold == work.hold && compute == work.compute;
  if (work.writes > 0) {
    const bool written = co_await use_objects(run, VerbKind::write, work.writes);
    all = all && written;
  }
  co_return all&& has_kept_all(run);
}

}  // namespace latchlab::loop
