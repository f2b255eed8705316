#pragma once
// What an effect is about, for people: which lock's entry, what the word holds after it, and what
// the protocol reads there.

#include "core/world/effects.h"
#include "core/world/places.h"
#include "tools/export/trace_log.h"

namespace latchlab::exporting {

class EffectText {
 public:
  // Both outlive it.
  EffectText(const World& world, Inspecting& memory)
      : world_(world), memory_(memory), places_(world) {}

  // Of CPU accesses, those that can change an entry.
  bool tells(const Operation& op) const;
  // When, and how long it waited at the NIC: as `ts`, of an effect that takes place now.
  static Args dates(const Effect& effect, Time now);
  // Where, and what is there now.
  Args outcome(const Operation& op) const;

 private:
  void add_entries(Args& args, const Operation& op, const Place& place) const;

  const World& world_;
  Inspecting& memory_;
  Places places_;
};

}  // namespace latchlab::exporting
