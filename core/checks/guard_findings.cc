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

std::string text(const GuardConflict& conflict) {
  const std::uint64_t writers = conflict.word >> 32;
  const std::uint64_t readers = conflict.word & 0xffff'ffff;
  return fmt::format(
      "client {} entered lock {} {} while its guard word said {} writer{}, {} "
      "reader{}",
      conflict.client, conflict.lock, conflict.exclusive ? "exclusively" : "shared", writers,
      writers == 1 ? "" : "s", readers, readers == 1 ? "" : "s");
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
    if (verdict.violation.empty()) verdict.violation = text(conflict);
  }
  return verdict;
}

}  // namespace latchlab
