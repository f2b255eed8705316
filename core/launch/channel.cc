#include "core/launch/channel.h"

#include <fmt/core.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace latchlab::launch {
namespace {

constexpr std::size_t kChunkBytes = 64 << 10;
// Limits one call, so that a member that sends much does not delay the others.
constexpr int kChunksPerCall = 16;

}  // namespace

Channel::Channel(Descriptor connection, SecureStream stream, std::size_t max_frame)
    : connection_(std::move(connection)),
      stream_(std::move(stream)),
      reader_(max_frame),
      broken_(stream_.trouble()) {}

void Channel::queue(Bytes frame) {
  if (!connection_.is_open()) return;
  unsent_bytes_ += frame->size();
  unsent_.push_back(std::move(frame));
}

// Encrypts the next piece of the queue, and takes what the TLS stream itself has to send.
void Channel::seal() {
  std::size_t room = kChunkBytes;
  while (room > 0 && !unsent_.empty() && stream_.is_secure()) {
    const std::string_view piece =
        std::string_view(*unsent_.front()).substr(sealed_of_first_, room);
    stream_.say(piece);
    room -= piece.size();
    unsent_bytes_ -= piece.size();
    sealed_of_first_ += piece.size();
    if (sealed_of_first_ < unsent_.front()->size()) break;
    sealed_of_first_ = 0;
    unsent_.pop_front();
  }
  wire_ = stream_.take();
  sent_of_wire_ = 0;
}

void Channel::flush() {
  while (connection_.is_open()) {
    if (wire_.empty()) seal();
    if (wire_.empty()) return;
    const ssize_t sent = ::send(connection_.number(), wire_.data() + sent_of_wire_,
                                wire_.size() - sent_of_wire_, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    // Also at the end of the connection: receive() detects it after it has read the remaining data.
    if (sent < 0) return;
    sent_of_wire_ += static_cast<std::size_t>(sent);
    if (sent_of_wire_ == wire_.size()) wire_.clear();
  }
}

void Channel::receive() {
  std::array<char, kChunkBytes> chunk;
  std::string said;
  for (int chunks = 0; connection_.is_open() && chunks < kChunksPerCall; ++chunks) {
    const ssize_t got = ::recv(connection_.number(), chunk.data(), chunk.size(), 0);
    if (got > 0) {
      if (!broken_.empty()) continue;
      said.clear();
      stream_.receive({chunk.data(), static_cast<std::size_t>(got)}, said);
      reader_.add(said);
      broken_ = stream_.trouble();
      flush();  // the handshake may need an answer
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
  sealed_of_first_ = 0;
  wire_.clear();
  connection_.reset();
}

}  // namespace latchlab::launch
