#pragma once
// Redis servers of a run's own: on loopback, in an empty directory, keeping nothing. They end with
// this program, however it ends; none may be started by a thread that ends before it.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/local_members.h"

namespace latchlab::bank {

struct ServerOptions {
  std::string program = "redis-server";  // a path, or looked up in PATH
  std::uint32_t count = 1;
  std::uint16_t port = 0;  // of the first, the others follow; 0: any free ones
};

class Servers {
 public:
  // Waits until they answer. Error: what is missing, or in the way.
  static Result<Servers> start(const ServerOptions& options);

  std::uint16_t port(std::size_t index) const { return ports_[index]; }
  std::size_t count() const { return ports_.size(); }
  const std::string& version() const { return version_; }  // "7.0.15"
  Status check();                                          // error: one has ended

 private:
  Status start_one(const std::string& program, std::uint16_t port);
  Status await_answer(std::uint16_t port);

  std::vector<launch::LocalMembers> processes_;
  std::vector<std::uint16_t> ports_;
  std::string version_;
};

}  // namespace latchlab::bank
