#pragma once
// The outcome of a drawn scenario: the promise that was broken, and counts of what happened.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace latchlab::testing {

enum class Promise : std::uint8_t {
  none,         // all are kept
  exclusion,    // no two conflicting grants
  late_effect,  // a grant that is over changes nothing
  lost_client,  // all clients finish, or are told that their deadline has passed
  stuck_lock,   // afterwards each lock looks free, and the next client can acquire it
  bypass,       // within what the lock claims
  deadline,     // reported if there is one, and it has passed
  same_again,   // one number has one outcome
  alive,        // the program itself
};

constexpr const char* name_of(Promise promise) {
  constexpr const char* kNames[] = {"none",        "exclusion",          "late effect",
                                    "lost client", "stuck lock",         "bypass bound",
                                    "deadline",    "same outcome twice", "alive"};
  return kNames[static_cast<int>(promise)];
}

// Of one run, or of many added up. Sent through a pipe without conversion.
struct Tally {
  std::uint64_t runs = 0, acquired = 0, upgraded = 0, extended = 0, aborted = 0, suppressed = 0,
                crashed = 0, recoveries = 0;
  std::uint32_t claimed = 0, bound = 0, unclaimed = 0;  // bypasses, the largest numbers
  bool claims = false;
  std::uint64_t hash = 0;  // of one run alone

  void add(const Tally& one) {
    runs += one.runs;
    acquired += one.acquired;
    upgraded += one.upgraded;
    extended += one.extended;
    aborted += one.aborted;
    suppressed += one.suppressed;
    crashed += one.crashed;
    recoveries += one.recoveries;
    if (one.claims && (!claims || one.claimed > claimed)) bound = one.bound;
    claimed = std::max(claimed, one.claimed);
    unclaimed = std::max(unclaimed, one.unclaimed);
    claims = claims || one.claims;
  }
};

struct Played {
  Promise broken = Promise::none;
  std::string how;
  Tally tally;
};

inline std::string summary(const std::string& lock, const Tally& sum) {
  const std::string claim =
      sum.claims
          ? fmt::format("bypassed {} times where at most {} are claimed", sum.claimed, sum.bound)
          : "no bound on bypasses claimed";
  return fmt::format(
      "{}: {} draws, {} acquisitions, {} upgrades, {} extensions, {} aborted, {} suppressed, {} "
      "crashes, {} recoveries; {}, {} times elsewhere",
      lock, sum.runs, sum.acquired, sum.upgraded, sum.extended, sum.aborted, sum.suppressed,
      sum.crashed, sum.recoveries, claim, sum.unclaimed);
}

}  // namespace latchlab::testing
