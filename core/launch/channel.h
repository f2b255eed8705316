#pragma once
// One connection that sends and receives frames, encrypted with the token. No call blocks. Used by
// one thread at a time.

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
  // Sends as much of the queue as the system accepts now; nothing before the peer has proved that
  // it has the token.
  void flush();
  void send(Bytes frame) {
    queue(std::move(frame));
    flush();
  }
  // Reads the available bytes.
  void receive();
  // The next complete frame, in order; also after the connection has ended.
  std::optional<Frame> next();

  // Why no more frames will come; empty: more may come. Frames that were received earlier may still
  // be read by next(). A peer that sends invalid frames stays connected, so that it can be told;
  // its later data is dropped.
  const std::string& broken() const { return broken_; }
  bool is_connected() const { return connection_.is_open(); }
  // Why the peer was found not to have the token; empty: it has it, or has not proved it yet.
  const std::string& distrust() const { return stream_.trouble(); }
  // Ends the sending direction; the peer may still send.
  void end_of_sending();
  void close(const std::string& why);
  void set_limit(std::size_t max_frame) { reader_.set_limit(max_frame); }

  int descriptor() const { return connection_.number(); }
  const Descriptor& connection() const { return connection_; }
  // True if data waits for the system to accept it.
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
  std::string wire_;  // encrypted; a prefix may already have been sent
  std::size_t sent_of_wire_ = 0;
  std::string broken_;
};

}  // namespace latchlab::launch
