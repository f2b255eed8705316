#include "tools/soft-mlx5/fabric.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/config.h"

namespace soft_mlx5 {

namespace {

static_assert(std::is_trivially_copyable_v<RequestHead> && std::is_trivially_copyable_v<ReplyHead>);

// Precedes a head and its payload.
struct Frame {
  std::uint64_t payload = 0;
  std::uint64_t is_request = 0;
};

constexpr std::uint64_t kListener = 0;  // epoll data of the listener; links use their ids
constexpr std::size_t kChunk = 65536;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) die("%s is too long for a socket", path.c_str());
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int new_socket() {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) die("no socket: %s", std::strerror(errno));
  return fd;
}

// Retries, because a peer's listener does not block: EAGAIN means that its backlog is full.
bool connects(int fd, const std::string& path) {
  const sockaddr_un address = address_of(path);
  for (int tries = 0; tries < 1000; ++tries) {
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
      return true;
    if (errno != EAGAIN) return false;
    const timespec a_moment = {0, 1'000'000};
    ::nanosleep(&a_moment, nullptr);
  }
  return false;
}

void append(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(from);
  to.insert(to.end(), first, first + bytes);
}

template <class Head>
void pack(std::vector<std::byte>& to, const Head& head, const std::vector<std::byte>& payload,
          bool is_request) {
  const Frame frame = {payload.size(), is_request ? 1U : 0U};
  append(to, &frame, sizeof(frame));
  append(to, &head, sizeof(Head));
  append(to, payload.data(), payload.size());
}

}  // namespace

std::string Fabric::path_of(std::uint32_t slot) const {
  return config().directory + "/process-" + std::to_string(slot);
}

bool Fabric::take_slot(std::uint32_t slot) {
  const std::string path = path_of(slot);
  const sockaddr_un address = address_of(path);
  const int fd = new_socket();
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      ::listen(fd, kSlots) == 0) {
    slot_ = slot;
    listener_ = fd;
    return true;
  }
  ::close(fd);
  return false;
}

// Slots of processes that have ended are reused only when no other slot is left: their QP numbers
// may still be in use at peers.
void Fabric::join() {
  if (poll_ >= 0 || config().directory.empty()) return;
  const std::string name = config().directory + "/lock";
  const int lock = ::open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (lock < 0 || ::flock(lock, LOCK_EX) != 0)
    die("%s: %s", config().directory.c_str(), std::strerror(errno));
  for (std::uint32_t slot = 1; listener_ < 0 && slot < kSlots; ++slot) take_slot(slot);
  for (std::uint32_t slot = 1; listener_ < 0 && slot < kSlots; ++slot) {
    const int probe = new_socket();
    if (!connects(probe, path_of(slot))) {
      ::unlink(path_of(slot).c_str());
      take_slot(slot);
    }
    ::close(probe);
  }
  ::close(lock);
  if (listener_ < 0) die("more than %u processes use the device", kSlots - 1);
  poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event wanted = {};
  wanted.events = EPOLLIN;
  wanted.data.u64 = kListener;
  if (poll_ < 0 || ::epoll_ctl(poll_, EPOLL_CTL_ADD, listener_, &wanted) != 0)
    die("no epoll: %s", std::strerror(errno));
}

Fabric::Link& Fabric::add(int fd, std::uint32_t slot) {
  auto link = std::make_unique<Link>();
  link->id = ++last_id_;
  link->fd = fd;
  link->slot = slot;
  epoll_event wanted = {};
  wanted.events = EPOLLIN;
  wanted.data.u64 = link->id;
  if (::epoll_ctl(poll_, EPOLL_CTL_ADD, fd, &wanted) != 0)
    die("no epoll: %s", std::strerror(errno));
  return *links_.emplace(link->id, std::move(link)).first->second;
}

// Null: that process has ended.
Fabric::Link* Fabric::link_to(std::uint32_t slot) {
  const auto found = to_slots_.find(slot);
  if (found != to_slots_.end()) return found->second;
  if (poll_ < 0 || slot == 0 || slot >= kSlots) return nullptr;
  const int fd = new_socket();
  if (!connects(fd, path_of(slot))) {
    ::close(fd);
    return nullptr;
  }
  return to_slots_[slot] = &add(fd, slot);
}

