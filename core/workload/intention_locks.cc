#include "core/workload/intention_locks.h"

#include "core/workload/section_run.h"

namespace latchlab::loop {
namespace {

constexpr unsigned kCounterBits = 21;
constexpr Duration kFirstPause = microseconds(10), kLongestPause = milliseconds(10);

constexpr std::uint64_t one_of(TableMode mode) {
  return std::uint64_t{1} << (kCounterBits * static_cast<unsigned>(mode));
}

constexpr std::uint64_t counter(std::uint64_t word, TableMode mode) {
  return word / one_of(mode) % one_of(TableMode::intention_shared);
}

constexpr bool conflicts(std::uint64_t word, TableMode mode) {
  if (mode == TableMode::intention_shared) return false;
  const bool scans = mode == TableMode::shared;
  return counter(word, scans ? TableMode::intention_exclusive : TableMode::shared) > 0;
}

}  // namespace

bool wants_table(const SectionRun& run) {
  const auto& tables = run.section.tables;
  return run.tables_held < tables.size() && tables[run.tables_held].before <= run.held.size();
}

// A server that does not answer fails the next acquisition as well, which ends the section.
Task<void> take_table(SectionRun& run) {
  const TableWant table = run.section.tables[run.tables_held];
  const RemoteAddr word = run.source.object_of(table.word);
  for (;;) {
    const Completion before = co_await run.verbs.fetch_add(word, one_of(table.mode));
    if (!before.ok() || !conflicts(before.value.lo, table.mode)) break;
    co_await run.verbs.fetch_add(word, 0 - one_of(table.mode));
    const Duration bound = doubled(kFirstPause, run.table_tries++, kLongestPause);
    const std::uint64_t pause_ps = run.verbs.random(static_cast<std::uint64_t>(bound.ps));
    co_await run.verbs.sleep(Duration{static_cast<std::int64_t>(pause_ps)});
  }
  ++run.tables_held;
}

Task<void> release_tables(SectionRun& run, std::size_t held) {
  const auto& tables = run.section.tables;
  for (; run.tables_held > 0 && tables[run.tables_held - 1].before >= held; --run.tables_held) {
    const TableWant table = tables[run.tables_held - 1];
    const RemoteAddr word = run.source.object_of(table.word);
    co_await run.verbs.fetch_add(word, 0 - one_of(table.mode));
  }
}

}  // namespace latchlab::loop
