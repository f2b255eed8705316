#pragma once
// Describes the effect of an operation on memory for a trace: the lock entry, the word's value
// afterwards, and the protocol's decoding of the entry.

#include "core/world/address_map.h"
#include "core/world/effects.h"
#include "tools/export/trace_log.h"

namespace latchlab::exporting {

class EffectText {
 public:
  // Both references must outlive this object.
  EffectText(const World& world, Inspecting& memory)
      : world_(world), memory_(memory), places_(world) {}

  // Whether the trace shows the operation: every verb, and CPU accesses that can change an entry.
  bool tells(const Operation& op) const;
  // Time of the effect and its wait at the NIC, in us as `ts`; the effect takes place at `now`.
  static Args dates(const Effect& effect, Time now);
  // The address and the value after the effect.
  Args outcome(const Operation& op) const;

 private:
  void add_entries(Args& args, const Operation& op, const AddressOwner& place) const;

  const World& world_;
  Inspecting& memory_;
  AddressMap places_;
};

}  // namespace latchlab::exporting
