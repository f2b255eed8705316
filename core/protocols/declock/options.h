#pragma once

#include <cstdint>

#include "core/protocols/cql/options.h"
#include "core/protocols/cql/queue.h"

namespace latchlab::declock {

enum class Fairness : std::uint8_t { task_fair, phase_fair };
enum class Transfer : std::uint8_t { timestamp, remote_prefer, local_prefer, local_bound };
enum class BoundCounts : std::uint8_t { holders, handovers };
enum class LateReaders : std::uint8_t { looking, known, all };
enum class Prefetch : std::uint8_t { waiting, unknown, held, never };
enum class ReadersFirst : std::uint8_t { reacquiring, after_writers, always };
using cql::Notified;
enum class ClockCounter : std::uint8_t { living, reset };

struct Options : cql::Options {
  Fairness fairness = Fairness::task_fair;
  ReadersFirst readers_first = ReadersFirst::reacquiring;
  Transfer transfer = Transfer::timestamp;
  std::uint64_t local_bound = 4;
  BoundCounts bound_counts = BoundCounts::holders;
  LateReaders late_readers = LateReaders::looking;
  std::uint32_t look_after = 7;
  bool reset_ends_transfers = true;
  Prefetch prefetch = Prefetch::waiting;
  Notified notified = Notified::earliest;
  unsigned time_bits = 16;
  Duration time_unit = microseconds(1);
  unsigned wrap_percent = 50;
  Duration clock_sync = seconds(1);  // 0: never
  ClockCounter clock_counter = ClockCounter::living;

  cql::TimeOrder times() const { return {time_bits, wrap_percent, notified}; }
  // Does the lock use what is known about other nodes?
  bool looks_for_remote_waiters() const {
    return transfer == Transfer::timestamp || transfer == Transfer::remote_prefer;
  }
  bool late_readers_look() const {
    return late_readers == LateReaders::looking && looks_for_remote_waiters();
  }
};

}  // namespace latchlab::declock
