#pragma once
// TCP sockets for this layer: non-blocking, close-on-exec, and with keepalive settings that detect
// an unreachable machine quickly.

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/launch/rendezvous.h"
#include "core/launch/waiting.h"

namespace latchlab::launch {

// Owns a file descriptor; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void reset(int number = -1);

 private:
  int number_;
};

// A listening socket. Port 0: any free port; see port_of().
Result<Descriptor> listen_at(const Address& address);
std::uint16_t port_of(const Descriptor& socket);

// The next pending connection of a listening socket, configured for use; a closed descriptor: none.
// Error: the process or the machine has reached a limit.
Result<Descriptor> accept_next(const Descriptor& listener);

// Connects, and retries while no process listens. Name resolution uses the system's own timeouts.
Result<Descriptor> connect_to(const Address& address, Deadline deadline, const StopRequested& stop);

// Numeric address and port of the peer; "an unknown address" if the connection has ended.
std::string other_end(const Descriptor& connection);

std::string host_name();

}  // namespace latchlab::launch
