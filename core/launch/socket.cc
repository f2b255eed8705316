#include "core/launch/socket.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace latchlab::launch {
namespace {

// An unreachable machine is detected after about 15 s, whether the connection is idle or sending.
constexpr int kKeepIdleS = 5;
constexpr int kKeepIntervalS = 2;
constexpr int kKeepProbes = 5;
constexpr int kUnacknowledgedMs = 15'000;
constexpr std::chrono::milliseconds kConnectAgain{200};

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> resolve(const Address& address, int flags) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const std::string port = std::to_string(address.port);
  const int error = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &list);
  if (error != 0)
    return Error{fmt::format("cannot find the host '{}': {}", address.host, gai_strerror(error)),
                 {}};
  return Addresses(list);
}

void set_option(int socket, int level, int name, int value) {
  // Failure is ignored: without an option, a loss is only detected later.
  ::setsockopt(socket, level, name, &value, sizeof value);
}

void prepare(int connection) {
  set_option(connection, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(connection, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(connection, IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdleS);
  set_option(connection, IPPROTO_TCP, TCP_KEEPINTVL, kKeepIntervalS);
  set_option(connection, IPPROTO_TCP, TCP_KEEPCNT, kKeepProbes);
  set_option(connection, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMs);
}

Descriptor new_socket(const addrinfo& at) {
  return Descriptor(::socket(at.ai_family, at.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// 0: connected; else an errno.
int finish_connecting(const Descriptor& socket, Deadline deadline, const StopRequested& stop) {
  pollfd writable = {socket.number(), POLLOUT, 0};
  while (::poll(&writable, 1, poll_timeout_ms(deadline)) <= 0) {
    if (Clock::now() >= deadline) return ETIMEDOUT;
    if (is_stopped(stop)) return ECANCELED;
  }
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

// Tries each address of a host once; `why` is the errno of the last attempt.
Descriptor connect_once(const addrinfo& list, Deadline deadline, const StopRequested& stop,
                        int& why) {
  for (const addrinfo* at = &list; at != nullptr; at = at->ai_next) {
    Descriptor socket = new_socket(*at);
    if (!socket.is_open()) {
      why = errno;
      continue;
    }
    why = ::connect(socket.number(), at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (why == EINPROGRESS || why == EINTR) why = finish_connecting(socket, deadline, stop);
    if (why == 0) return socket;
  }
  return Descriptor();
}

}  // namespace

void Descriptor::reset(int number) {
  if (number_ >= 0) ::close(number_);
  number_ = number;
}

Result<Descriptor> listen_at(const Address& address) {
  const auto list = resolve(address, AI_PASSIVE);
  if (!list) return list.error();
  const addrinfo& at = *list.value();
  Descriptor socket = new_socket(at);
  set_option(socket.number(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (!socket.is_open() || ::bind(socket.number(), at.ai_addr, at.ai_addrlen) != 0 ||
      ::listen(socket.number(), SOMAXCONN) != 0)
    return Error{fmt::format("cannot listen at {}: {}; choose an address of this machine and a "
                             "free port (0: any)",
                             address.text(), strerror(errno)),
                 {}};
  return socket;
}

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_storage name = {};
  socklen_t size = sizeof name;
  ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&name), &size);
  return ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                                          : reinterpret_cast<sockaddr_in*>(&name)->sin_port);
}

Result<Descriptor> accept_next(const Descriptor& listener) {
  for (;;) {
    Descriptor connection(
        ::accept4(listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (connection.is_open()) {
      prepare(connection.number());
      return connection;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Descriptor();
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO || errno == ENETDOWN ||
        errno == EHOSTDOWN || errno == EHOSTUNREACH || errno == ENETUNREACH || errno == EPERM)
      continue;  // the peer has already closed this connection
    return Error{fmt::format("cannot take another member: {}; if a limit was reached, raise it "
                             "(ulimit -n)",
                             strerror(errno)),
                 {}};
  }
}

Result<Descriptor> connect_to(const Address& address, Deadline deadline,
                              const StopRequested& stop) {
  const auto list = resolve(address, 0);
  if (!list) return list.error();
  for (;;) {
    int why = 0;
    Descriptor socket = connect_once(*list.value(), deadline, stop, why);
    if (socket.is_open()) {
      prepare(socket.number());
      return socket;
    }
    if (is_stopped(stop)) return Error{"stopped before a coordinator answered", {}};
    if (Clock::now() + kConnectAgain >= deadline)
      return Error{fmt::format("no coordinator answers at {}: {}; is it running, and does a "
                               "firewall let this machine reach it?",
                               address.text(), strerror(why)),
                   {}};
    std::this_thread::sleep_for(kConnectAgain);
  }
}

std::string other_end(const Descriptor& connection) {
  sockaddr_storage name = {};
  socklen_t size = sizeof name;
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
  auto* const plain = reinterpret_cast<sockaddr*>(&name);
  if (::getpeername(connection.number(), plain, &size) != 0 ||
      ::getnameinfo(plain, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "an unknown address";
  return name.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host, port)
                                    : fmt::format("{}:{}", host, port);
}

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "an unnamed host";
  return name;
}

}  // namespace latchlab::launch
