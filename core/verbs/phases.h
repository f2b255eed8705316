#pragma once
// Phases of an acquisition or release, named as in ShiftLock's Table 2. Protocols mark where they
// are; whoever measures adds up the time in between. Costs one test of a pointer when off.

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

// Whether who has spent this in the phases of an acquisition waited: its first atomic did not do.
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
  // What it has done since the last mark was this, as it has turned out.
  virtual void was(Phase phase) = 0;
};

}  // namespace latchlab
