#pragma once
// Redis servers for one run: on loopback, in an empty directory, without persistence. The kernel
// ends them when the thread that started them ends, so that thread must live as long as the run.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/local_members.h"

namespace latchlab::bank {

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

}  // namespace latchlab::bank
