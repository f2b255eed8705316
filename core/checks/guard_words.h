#pragma once
// Detects violations of mutual exclusion by verbs, where no observer sees every client. Each lock
// has a guard word that the lock itself does not know. A client that has been granted the lock adds
// its mode's count to the word with one FETCH_ADD, and subtracts it before it releases; an upgrade
// moves the count with one FETCH_ADD. So a writer must find no holder, an updater no other updater
// and no writer, and a reader no writer. Of two clients that hold at once, at least one finds the
// other. Between a grant and its FETCH_ADD nothing is detected.
//
// A word stands for a whole object. If sections want parts of objects, a lock also has words for
// units (guard_units.h), and a grant of a part is counted in the words of some of its units: each
// with a READ and a CAS, if the slot is free or in use by the same unit, and subtracted with a
// FETCH_ADD. A grant of a part without a counted unit is not among the checks. Not detected:
// conflicts over units that are not guarded or whose slot is in use, and conflicts of a part with
// the whole object, which are in different words. Not guarded: grants of a client that already
// holds kGuardedGrants others.
//
// The guard's verbs are in no tally: a cycle counts as many verbs with a guard as without one.
//
// A client may crash while it is counted. A journal has its state: its process writes it before and
// after each of these verbs, and it outlives the process if the caller maps it in shared memory.
// The journal does not name units: a client that crashes while it holds a part leaves the lock
// unguarded.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/checks/guard_findings.h"
#include "core/checks/guard_units.h"
#include "core/coro/task.h"
#include "core/protocols/lock.h"
#include "core/scenario/scenario.h"
#include "core/verbs/verbs.h"

namespace latchlab {

// `entering` and `leaving`: the verb may or may not have taken effect. `in_part`: the client is
// counted in the words of units, or is about to add or subtract its counts.
enum class GuardState : std::uint64_t { idle, entering, inside, leaving, in_part };

// The state of one grant of a client, by GrantId. All zero: idle.
struct GuardSlot {
  std::atomic<std::uint64_t> state{0};
  std::atomic<std::uint64_t> lock{0};
  std::atomic<std::uint64_t> amount{0};  // what the client adds to the lock's word
};
inline constexpr std::uint32_t kGuardedGrants = 16;

// One client's line of the journal.
struct alignas(64) GuardRecord {
  std::array<GuardSlot, kGuardedGrants> slots;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // processes may share it

// A client's grant that was not idle when its process ended. certain: its amount is in the lock's
// word and can be subtracted. Otherwise that is unknown, and the lock is not guarded any more.
struct LeftInside {
  ClientId client;
  LockId lock;
  std::uint64_t amount = 0;
  bool certain = false;
};
std::vector<LeftInside> what_is_left(std::span<const GuardRecord> journal);  // by client

// The locks that a run guards: with `sampled` one in 16, the same ones for every client.
class GuardedLocks {
 public:
  GuardedLocks(GuardMode mode, std::uint64_t seed) : mode_(mode), seed_(seed) {}
  bool has(LockId lock) const;
  // The offset of the lock's guarded units: the same for every client, different for each lock.
  std::uint64_t offset_of(LockId lock) const;

 private:
  GuardMode mode_;
  std::uint64_t seed_;
};

// For clients of one thread.
class Guard {
 public:
  using WordOf = std::function<RemoteAddr(LockId)>;
  // `journal` has a line for each client of the run. A lock's slots follow its word in memory.
  Guard(GuardedLocks locks, WordOf word_of, std::span<GuardRecord> journal,
        std::uint32_t slots = 0);

  // enter: between a grant and its use. leave: between its use and its release, or what replaces
  // the release. If a verb fails, its lock is not guarded any more. `grant` must outlive the task.
  Task<void> enter(Verbs& verbs, const Grant& grant);
  Task<void> leave(Verbs& verbs, const Grant& grant);
  // After an upgrade, before the lock is used in its new mode.
  Task<void> upgrade(Verbs& verbs, const Grant& grant);
  // The client has crashed; its count stays in the word.
  void crashed(ClientId client);

  GuardFindings findings() const;

 private:
  bool guards(const Grant& grant) const;
  GuardSlot& slot_of(ClientId client, const Grant& grant) {
    return journal_[client.value].slots[grant.id.value];
  }
  Task<std::optional<std::uint64_t>> add(Verbs& verbs, LockId lock, RemoteAddr word,
                                         std::uint64_t amount);
  // For a grant of a part: the units in whose words the client is counted.
  struct Part {
    GuardedUnits in;
    LockMode mode = {};
  };
  Part& part_of(ClientId client, const Grant& grant) {
    return parts_[{client.value, grant.id.value}];
  }
  RemoteAddr word_of_unit(LockId lock, std::uint64_t unit) const;
  Task<void> enter_part(Verbs& verbs, const Grant& grant);
  Task<void> upgrade_part(Verbs& verbs, const Grant& grant);
  Task<void> leave_part(Verbs& verbs, const Grant& grant);
  Task<std::optional<std::uint64_t>> claim(Verbs& verbs, const Grant& grant, std::uint64_t unit);
  void look(ClientId client, const Grant& grant, std::uint64_t word);

  GuardedLocks locks_;
  WordOf word_of_;
  std::span<GuardRecord> journal_;
  std::uint32_t slots_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Part> parts_;  // by client and grant
  std::uint64_t checks_ = 0;
  std::map<std::uint64_t, GuardConflict> conflicts_;  // by lock, as the sets below
  std::set<std::uint64_t> expired_;
  std::set<std::uint64_t> unguarded_;
};

}  // namespace latchlab
