// What acquiring and releasing share: a client's endpoints, and which messages each wait accepts.

#include "core/protocols/shiftlock/client.h"

#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"

namespace latchlab::shiftlock {

Client::Client(const Switches& on, const ClientEnv& env)
    : on_(on), verbs_(*env.verbs), peers_(*env.peers) {
  endpoints_.reserve(on.endpoints);
  for (std::uint32_t i = 0; i < on.endpoints; ++i)
    endpoints_.push_back(verbs_.open_endpoint(on.recvs));
}

Task<AcquireResult> Client::acquire(Want want, AcquireOptions /*options*/) {
  return want.mode == LockMode::shared ? acquire_shared(want) : acquire_exclusive(want);
}

Task<ReleaseResult> Client::release(Grant held) {
  if (held.mode == LockMode::shared) return release_shared(held);
  Tenure tenure;
  tenure.lock = held.lock;
  tenure.joined_at = tenure.relcnt = held.words[0];
  tenure.consecutive = held.words[1];
  tenure.epoch = held.words[2];
  tenure.endpoint = held.words[3];
  const bool late = PLANTED(shiftlock_late_release);
  if (!late && expired(held)) {
    LATCHLAB_PATH("shiftlock: a late release of a writer is suppressed");
    abandon(held.lock.id);
    return suppress();
  }
  return release_exclusive(tenure, on_.fence == Fence::conditional && !late);
}

// Picks an endpoint that no other lock of this client uses, if there is one.
std::size_t Client::engage(LockId lock) {
  const Time now = verbs_.now();
  const auto dead = [&](const Engagement& e) { return e.lock == lock || e.until <= now; };
  if (std::erase_if(engagements_, dead) != 0) stale_possible_ = true;
  std::size_t index = 0;
  const auto used = [&](const Engagement& e) { return e.endpoint == index; };
  while (index < endpoints_.size() && std::any_of(engagements_.begin(), engagements_.end(), used))
    ++index;
  if (index == endpoints_.size()) {
    LATCHLAB_PATH("shiftlock: locks held together share an endpoint");
    index = 0;
  }
  engagements_.push_back({lock, index, kNever});
  return index;
}

void Client::hold_until(LockId lock, Time until) {
  for (Engagement& engagement : engagements_)
    if (engagement.lock == lock) engagement.until = until;
}

void Client::disengage(LockId lock) {
  std::erase_if(engagements_, [&](const Engagement& e) { return e.lock == lock; });
}

void Client::abandon(LockId lock) {
  disengage(lock);
  stale_possible_ = true;
}

bool Client::engaged(LockId lock) const {
  return std::any_of(engagements_.begin(), engagements_.end(),
                     [&](const Engagement& e) { return e.lock == lock; });
}

// Drops messages about locks that this client neither holds nor waits for, which occupy RECVs, and
// messages about the lock that it is about to join, which are from an earlier acquisition.
Task<void> Client::drop_stale_messages(std::size_t endpoint, LockId joining) {
  for (;;) {
    const MessageFilter stale = [this, joining](const Message& message) {
      return message.lock == joining || !engaged(message.lock);
    };
    const WaitOutcome woke = co_await verbs_.receive(endpoints_[endpoint], stale, verbs_.now());
    if (woke.by != Woke::message) co_return;
    LATCHLAB_PATH("shiftlock: a stale message is dropped");
  }
}

MessageFilter Client::from_predecessor(const Tenure& tenure) const {
  return expecting_answer(on_, tenure.lock.id, tag(tenure), tenure.joined_at);
}

MessageFilter Client::from_successor(const Tenure& tenure) const {
  return expecting_successor(on_, tenure.lock.id, tenure.relcnt);
}

Message Client::note(MessageType type, const Tenure& tenure, std::uint64_t relcnt,
                     std::uint64_t consecutive, std::uint64_t epoch) const {
  return pack(type, tenure.lock.id, type == kSuccessor ? tag(tenure) : tenure.answers,
              {endpoints_[tenure.endpoint], relcnt, consecutive, epoch});
}

}  // namespace latchlab::shiftlock
