#pragma once
// Intention locks on tables, for transactions that lock rows: a transaction takes its table's word
// before the first row that it locks in that table, IS (intention shared) for shared rows and IX
// (intention exclusive) for exclusive ones; a scan takes S and locks no row. S conflicts with IX;
// all other pairs are compatible.
//
// Source: the code of DSLR's authors (github.com/dongyoungy/rdma_2pc, 152a2a7,
// src/new_proto4/d2lm_lock_client.cc and lock_simulator.cc). They are part of the workload, beside
// the lock under test and the same for all locks. In that code only DSLR's clients take them so;
// its lock server (Traditional) queues requests for tables, and its other locks have none.
//
// Word, 8 bytes, in the object of the lock of the table's first row: three counters of 21 bits,
// from bit 0: S, IS, IX. Take: FAA +1; if the value before has a conflicting counter above 0, FAA
// -1, a random pause, and again, while all other locks stay held. The n-th pause of a transaction
// is uniform in [0, min(R * 2^(n-1), L)) with R = 10 us, L = 10 ms (DSLR A.3). Release: FAA -1.
//
// No lease: the words of a transaction that crashes or omits its releases stay taken, as there.
// Scans have no turn: they may wait as long as other clients come and go.

#include <cstdint>

#include "core/base/ids.h"
#include "core/coro/task.h"

namespace latchlab {

enum class TableMode : std::uint8_t { shared, intention_shared, intention_exclusive };

struct TableWant {
  LockId word;  // the lock in whose object the word is
  TableMode mode = TableMode::intention_exclusive;
  std::uint32_t before = 0;  // how many locks the section acquires before it

  bool operator==(const TableWant&) const = default;
};

namespace loop {

struct SectionRun;

// True if the section's next step is to take a table.
bool wants_table(const SectionRun& run);
Task<void> take_table(SectionRun& run);
// Releases the tables that were taken when the section held `held` locks or more, last first.
Task<void> release_tables(SectionRun& run, std::size_t held);

}  // namespace loop
}  // namespace latchlab
