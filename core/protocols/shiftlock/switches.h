#pragma once
// ShiftLock's parameters as the code reads them; the table with help and sources is in params.cc.

#include <cstdint>

#include "core/base/params.h"
#include "core/base/time.h"
#include "core/protocols/shiftlock/entry.h"

namespace latchlab::shiftlock {

enum class Fence : std::uint8_t {
  none,         // a release is issued however late
  clock,        // suppressed once the grant has expired
  conditional,  // and a writer's verbs take effect only while RelCnt is what it must be
};

struct Switches {
  EntryFormat format;
  std::uint64_t max_writers = 16;
  bool limit_counts_handovers = false;

  bool recovery = true;
  Duration lease;
  Duration patience;         // 3 leases, with drift
  Duration lease_and_drift;  // 1 lease, with drift
  bool reset_keeps_epoch = true;
  bool reset_compares_request = true;
  bool leap_first = true;
  Fence fence = Fence::conditional;

  bool handover_carries_epoch = true;
  bool mode_changed_carries_epoch = true;
  bool handover_counts = true;
  bool mode_change_by_cas = false;
  bool count_then_wait = false;

  bool match_messages = true;
  bool number_messages = true;
  std::uint32_t endpoints = 1;
  std::uint32_t recvs = 128;
  std::int64_t trivial_tries = 0;
  Duration trivial_pause;
  Duration poll_pause;
  bool reader_pauses_first = false;
  Duration intra_node_delay;
  bool delay_before_successor = false;  // else: on receiving

  // Is the writer that has `consecutive` handovers behind it the last before the readers?
  bool chain_ends(std::uint64_t consecutive) const {
    return consecutive + (limit_counts_handovers ? 0 : 1) >= max_writers;
  }
};

Switches switches_of(const ParamSet& params);
Duration patience_of(const ParamSet& params);
ProtocolInfo shiftlock_info();
ParamSet shiftlock_small_model(const ProtocolInfo& info);

}  // namespace latchlab::shiftlock
