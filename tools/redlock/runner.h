#pragma once
// One repeat of one point: Redis servers, a bank, clients with their locks, and the audit.

#include <string>
#include <vector>

#include "core/study/study.h"
#include "tools/redlock/servers.h"

namespace latchlab::bank {

// How to run; the point says with which lock, how many clients and for how long.
struct Setting {
  ServerOptions redis;
  std::uint64_t accounts = 1'000'000;
  bool artifact = false;  // as ShiftLock's artifact: a connection per lock command, and no locks
                          // for Balance
  bool no_lock = false;   // shows that the audit finds lost money
  // Of locks on RNICs, as `latchlab run` has them.
  std::string device;
  std::vector<std::string> addresses;
  std::uint32_t workers = 1;
  bool agents = false;
};

// Is this point's lock one in Redis, and not one on RNICs?
bool is_redlock(const Point& point);

RepeatOutcome run_bank(const Point& point, std::uint32_t repeat, const Setting& setting,
                       const StopAsked& stop);

}  // namespace latchlab::bank
