#pragma once
// A client connection to one Redis server, with one command outstanding at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/redlock/client_io.h"

struct redisContext;  // NOLINT(readability-identifier-naming): hiredis'

namespace latchlab::bank {

struct Reply {
  bool missing = false;     // there is no such key
  std::int64_t number = 0;  // if Redis answers with an integer
  std::string text;
  std::vector<Reply> parts;
};

enum class Connections : std::uint8_t { kept, per_command };

class Connection {
 public:
  // To this port on loopback. The first command connects.
  Connection(std::uint16_t port, ClientIo& place, Connections connections = Connections::kept)
      : port_(port), place_(place), connections_(connections) {}

  // Error: no reply by the deadline, an error reply of Redis, or a broken connection. After a
  // timeout or a broken connection, the next command reconnects.
  Task<Result<Reply>> command(std::vector<std::string> words, Time deadline = kNever);
  // Whether the last error was a missed deadline.
  bool timed_out() const { return timed_out_; }

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };
  Status open();
  Error broken(const std::string& why);
  Task<Status> exchange(Time deadline, void** reply);

  std::uint16_t port_;
  ClientIo& place_;
  Connections connections_;
  std::unique_ptr<redisContext, Close> context_;
  bool timed_out_ = false;
};

}  // namespace latchlab::bank
