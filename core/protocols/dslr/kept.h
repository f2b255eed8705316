#pragma once
// What a grant of DSLR stores of its ticket, in Grant::words.

#include <cstdint>

#include "core/protocols/dslr/rules.h"
#include "core/protocols/lock.h"

namespace latchlab::dslr {

// The ticket is stored only if the release or an upgrade depends on it, or if the release compares
// it with the word.
struct Kept {
  Ticket ticket;
  bool alone = false;  // for an update: the readers had left when it was granted
};

inline void keep(Grant& grant, const Kept& kept, bool compared) {
  const Ticket& ticket = kept.ticket;
  if (!compared && !ticket.last && ticket.mode != LockMode::update && ticket.slots == 1) return;
  const std::uint64_t flags = 1 + (ticket.last ? 2 : 0) + (kept.alone ? 4 : 0);
  grant.words = {ticket.x | std::uint64_t{ticket.s} << 32,
                 ticket.u | std::uint64_t{ticket.slots} << 32,
                 flags | std::uint64_t{static_cast<std::uint8_t>(ticket.mode)} << 8, 0};
}

inline Kept kept_of(const Grant& grant) {
  Kept kept;
  const auto& [xs, uk, flags, none] = grant.words;
  kept.ticket.mode = grant.mode;
  if (flags == 0) return kept;
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  kept.ticket.x = low(xs);
  kept.ticket.s = low(xs >> 32);
  kept.ticket.u = low(uk);
  kept.ticket.slots = low(uk >> 32);
  kept.ticket.mode = static_cast<LockMode>(flags >> 8);
  kept.ticket.last = (flags & 2) != 0;
  kept.alone = (flags & 4) != 0;
  return kept;
}

}  // namespace latchlab::dslr
