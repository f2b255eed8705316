#include "core/checks/guard_units.h"

#include "core/base/random.h"

namespace latchlab {
namespace {

// A word holds the counts of readers, updaters and writers, and the unit's number.
constexpr std::uint64_t kUpdater = 1ULL << 12U;
constexpr std::uint64_t kWriter = 1ULL << 16U;
constexpr std::uint64_t kUnit = 1ULL << 20U;

std::uint64_t count_of(std::uint64_t word, LockMode mode) {
  if (mode == LockMode::exclusive) return word % kUnit / kWriter;
  return mode == LockMode::update ? word % kWriter / kUpdater : word % kUpdater;
}

std::uint64_t most_of(LockMode mode) {
  return mode == LockMode::shared ? kUpdater - 1 : kUnit / kWriter - 1;
}

bool speaks_of_another(std::uint64_t word, std::uint64_t unit) {
  return word % kUnit != 0 && word / kUnit != unit;
}

}  // namespace

GuardedUnits guarded_units(const Extent& extent, std::uint64_t offset) {
  offset %= kGuardedUnitsEnd;
  const std::uint64_t first = extent.first + offset;
  const std::uint64_t last = first + (extent.count - 1);
  std::uint32_t n = 0;
  const auto next = [&](std::uint64_t from) { return ((from - 1) >> n) + 1; };  // in steps of 2^n
  const auto marked = [&] { return first == 0 ? (last >> n) + 1 : (last >> n) + 1 - next(first); };
  while (marked() > kGuardedUnits) ++n;
  GuardedUnits some;
  for (std::uint64_t left = marked(), step = (last >> n) + 1 - left; left > 0; --left, ++step)
    some.units[some.count++] = (step << n) - offset;
  return some;
}

std::uint32_t guard_slots(std::uint64_t locks) {
  constexpr std::uint64_t kWords = std::uint64_t{1} << 22U;
  std::uint32_t slots = 64;
  while (slots < 4096 && locks * slots * 2 <= kWords) slots *= 2;
  return slots;
}

std::uint64_t guard_slot(std::uint64_t unit, std::uint32_t slots) {
  return mix64(unit) % slots;
}

std::uint64_t unit_amount(LockMode mode) {
  if (mode == LockMode::exclusive) return kWriter;
  return mode == LockMode::update ? kUpdater : 1;
}

std::optional<std::uint64_t> with_one_more(std::uint64_t word, std::uint64_t unit, LockMode mode) {
  if (speaks_of_another(word, unit)) return std::nullopt;
  const std::uint64_t counts = word % kUnit;
  if (count_of(counts, mode) == most_of(mode)) return std::nullopt;
  return unit * kUnit + counts + unit_amount(mode);
}

std::uint64_t inside_unit(std::uint64_t word, std::uint64_t unit) {
  if (speaks_of_another(word, unit)) return 0;
  return count_of(word, LockMode::shared) * kGuardReader +
         count_of(word, LockMode::update) * kGuardUpdater +
         count_of(word, LockMode::exclusive) * kGuardWriter;
}

}  // namespace latchlab
