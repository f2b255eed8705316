#pragma once
// One connection, frames in and frames out, sealed by the token; no call of it ever blocks. One
// thread at a time.

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "core/launch/frame.h"
#include "core/launch/secure.h"
#include "core/launch/socket.h"

namespace latchlab::launch {

class Channel {
 public:
  Channel(Descriptor connection, SecureStream stream, std::size_t max_frame);

  void queue(Bytes frame);
  // Sends of what is queued as much as the system takes now; nothing before the other side has
  // shown that it has the token.
  void flush();
  void send(Bytes frame) {
    queue(std::move(frame));
    flush();
  }
  // Takes what has arrived.
  void receive();
  // The next whole frame of what was received, in order; also after the end of the connection.
  std::optional<Frame> next();

  // Why no more frames will come; empty: more may. Frames received before that may still wait. One
  // that sends no proper frames stays connected, and can be told so; what else it says is dropped.
  const std::string& broken() const { return broken_; }
  bool is_connected() const { return connection_.is_open(); }
  // Why the other side is not one that has the token; empty: it is, or has yet to show it.
  const std::string& distrust() const { return stream_.trouble(); }
  // Nothing more will be sent; says so to the other side, which may still be talking.
  void end_of_sending();
  void close(const std::string& why);
  void set_limit(std::size_t max_frame) { reader_.set_limit(max_frame); }

  int descriptor() const { return connection_.number(); }
  const Descriptor& connection() const { return connection_; }
  // Is there something that waits for the system to take it?
  bool has_unsent() const { return !wire_.empty() || (stream_.is_secure() && !unsent_.empty()); }
  std::size_t unsent_bytes() const { return unsent_bytes_; }

 private:
  void seal();

  Descriptor connection_;
  SecureStream stream_;
  FrameReader reader_;
  std::deque<Bytes> unsent_;
  std::size_t sealed_of_first_ = 0;
  std::size_t unsent_bytes_ = 0;
  std::string wire_;  // sealed; the first bytes have been sent
  std::size_t sent_of_wire_ = 0;
  std::string broken_;
};

}  // namespace latchlab::launch
