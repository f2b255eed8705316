#pragma once
// One repeat of one point: starts the Redis servers, runs the bank's clients and audits the money.

#include <string>
#include <vector>

#include "core/run/study.h"
#include "tools/redlock/servers.h"

namespace latchlab::bank {

// Settings of the run. The point sets the lock, the number of clients and the duration.
struct Setting {
  ServerOptions redis;
  std::uint64_t accounts = 1'000'000;
  bool artifact = false;  // like ShiftLock's artifact: one connection per lock command, and Balance
                          // takes no locks
  bool no_lock = false;   // grants without locking, to show that the audit finds lost updates
  // For locks on RNICs, with the meaning of the options of `latchlab run`.
  std::string device;
  std::vector<std::string> addresses;
  std::uint32_t workers = 1;
  bool agents = false;
};

// Whether this point's lock is in Redis rather than on RNICs.
bool is_redlock(const Point& point);

RepeatOutcome run_bank(const Point& point, std::uint32_t repeat, const Setting& setting,
                       const StopAsked& stop);

}  // namespace latchlab::bank
