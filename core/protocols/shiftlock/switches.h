#pragma once
// ShiftLock's parameters as the code reads them, with their defaults. Names, bounds, help and
// sources are in params.cc.

#include <cstdint>

#include "core/base/time.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/shiftlock/entry.h"

namespace latchlab::shiftlock {

enum class Fence : std::uint8_t {
  conditional,  // suppressed once the grant has expired; a writer's verbs also compare RelCnt, and
                // have no effect if it has changed
  clock,        // suppressed once the grant has expired
  none,         // issued however late
};

struct Switches : EntryFormat {
  std::uint64_t max_writers = 16;
  bool limit_counts_handovers = false;
  bool handover_epoch_literal = false;
  bool mode_changed_epoch_literal = false;
  bool handover_counts = true;
  bool mode_change_by_cas = false;
  bool count_then_wait = false;

  bool recovery = true;
  bool recovered_by_client = false;
  Duration lease = milliseconds(10);
  std::int64_t drift_ppm = 100;
  bool reset_zeroes_epoch = false;
  bool reset_compares_own_read = false;
  bool epoch_first = false;
  bool trusts_late_turn = false;
  Fence fence = Fence::conditional;

  bool match_messages = true;
  bool number_messages = true;
  std::uint32_t endpoints = 1;
  std::uint32_t recvs = 128;

  std::int64_t trivial_tries = 0;
  Duration trivial_pause = nanoseconds(1862);
  Duration poll_pause;
  bool reader_pauses_first = false;
  Duration intra_node_delay;
  bool delay_before_successor = false;  // otherwise on receiving

  bool asks_server() const { return recovery && !recovered_by_client; }

  Duration patience;         // 3 leases, with drift
  Duration lease_and_drift;  // 1 lease, with drift
  void derive();

  const EntryFormat& format() const { return *this; }
  // True if the writer after `consecutive` handovers is the last one before the readers.
  bool chain_ends(std::uint64_t consecutive) const {
    return consecutive + (limit_counts_handovers ? 0 : 1) >= max_writers;
  }
};

Params<Switches> params();
std::vector<Profile> profiles();
std::string contradiction(const Switches& on);

}  // namespace latchlab::shiftlock
