#pragma once
// TCP sockets, as this layer wants them: non-blocking, closed on exec, and quick to notice that the
// other machine is gone.

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/launch/address.h"
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

// A listening socket. Port 0: any free one; see port_of().
Result<Descriptor> listen_at(const Address& address);
std::uint16_t port_of(const Descriptor& socket);

// The next connection that waits at a listening socket, ready for use; a closed descriptor: none.
// Error: the process or the machine cannot take any more.
Result<Descriptor> accept_next(const Descriptor& listener);

// Connects, and tries again while nobody listens there yet. Looking up a name is up to the system
// and its own timeouts.
Result<Descriptor> connect_to(const Address& address, Deadline deadline, const StopRequested& stop);

// Numeric address and port of the other end; "an unknown address" when it is gone already.
std::string other_end(const Descriptor& connection);

std::string host_name();

}  // namespace latchlab::launch
