#pragma once

#include <cstdint>

#include "core/protocols/cql/options.h"
#include "core/protocols/cql/queue.h"

namespace latchlab::declock {

enum class Fairness : std::uint8_t { task_fair, phase_fair };
enum class Transfer : std::uint8_t { timestamp, remote_prefer, local_prefer, local_bound };
enum class Prefetch : std::uint8_t { waiting, held, never };
enum class ReadersFirst : std::uint8_t { after_writers, always };
enum class Notified : std::uint8_t { earliest, next };
enum class ClockCounter : std::uint8_t { living, reset };

struct Options : cql::Options {
  Fairness fairness = Fairness::task_fair;
  ReadersFirst readers_first = ReadersFirst::after_writers;
  Transfer transfer = Transfer::timestamp;
  std::uint64_t local_bound = 4;
  bool reset_ends_transfers = true;
  Prefetch prefetch = Prefetch::waiting;
  Notified notified = Notified::earliest;
  unsigned time_bits = 16;
  Duration time_unit = microseconds(1);
  unsigned wrap_percent = 50;
  Duration clock_sync = seconds(1);  // 0: never
  ClockCounter clock_counter = ClockCounter::living;

  cql::TimeOrder times() const { return {time_bits, wrap_percent, notified == Notified::earliest}; }
  // Does a release go by what is known of other nodes?
  bool looks_elsewhere() const {
    return transfer == Transfer::timestamp || transfer == Transfer::remote_prefer;
  }
};

}  // namespace latchlab::declock
