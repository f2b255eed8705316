#include "core/launch/channel.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace latchlab::launch {
namespace {

constexpr std::size_t kChunkBytes = 64 << 10;
// At most so much in one call, so that one member that talks a lot does not keep others waiting.
constexpr int kChunksPerCall = 16;
constexpr std::size_t kFramesPerCall = 64;

}  // namespace

void Channel::queue(Bytes frame) {
  if (!connection_.is_open()) return;
  unsent_bytes_ += frame->size();
  unsent_.push_back(std::move(frame));
}

void Channel::flush() {
  while (!unsent_.empty()) {
    std::array<iovec, kFramesPerCall> pieces = {};
    const std::size_t count = std::min(unsent_.size(), pieces.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t skip = i == 0 ? sent_of_first_ : 0;
      pieces[i] = {const_cast<char*>(unsent_[i]->data()) + skip, unsent_[i]->size() - skip};
    }
    msghdr message = {};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(connection_.number(), &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    // Also at the end of the connection, which receive() finds too, after what was said before it.
    if (sent < 0) return;
    unsent_bytes_ -= static_cast<std::size_t>(sent);
    sent_of_first_ += static_cast<std::size_t>(sent);
    while (!unsent_.empty() && sent_of_first_ >= unsent_.front()->size()) {
      sent_of_first_ -= unsent_.front()->size();
      unsent_.pop_front();
    }
  }
}

void Channel::receive() {
  std::array<char, kChunkBytes> chunk;
  for (int chunks = 0; connection_.is_open() && chunks < kChunksPerCall; ++chunks) {
    const ssize_t got = ::recv(connection_.number(), chunk.data(), chunk.size(), 0);
    if (got > 0) {
      if (broken_.empty()) reader_.add({chunk.data(), static_cast<std::size_t>(got)});
      if (static_cast<std::size_t>(got) < chunk.size()) return;
    } else if (got == 0) {
      close("its connection was closed");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      close(fmt::format("its connection broke ({})", strerror(errno)));
    }
  }
}

std::optional<Frame> Channel::next() {
  auto frame = reader_.next();
  if (frame) return std::move(frame).value();
  if (broken_.empty()) broken_ = frame.error().message;
  return std::nullopt;
}

void Channel::end_of_sending() {
  if (connection_.is_open()) ::shutdown(connection_.number(), SHUT_WR);
}

void Channel::close(const std::string& why) {
  if (broken_.empty()) broken_ = why;
  unsent_.clear();
  unsent_bytes_ = 0;
  sent_of_first_ = 0;
  connection_.reset();
}

}  // namespace latchlab::launch
