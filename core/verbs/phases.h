#pragma once
// Phases of an acquisition or release, named as in ShiftLock's Table 2. Protocols mark the phase
// that they enter; a PhaseSink adds up the time in between. If there is no sink, a mark costs one
// test of a pointer.

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/time.h"

namespace latchlab {

enum class Phase : std::uint8_t {
  other,           // everything that no other phase claims
  initial_atomic,  // IA: the first atomic of an acquisition, or the atomic of a release
  retry,           // RT: retries, including backoff
  notify_pred,     // NP: the message to the predecessor
  wait_pred,       // WP: waiting for the predecessor's message
  wait_readers,    // WR: waiting for earlier readers
  wait_writers,    // WW: a reader waiting for writers
  notify_succ,     // NS: waiting for and messaging the successor
};
inline constexpr int kPhases = 8;
inline constexpr std::array<std::string_view, kPhases> kPhaseNames = {"other", "IA", "RT", "NP",
                                                                      "WP",    "WR", "WW", "NS"};

// True if an acquisition that spent this in its phases had to wait: its first atomic was not
// enough.
constexpr bool has_waited(const std::array<Duration, kPhases>& spent) {
  for (int i = 0; i < kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    if (phase == Phase::other || phase == Phase::initial_atomic) continue;
    if (spent[static_cast<std::size_t>(i)].ps > 0) return true;
  }
  return false;
}

class PhaseSink {
 public:
  virtual ~PhaseSink() = default;
  virtual void mark(Phase phase) = 0;  // from now on the client is in `phase`
  // The time since the last mark belonged to `phase`, as it has turned out.
  virtual void was(Phase phase) = 0;
  // The client begins to recover the lock, and has recovered it. A recovery that fails has no end.
  virtual void recovery_begins() = 0;
  virtual void recovery_ends() = 0;
};

}  // namespace latchlab
