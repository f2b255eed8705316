#pragma once
// One connection, frames in and frames out; no call of it ever blocks. One thread at a time.

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "core/launch/frame.h"
#include "core/launch/socket.h"

namespace latchlab::launch {

class Channel {
 public:
  Channel(Descriptor connection, std::size_t max_frame)
      : connection_(std::move(connection)), reader_(max_frame) {}

  void queue(Bytes frame);
  // Sends of what is queued as much as the system takes now.
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
  // Nothing more will be sent; says so to the other side, which may still be talking.
  void end_of_sending();
  void close(const std::string& why);
  void set_limit(std::size_t max_frame) { reader_.set_limit(max_frame); }

  int descriptor() const { return connection_.number(); }
  const Descriptor& connection() const { return connection_; }
  bool has_unsent() const { return !unsent_.empty(); }
  std::size_t unsent_bytes() const { return unsent_bytes_; }

 private:
  Descriptor connection_;
  FrameReader reader_;
  std::deque<Bytes> unsent_;
  std::size_t sent_of_first_ = 0;
  std::size_t unsent_bytes_ = 0;
  std::string broken_;
};

}  // namespace latchlab::launch
