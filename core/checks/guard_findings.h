#pragma once
// What guard words (guard_words.h) found, as plain data: from each thread and process to the one
// that judges the whole run.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/protocols/lock.h"

namespace latchlab {

// What each who is inside adds to its lock's word: a count of each mode.
inline constexpr std::uint64_t kGuardReader = 1;
inline constexpr std::uint64_t kGuardUpdater = 1ULL << 24;
inline constexpr std::uint64_t kGuardWriter = 1ULL << 44;

// The first time that a lock's word showed somebody who should not have been inside.
struct GuardConflict {
  std::uint64_t lock = 0;
  std::uint64_t client = 0;  // who entered
  LockMode mode = {};        // and how
  std::uint64_t word = 0;    // what the word said of all others
  std::uint64_t times = 1;   // how often this observer saw a conflict on this lock
  bool operator==(const GuardConflict&) const = default;
};

struct GuardFindings {
  bool guarded = false;      // is there anything that looked?
  std::uint64_t checks = 0;  // entries into guarded locks
  std::vector<GuardConflict> conflicts;
  // Locks, ascending: used past the validity of a grant; and such whose word means nothing any
  // more, since a verb on it failed or somebody died while counted in.
  std::vector<std::uint64_t> expired;
  std::vector<std::uint64_t> unguarded;

  void merge(const GuardFindings& other);
  bool operator==(const GuardFindings&) const = default;
};

// A conflict is a violation, unless anybody overstayed on its lock or the word is not to be
// trusted: then it may come from that, and counts as an expired hold.
struct GuardVerdict {
  std::uint64_t violations = 0;
  std::uint64_t expired_holds = 0;
  std::string violation;  // the first, for people; empty: none
};
GuardVerdict judge(const GuardFindings& all);

}  // namespace latchlab
