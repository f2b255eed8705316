#pragma once
// Phases of an acquisition or release, named as in ShiftLock's Table 2. Protocols mark where they
// are; whoever measures adds up the time in between. Costs one test of a pointer when off.

#include <array>
#include <cstdint>
#include <string_view>

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

class PhaseSink {
 public:
  virtual ~PhaseSink() = default;
  virtual void mark(Phase phase) = 0;  // from now on the client is in `phase`
};

}  // namespace latchlab
