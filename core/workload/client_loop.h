#pragma once
// What a client does all day: take what a section wants, one lock after the other, work, release,
// think. The loop knows neither protocol nor backend; it reports every border to an observer, which
// measures and checks.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/base/small_vector.h"
#include "core/base/time.h"
#include "core/coro/task.h"
#include "core/protocols/lock.h"

namespace latchlab {

class Guard;

// What is done while everything is held, in this order: READs, hold, compute, WRITEs. None of it
// begins when one of the grants has expired, and no time passes beyond that: such a section is cut.
// So is one whose last part ends after a grant, as when the client stood still.
struct Work {
  Duration hold;     // time passes
  Duration compute;  // the CPU is busy
  // Verbs through the RNIC on the object of each want, in turn: WRITEs where it is not shared.
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
  std::uint32_t bytes = 8;        // of each, a multiple of 8
  std::uint32_t write_bytes = 0;  // of each WRITE, if other than that
};

// When an acquisition or an upgrade is aborted, for another reason than that the section is over:
// try it again, or release all that is held and start the section over.
enum class OnAbort : std::uint8_t { retry, give_back };

struct Section {
  // Objects that are read before anything is acquired, one after the other, work.bytes of each.
  std::vector<LockId> lookups;
  SmallVector<Want, 1> wants;  // acquired in this order, released in the opposite one; may be none
  std::uint32_t upgrades = 0;  // so many of the grants in mode update become exclusive, the first
                               // ones, when all are held and before the work
  bool extend = false;         // a grant that expires before the work is over is extended first
  Work work;
  OnAbort on_abort = OnAbort::retry;
  Duration pause;  // before it goes on after an abort, with nothing held that is given back
  Duration think;  // afterwards
  bool skip_release = false;  // a fault: the client forgets what it holds
  bool transaction = false;   // observers are told how it goes as a whole
  AcquireOptions options;     // of each acquisition and upgrade
  // Above zero: so long after its first acquisition began, and after each new start, whoever waits
  // gives up (AbortReason::deadline), and the section starts over.
  Duration patience;
  // In an open loop, when the section was to begin, on the client's clock: it does not before, and
  // what is measured counts from then.
  std::optional<Time> arrived;
};

class OperationSource {
 public:
  virtual ~OperationSource() = default;
  // Fills in the client's next section, which is as above; false: it has done enough. Grant ids are
  // the loop's.
  virtual bool next(ClientId client, Section& section) = 0;
  // How many locks a section may hold at once.
  virtual std::uint32_t held_at_once() const { return 1; }
  // For sections with READs and WRITEs: what the lock guards, and registered memory of the client's
  // node that WRITEs of more than 16 bytes come from, and READs of more than 16 KiB go to.
  virtual RemoteAddr object_of(LockId lock) const;
  virtual RemoteAddr buffer_of(ClientId client) const;
};

class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void cycle_begins(ClientId) {}
  // The cycle that has begun is for a section that arrived so long ago. Not in a closed loop.
  virtual void arrived(ClientId, Duration /*ago*/) {}
  // The want stays where it is until it is acquired or aborted.
  virtual void acquire_begins(ClientId, const Want&) {}
  virtual void acquire_aborted(ClientId, const Want&, AbortReason) {}
  virtual void acquired(ClientId, const Grant&) {}
  // The grant as it was before, as it is, and as it was and is.
  virtual void upgrade_begins(ClientId, const Grant&) {}
  virtual void upgraded(ClientId, const Grant&) {}
  virtual void upgrade_aborted(ClientId, const Grant&, AbortReason) {}
  virtual void extended(ClientId, const Grant&) {}
  virtual void release_begins(ClientId, const Grant&) {}
  virtual void released(ClientId, const Grant&, ReleaseResult) {}
  virtual void release_skipped(ClientId, const Grant&) {}
  // A grant ended before the work of the section was done: before anything is released.
  virtual void section_cut(ClientId) {}
  // Of transactions: the work is done; what is held is to be given back without it, or a grant has
  // expired meanwhile.
  virtual void transaction_done(ClientId) {}
  virtual void transaction_given_back(ClientId) {}
};

// Runs until the source is exhausted, or until destroyed. An acquisition or upgrade aborted for
// `deadline` in a section without patience, or as unsupported, ends the section: what is held is
// released. For any other reason the section says what follows, within the same cycle.
// With a guard, each use of a lock is checked; observers see neither its verbs in tallies nor its
// time in acquisitions and releases.
Task<void> client_loop(Verbs& verbs, LockClient& client, OperationSource& source,
                       LoopObserver& observer, Guard* guard = nullptr);

}  // namespace latchlab
