#pragma once
// One repeat of one point: starts the Redis servers, runs the bank's clients and audits the money.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/local_members.h"
#include "core/run/study.h"

namespace latchlab::bank {

// Redis servers for one run: on loopback, in an empty directory, without persistence. The kernel
// ends them when the thread that started them ends, so that thread must live as long as the run.
struct ServerOptions {
  std::string program = "redis-server";  // a path, or looked up in PATH
  std::uint32_t count = 1;
  std::uint16_t port = 0;  // of the first server, the others use the next ports; 0: any free ports
};

class Servers {
 public:
  // Returns when all servers answer. Error: a missing program, a port in use, or a failed start.
  static Result<Servers> start(const ServerOptions& options);

  std::uint16_t port(std::size_t index) const { return ports_[index]; }
  std::size_t count() const { return ports_.size(); }
  const std::string& version() const { return version_; }  // "7.0.15"
  Status check();                                          // error: a server has ended

 private:
  Status start_one(const std::string& program, std::uint16_t port);
  Status await_answer(std::uint16_t port);

  std::vector<launch::LocalMembers> processes_;
  std::vector<std::uint16_t> ports_;
  std::string version_;
};

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
