#pragma once
// What guard words (guard_words.h) detected, as plain data: sent by each thread and process to the
// one that judges the whole run.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/protocols/lock.h"

namespace latchlab {

// What each holder adds to its lock's word: the count of its mode.
inline constexpr std::uint64_t kGuardReader = 1;
inline constexpr std::uint64_t kGuardUpdater = 1ULL << 24;
inline constexpr std::uint64_t kGuardWriter = 1ULL << 44;

// The first time that a lock's word showed a holder in a conflicting mode.
struct GuardConflict {
  std::uint64_t lock = 0;
  std::uint64_t client = 0;  // the client that was granted the lock
  LockMode mode = {};        // the mode of its grant
  std::uint64_t word = 0;    // the word without that client
  std::uint64_t times = 1;   // conflicts that this observer saw on this lock
  bool operator==(const GuardConflict&) const = default;
};

struct GuardFindings {
  bool guarded = false;      // true if any lock was guarded
  std::uint64_t checks = 0;  // entries into guarded locks
  std::vector<GuardConflict> conflicts;
  // Locks, ascending. expired: used past the validity of a grant. unguarded: the word is no longer
  // valid, because a verb on it failed or a client crashed while it was counted.
  std::vector<std::uint64_t> expired;
  std::vector<std::uint64_t> unguarded;

  void merge(const GuardFindings& other);
  bool operator==(const GuardFindings&) const = default;
};

// A conflict is a violation, unless a client used its lock past the validity of a grant or the word
// is not valid. Then that may be the cause, and the conflict counts as an expired hold.
struct GuardVerdict {
  std::uint64_t violations = 0;
  std::uint64_t expired_holds = 0;
  std::string violation;  // the first one, described; empty: none
};
GuardVerdict judge(const GuardFindings& all);

}  // namespace latchlab
