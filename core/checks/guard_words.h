#pragma once
// Mutual exclusion seen by verbs, where no observer sees every client: a word per lock, of which
// the lock itself knows nothing. Who has been granted the lock counts itself in with one FETCH_ADD,
// by its mode, and out again before it releases; an upgrade moves the count with one FETCH_ADD. So
// a writer must find nobody, an updater no other and no writer, and a reader no writer; of two that
// are inside at once, one at least finds the other. Between a grant and its FETCH_ADD nothing is
// seen.
//
// A word stands for a whole object. Where sections want parts of objects, a lock has words for
// units as well (guard_units.h), and a grant of a part is counted into those of some of its units,
// each with a READ and a CAS that finds its slot free or in use by the same unit, and out with a
// FETCH_ADD. A grant of a part that has no unit counted is not among the checks. What that misses:
// conflicts over units that are not among the guarded ones or find their slot in use, and those of
// a part with the whole, which are in different words. Nor are grants guarded of a client that
// holds kGuardedGrants others.
//
// The words' verbs are in no tally: a cycle costs as many verbs with a guard as without one.
//
// A client may die while it is counted in. What it was doing is in a journal, which its process
// writes before and after each of these verbs, and which outlives the process where the caller maps
// it so. The journal does not name units: who dies inside a part leaves the lock unguarded.

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

// `entering` and `leaving`: the verb may have taken effect or not. `in_part`: counted into the
// words of units, or about to be, or about to leave them.
enum class GuardState : std::uint64_t { idle, entering, inside, leaving, in_part };

// What one client does about one of its grants, by GrantId. All zero: idle.
struct GuardSlot {
  std::atomic<std::uint64_t> state{0};
  std::atomic<std::uint64_t> lock{0};
  std::atomic<std::uint64_t> amount{0};  // what it adds to the lock's word
};
inline constexpr std::uint32_t kGuardedGrants = 16;

// One client's line of the journal.
struct alignas(64) GuardRecord {
  std::array<GuardSlot, kGuardedGrants> slots;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // it may be shared by processes

// A client's grant that was not idle when its process ended. If that is certain, its amount is in
// the lock's word and can be subtracted; else nobody knows, and the lock is not guarded any more.
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
  // Of its guarded units: the same for every client, another for each lock.
  std::uint64_t offset_of(LockId lock) const;

 private:
  GuardMode mode_;
  std::uint64_t seed_;
};

// For clients of one thread.
class Guard {
 public:
  using WordOf = std::function<RemoteAddr(LockId)>;
  // `journal` has a line for each client of the run. Behind the word of a lock are its slots.
  Guard(GuardedLocks locks, WordOf word_of, std::span<GuardRecord> journal,
        std::uint32_t slots = 0);

  // Between a grant and its use, and between its use and its release or what stands for it. If a
  // verb fails, its lock is guarded no more. `grant` outlives the task.
  Task<void> enter(Verbs& verbs, const Grant& grant);
  Task<void> leave(Verbs& verbs, const Grant& grant);
  // After an upgrade, before the lock is used as it is now.
  Task<void> upgrade(Verbs& verbs, const Grant& grant);
  // The client is gone; what it left in a word stays there.
  void crashed(ClientId client);

  GuardFindings findings() const;

 private:
  bool guards(const Grant& grant) const;
  GuardSlot& slot_of(ClientId client, const Grant& grant) {
    return journal_[client.value].slots[grant.id.value];
  }
  Task<std::optional<std::uint64_t>> add(Verbs& verbs, LockId lock, RemoteAddr word,
                                         std::uint64_t amount);
  // Of a part: the units that the client is counted into.
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
  std::map<std::uint64_t, GuardConflict> conflicts_;  // by lock, and so below
  std::set<std::uint64_t> expired_;
  std::set<std::uint64_t> unguarded_;
};

}  // namespace latchlab
