#pragma once
// ShiftLock's client part: acquiring in acquire.cc, waiting and recovery in waiting.cc, releasing
// in release.cc.

#include <cstdint>
#include <span>
#include <vector>

#include "core/protocols/lock.h"
#include "core/protocols/shiftlock/messages.h"
#include "core/protocols/shiftlock/switches.h"

namespace latchlab::shiftlock {

using PauseBetweenLooks = decltype(RemoteWait::pacing);

class Client final : public LockClient {
 public:
  Client(const Switches& on, const ClientEnv& env);  // `on` is the protocol's, which outlives it

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;
  std::uint64_t recoveries() const override { return recoveries_; }

 private:
  // The outcome of an attempt to acquire.
  enum class Step : std::uint8_t {
    entered,
    recovered,  // the lock was reset, and this client is no longer in it: start again
    failed,     // the lock's node does not answer
  };
  // What a waiting client has seen of RelCnt. Each time is a lower bound of when the event
  // happened, however long verbs take.
  struct Looks {
    std::uint64_t relcnt = 0;  // in the last look, or in the atomic by which the client joined
    Time issued;               // when that look was issued
    Time moved;                // when RelCnt reached `relcnt`
    Time next;                 // when the next look is issued

    static Looks joined(std::uint64_t relcnt, Time posted) {
      return {relcnt, posted, posted, posted};
    }
    void add(std::uint64_t seen, Time now);
    Time moved_to(std::uint64_t value) const { return value == relcnt ? moved : issued; }
  };
  // What a writer knows of a lock, from joining the queue to the end of its release.
  struct Tenure {
    LockRef lock;
    std::size_t endpoint = 0;
    std::uint32_t number = 0;       // of this acquisition; 0 if messages do not carry it
    std::uint32_t answers = 0;      // tag of the Successor that the closing message answers
    std::uint64_t joined_at = 0;    // RelCnt when it joined
    std::uint64_t relcnt = 0;       // the paper's curRelCnt
    std::uint64_t consecutive = 0;  // the paper's consWrt
    std::uint64_t epoch = 0;
    Time since;  // start of the lease
    Looks looks;
  };
  struct WatchResult {
    Step step = Step::entered;
    RemoteWaitResult wait;
  };
  enum class Asked : std::uint8_t { recovered, alive, failed };
  // A lock that this client waits for or holds as a writer.
  struct Engagement {
    LockId lock;
    std::size_t endpoint = 0;
    Time until = kNever;
  };

  // ---- acquire.cc ----
  Task<AcquireResult> acquire_shared(Want want);
  Task<Step> wait_for_epoch(LockRef lock, Entry joined, Time& since);
  Task<AcquireResult> acquire_exclusive(Want want);
  Task<Step> enter(Tenure& tenure);
  Task<bool> try_free(Tenure& tenure);
  Task<Step> follow(Tenure& tenure, EndpointAddr predecessor);
  Task<Step> received(Tenure& tenure, Message message);
  Task<Step> wait_for_readers(Tenure& tenure, std::uint64_t expected);
  Task<Step> take_turn(Tenure& tenure);
  Grant grant(const Want& want, const Tenure& tenure) const;
  Time valid_until(Time since) const { return on_.recovery ? since + on_.lease : kNever; }

  // ---- waiting.cc ----
  // Waits as `wait` specifies, and asks for recovery when RelCnt does not change.
  Task<WatchResult> watch(LockRef lock, RemoteWait wait);
  Task<Asked> ask_for_recovery(LockRef lock, std::uint64_t stuck_at);
  Task<Asked> reset_alone(LockRef lock, std::uint64_t stuck_at);
  // If RelCnt has not changed since `moved`, a recovery may come within a lease.
  bool too_late(Time moved, Time now) const { return on_.recovery && now - moved >= on_.lease * 2; }
  PauseBetweenLooks pause(Duration length, Looks& looks, std::uint64_t Words::*relcnt_of) const;
  Task<Step> confirm(LockRef lock, Time last_change, std::uint64_t joined_at);
  Task<Step> renew(Tenure& tenure);
  Task<Step> withdraw(LockRef lock, Entry seen);

  // ---- release.cc ----
  Task<ReleaseResult> release_shared(Grant held);
  Task<ReleaseResult> suppress();
  Task<ReleaseResult> release_exclusive(Tenure tenure, bool fenced);
  Task<EndpointAddr> successor(Tenure& tenure, Time deadline);
  Task<EndpointAddr> late_successor(Tenure& tenure);
  Task<ReleaseResult> pass_on(Tenure& tenure, EndpointAddr next, bool fenced);
  Task<ReleaseResult> give_to_readers(Tenure& tenure, EndpointAddr next, bool fenced);
  Task<ReleaseResult> give_to_writer(Tenure& tenure, EndpointAddr next, bool fenced);
  Task<ReleaseResult> notify(Tenure& tenure, EndpointAddr next, Time counted_at, Message message);
  bool expired(const Grant& held) const;

  // ---- endpoints and messages (client.cc) ----
  std::size_t engage(LockId lock);
  void hold_until(LockId lock, Time until);
  void disengage(LockId lock);
  bool engaged(LockId lock) const;
  void abandon(LockId lock);  // the same, but this client has not messaged its successor
  Task<void> drop_stale_messages(std::size_t endpoint, LockId joining);
  MessageFilter from_predecessor(const Tenure& tenure) const;
  MessageFilter from_successor(const Tenure& tenure) const;
  Message note(MessageType type, const Tenure& tenure, std::uint64_t relcnt,
               std::uint64_t consecutive, std::uint64_t epoch) const;

  // The tag of this acquisition's Successor, which the answer repeats.
  std::uint32_t tag(const Tenure& tenure) const {
    return message_tag(tenure.number, format().recoveries(tenure.joined_at));
  }
  const EntryFormat& format() const { return on_; }

  const Switches& on_;
  Verbs& verbs_;
  const Peers& peers_;  // a server's words are its era
  std::vector<EndpointAddr> endpoints_;
  std::vector<Engagement> engagements_;
  bool stale_possible_ = false;  // a message about a released lock may still arrive
  std::uint64_t recoveries_ = 0;
  std::uint32_t acquisitions_ = 0;  // as a writer
};

}  // namespace latchlab::shiftlock
