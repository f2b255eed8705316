#include "core/protocols/static_segments/client.h"

#include <algorithm>

#include "core/base/paths.h"
#include "core/coro/when_all.h"
#include "core/protocols/common/planted.h"

namespace latchlab::static_segments {

Span span_of(const Options& options, const Extent& range) {
  const std::uint64_t end = options.segments() - 1;
  if (range.whole()) return {0, end};
  const std::uint64_t last = options.units - 1;
  const std::uint64_t from = std::min(range.first, last);
  const std::uint64_t to = std::min(range.first + (range.count - 1), last);
  return {from * options.parts / options.segment,
          (to * options.parts + options.parts - 1) / options.segment};
}

// Each segment has a LockId of its own, so that dslr treats it as a separate lock.
LockRef Client::lock_of(LockRef range, std::uint64_t segment) const {
  return {LockId{range.id.value * options_.segments() + segment},
          range.entry + options_.word.bytes() * segment};
}

Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  Span span = span_of(options_, want.extent);
  if (PLANTED(static_segments_forgets_the_last) && span.last > span.first) --span.last;
  std::vector<Grant>& taken = taken_[want.id];
  taken.clear();
  Time until = kNever;
  for (std::uint64_t i = span.first; i <= span.last; ++i) {
    const bool backwards = PLANTED(static_segments_goes_both_ways) && want.extent.first % 2 != 0;
    Want one = want;
    one.lock = lock_of(want.lock, backwards ? span.last - (i - span.first) : i);
    const AcquireResult result = co_await one_.acquire(one, options);
    const Grant* const grant = std::get_if<Grant>(&result);
    if (grant == nullptr) {
      if (taken.empty()) LATCHLAB_PATH("static_segments: the first segment is refused");
      if (!taken.empty()) LATCHLAB_PATH("static_segments: a later segment is refused");
      co_await give_back(taken);
      co_return result;
    }
    taken.push_back(*grant);
    until = std::min(until, grant->valid_until);
    if (until == kNever || verbs_.now() < until) continue;
    LATCHLAB_PATH("static_segments: a lease is over before the last segment is taken");
    co_await give_back(taken);
    co_return Aborted{AbortReason::recovered};
  }
  if (want.extent.whole()) LATCHLAB_PATH("static_segments: a range is the whole object");
  if (taken.size() == 1) LATCHLAB_PATH("static_segments: a range has one segment");
  if (taken.size() > 1) LATCHLAB_PATH("static_segments: a range has several segments");
  Grant range(want, taken.front().mode);
  range.extent = want.extent;
  range.valid_until = until;
  co_return range;
}

Task<ReleaseResult> Client::release(Grant grant) {
  const bool all = co_await give_back(taken_[grant.id]);
  if (all) co_return ReleaseResult::released;
  LATCHLAB_PATH("static_segments: a segment is not released");
  co_return ReleaseResult::suppressed;
}

Task<bool> Client::give_back(std::vector<Grant>& taken) {
  bool all = true;
  if (PLANTED(static_segments_keeps_the_rest) && !taken.empty()) taken.resize(1);
  if (taken.size() > 1 && options_.releases == Releases::one_by_one)
    LATCHLAB_PATH("static_segments: segments are released one after the other");
  if (options_.releases == Releases::one_by_one || taken.size() < 2) {
    for (const Grant& grant : taken) {
      const ReleaseResult released = co_await one_.release(grant);
      all = all && released == ReleaseResult::released;
    }
  } else {
    LATCHLAB_PATH("static_segments: segments are released together");
    std::vector<Task<ReleaseResult>> releases;
    releases.reserve(taken.size());
    for (const Grant& grant : taken) releases.push_back(one_.release(grant));
    co_await when_all(releases);
    for (Task<ReleaseResult>& each : releases)
      all = each.take_result() == ReleaseResult::released && all;
  }
  taken.clear();
  co_return all;
}

}  // namespace latchlab::static_segments
