#pragma once
// The loop of a client: acquire the locks of a section one after the other, work, release, think.
// The loop is independent of protocol and backend; it reports every border to an observer, which
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

// The work while all locks are held, in this order: READs, hold, compute, WRITEs. None of it begins
// after one of the grants has expired, and no time is spent beyond that: such a section is cut. A
// section is also cut if its last part ends after a grant, for example when the client was paused.
struct Work {
  Duration hold;     // time passes
  Duration compute;  // the CPU is busy
  // Verbs on the object of each want, one object after the other: WRITEs only if it is not shared.
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
  std::uint32_t bytes = 8;        // of each, a multiple of 8
  std::uint32_t write_bytes = 0;  // of each WRITE, if different
};

// What follows if an acquisition or an upgrade is aborted, unless that ends the section: try it
// again, or release all grants and start the section over.
enum class OnAbort : std::uint8_t { retry, give_back };

// Bytes that are read or written in place of a lock's object.
struct PlacedObject {
  RemoteAddr addr;
  std::uint32_t bytes = 8;  // a multiple of 8
};

struct Section {
  // Objects that are read before anything is acquired, one after the other, work.bytes of each.
  std::vector<LockId> lookups;
  SmallVector<Want, 1> wants;  // acquired in this order, released in the opposite one; may be none
  std::uint32_t upgrades = 0;  // the first so many of the grants in mode update become exclusive,
                               // when all locks are held and before the work
  bool extend = false;         // a grant that expires before the work is over is extended first
  Work work;
  OnAbort on_abort = OnAbort::retry;
  Duration pause;  // after an abort, before it goes on; with give_back nothing is held meanwhile
  Duration think;  // afterwards
  bool skip_release = false;  // a fault: the client omits the releases
  bool transaction = false;   // observers are told how it ends as a whole
  AcquireOptions options;     // of each acquisition and upgrade
  // If above zero: so long after the first acquisition of each start of the section began, the wait
  // for a lock is given up (AbortReason::deadline), and the section starts over.
  Duration patience;
  std::vector<PlacedObject> places;  // if any: read or written once each, instead of the objects
  std::uint32_t file_bytes = 0;      // of a file that it reads or writes: observers are told
  // Words of the client's node. If given, the section arrives when the first one has reached
  // `value`, by which its cycle is measured; and adds 1 to the second one at its end.
  struct Turn {
    RemoteAddr word = {};
    std::uint64_t value = 0;
  };
  std::optional<Turn> after;
  std::optional<RemoteAddr> counts;
  // In an open loop: when the section arrives, on the client's clock. It does not begin earlier,
  // and its cycle is measured from then.
  std::optional<Time> arrived;
};

class OperationSource {
 public:
  virtual ~OperationSource() = default;
  // Fills in the client's next section; false: there are no more. The loop sets the grant ids.
  virtual bool next(ClientId client, Section& section) = 0;
  // The most locks that a section holds at once.
  virtual std::uint32_t held_at_once() const { return 1; }
  // For sections with READs and WRITEs: the object of a lock; and registered memory of the client's
  // node, the source of WRITEs of more than 16 bytes and the target of READs of more than 16 KiB.
  virtual RemoteAddr object_of(LockId lock) const;
  virtual RemoteAddr buffer_of(ClientId client) const;
};

class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void cycle_begins(ClientId) {}
  // The section of the cycle that has begun arrived so long ago. In open loops, and for sections
  // that begin after others.
  virtual void arrived(ClientId, Duration /*ago*/) {}
  // The want stays at its address until it is acquired or aborted.
  virtual void acquire_begins(ClientId, const Want&) {}
  virtual void acquire_aborted(ClientId, const Want&, AbortReason) {}
  virtual void acquired(ClientId, const Grant&) {}
  // With the old grant, with the new one, and with the old one, which stays valid.
  virtual void upgrade_begins(ClientId, const Grant&) {}
  virtual void upgraded(ClientId, const Grant&) {}
  virtual void upgrade_aborted(ClientId, const Grant&, AbortReason) {}
  virtual void extended(ClientId, const Grant&) {}
  virtual void release_begins(ClientId, const Grant&) {}
  virtual void released(ClientId, const Grant&, ReleaseResult) {}
  virtual void release_skipped(ClientId, const Grant&) {}
  // A grant expired before the work of the section was done; called before any release.
  virtual void section_cut(ClientId) {}
  // The section is over, and has read or written so many bytes of a file.
  virtual void transferred(ClientId, std::uint32_t /*bytes*/) {}
  // For transactions: the work is done; the grants are to be given back before it is done, or one
  // has expired meanwhile.
  virtual void transaction_done(ClientId) {}
  virtual void transaction_given_back(ClientId) {}
};

// Runs until the source is exhausted, or the coroutine is destroyed. If an acquisition or upgrade
// is aborted for `deadline` in a section without patience, or as unsupported, the section ends and
// its grants are released. After any other abort the section continues by on_abort, within the same
// cycle. With a guard, each use of a lock is checked; its verbs do not count in observers' tallies,
// nor its time in acquisitions and releases.
Task<void> client_loop(Verbs& verbs, LockClient& client, OperationSource& source,
                       LoopObserver& observer, Guard* guard = nullptr);

}  // namespace latchlab
