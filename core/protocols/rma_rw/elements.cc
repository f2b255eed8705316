#include "core/protocols/rma_rw/elements.h"

#include "core/base/paths.h"

namespace latchlab::rma_rw {

Task<std::uint64_t> ElementNotes::open(QueuePlace& place) {
  place.self = tree_.element(level_);
  const RemoteAddr words = words_of(place.lock, place.self);
  if (at_home(words)) {
    co_await verbs().store(words, 0);
    co_await verbs().store(words + kStatus, kWait);
    co_return kAlone;
  }
  LATCHLAB_PATH("rma_rw: an element's place is on another node");
  const Completion reset = co_await verbs().write(words, Words{0, kWait});
  co_return reset.ok() ? kAlone : kFailed;
}

Task<bool> ElementNotes::start(const QueuePlace& place) {
  const bool put_there = co_await put(words_of(place.lock, place.self) + kStatus, 0);
  co_return put_there;
}

Task<bool> ElementNotes::find_out(QueuePlace& place) {
  place.self = tree_.element(level_);
  const RemoteAddr words = words_of(place.lock, place.self);
  Words seen;
  if (at_home(words)) {
    seen.lo = co_await verbs().load(words);
    seen.hi = co_await verbs().load(words + kStatus);
  } else {
    const Completion read = co_await verbs().read(words, kNodeBytes);
    if (!read.ok()) co_return false;
    seen = read.value;
  }
  place.next = seen.lo;
  place.turns = seen.hi;
  co_return true;
}

}  // namespace latchlab::rma_rw
