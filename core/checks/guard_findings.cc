#include "core/checks/guard_findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace latchlab {
namespace {

using Locks = std::vector<std::uint64_t>;

Locks united(const Locks& a, const Locks& b) {
  Locks all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

bool is_in(const Locks& locks, std::uint64_t lock) {
  return std::binary_search(locks.begin(), locks.end(), lock);
}

std::string some(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string described(const GuardConflict& conflict) {
  const char* const how = conflict.mode == LockMode::exclusive ? "exclusively"
                          : conflict.mode == LockMode::update  ? "for update"
                                                               : "shared";
  const std::uint64_t updaters = conflict.word % kGuardWriter / kGuardUpdater;
  return fmt::format("client {} entered lock {} {} while its guard word said {}, {}{}",
                     conflict.client, conflict.lock, how,
                     some(conflict.word / kGuardWriter, "writer"),
                     some(conflict.word % kGuardUpdater, "reader"),
                     updaters == 0 ? "" : ", " + some(updaters, "updater"));
}

}  // namespace

void GuardFindings::merge(const GuardFindings& other) {
  guarded = guarded || other.guarded;
  checks += other.checks;
  conflicts.insert(conflicts.end(), other.conflicts.begin(), other.conflicts.end());
  expired = united(expired, other.expired);
  unguarded = united(unguarded, other.unguarded);
}

GuardVerdict judge(const GuardFindings& all) {
  GuardVerdict verdict;
  for (const GuardConflict& conflict : all.conflicts) {
    if (is_in(all.expired, conflict.lock) || is_in(all.unguarded, conflict.lock)) {
      verdict.expired_holds += conflict.times;
      continue;
    }
    verdict.violations += conflict.times;
    if (verdict.violation.empty()) verdict.violation = described(conflict);
  }
  return verdict;
}

}  // namespace latchlab