void Fabric::stay_silent(std::uint32_t qp, std::uint64_t ticket) {
  Arrived none;
  none.reply.to = qp;
  none.reply.ticket = ticket;
  none.reply.verdict = Verdict::silence;
  arrived_.push_back(std::move(none));
}

void Fabric::send(const Request& request) {
  Link* const link = link_to(request.to >> kNumberBits);
  if (link == nullptr) return stay_silent(request.from, request.ticket);
  link->waiting.emplace_back(request.from, request.ticket);
  pack(link->out, static_cast<const RequestHead&>(request), request.payload, true);
  if (!write_some(*link)) close(*link);
}

void Fabric::answer(std::uint64_t asker, const Reply& reply) {
  const auto found = links_.find(asker);
  if (found == links_.end()) return;  // the asking process has ended
  pack(found->second->out, static_cast<const ReplyHead&>(reply), reply.payload, false);
  if (!write_some(*found->second)) close(*found->second);
}

// Outstanding requests to the process get no answer.
void Fabric::close(Link& link) {
  for (const auto& [qp, ticket] : link.waiting) stay_silent(qp, ticket);
  ::close(link.fd);
  if (link.slot != 0) to_slots_.erase(link.slot);
  links_.erase(link.id);
}

void Fabric::accept_all() {
  while (true) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    add(fd, 0);
  }
}

bool Fabric::read_all(Link& link) {
  std::array<std::byte, kChunk> some;
  while (true) {
    const ssize_t got = ::recv(link.fd, some.data(), some.size(), 0);
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    append(link.in, some.data(), static_cast<std::size_t>(got));
  }
}

bool Fabric::write_some(Link& link) {
  while (link.sent < link.out.size()) {
    const ssize_t sent =
        ::send(link.fd, link.out.data() + link.sent, link.out.size() - link.sent, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    link.sent += static_cast<std::size_t>(sent);
  }
  link.out.clear();
  link.sent = 0;
  return true;
}

void Fabric::parse(Link& link) {
  std::size_t at = 0;
  while (link.in.size() - at >= sizeof(Frame)) {
    Frame frame;
    std::memcpy(&frame, link.in.data() + at, sizeof(frame));
    const std::size_t head = frame.is_request != 0 ? sizeof(RequestHead) : sizeof(ReplyHead);
    if (link.in.size() - at < sizeof(Frame) + head + frame.payload) break;
    const std::byte* const body = link.in.data() + at + sizeof(Frame);
    Arrived one;
    one.is_request = frame.is_request != 0;
    one.asker = link.id;
    if (one.is_request) {
      std::memcpy(static_cast<RequestHead*>(&one.request), body, head);
      one.request.payload.assign(body + head, body + head + frame.payload);
    } else {
      std::memcpy(static_cast<ReplyHead*>(&one.reply), body, head);
      one.reply.payload.assign(body + head, body + head + frame.payload);
      const auto asked = std::find(link.waiting.begin(), link.waiting.end(),
                                   std::pair(one.reply.to, one.reply.ticket));
      if (asked != link.waiting.end()) link.waiting.erase(asked);
    }
    arrived_.push_back(std::move(one));
    at += sizeof(Frame) + head + frame.payload;
  }
  link.in.erase(link.in.begin(), link.in.begin() + static_cast<std::ptrdiff_t>(at));
}

void Fabric::move_bytes() {
  if (poll_ < 0) return;
  std::array<epoll_event, 64> events = {};
  const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t mark = events[static_cast<std::size_t>(i)].data.u64;
    if (mark == kListener) {
      accept_all();
      continue;
    }
    const auto found = links_.find(mark);
    if (found == links_.end()) continue;
    const bool lives = read_all(*found->second);
    parse(*found->second);
    if (!lives) close(*found->second);
  }
  std::vector<Link*> broken;
  for (auto& [id, link] : links_)
    if (!link->out.empty() && !write_some(*link)) broken.push_back(link.get());
  for (Link* link : broken) close(*link);
}

void Fabric::wait(std::int64_t ns) const {
  const timespec time = {0, static_cast<long>(ns)};
  if (poll_ < 0) {
    ::nanosleep(&time, nullptr);
    return;
  }
  pollfd wanted = {poll_, POLLIN, 0};
  ::ppoll(&wanted, 1, &time, nullptr);
}

}  // namespace soft_mlx5
