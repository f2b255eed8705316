#include "tools/benchmarks/hardware/two_processes.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace latchlab::bench {

namespace {

bool send_all(int socket, const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

// Both sides send before they receive, which cannot block because the texts are short.
Result<std::vector<std::string>> exchange(int socket, NodeId me,
                                          const std::vector<std::string>& each) {
  const std::string& own = each[me.value - 1];
  const std::string& mine = each[(me == kServer ? kClient : kServer).value - 1];
  const Error gone{"the process of the other node has ended", {}};
  std::uint64_t bytes = mine.size();
  if (!send_all(socket, &bytes, sizeof bytes) || !send_all(socket, mine.data(), mine.size()))
    return gone;
  if (!receive_all(socket, &bytes, sizeof bytes)) return gone;
  std::string other(bytes, '\0');
  if (!receive_all(socket, other.data(), bytes)) return gone;
  return me == kServer ? std::vector{own, other} : std::vector{other, own};
}

// The node's address. If only one is known, both nodes use it.
Result<std::string> address_for(NodeId node, const Where& where) {
  std::vector<std::string> known = where.addresses;
  if (known.empty()) {
    const auto devices = ib::list_devices();
    if (!devices) return devices.error();
    if (const auto* const device = ib::choose_device(devices.value(), where.device))
      known = device->ipv4_addresses();
  }
  if (known.empty()) return std::string();  // InfiniBand needs no address
  return known[std::min<std::size_t>(node.value, known.size()) - 1];
}

Result<std::unique_ptr<IbverbsBackend>> backend_of(NodeId node, const WorldPlan& plan,
                                                   const Where& where, int socket) {
  const auto address = address_for(node, where);
  if (!address) return address.error();
  IbverbsOptions options;
  options.hosted = {node};
  options.device = where.device;
  if (!address.value().empty()) options.addresses = {address.value()};
  options.exchange = [socket, node](const std::vector<std::string>& each) {
    return exchange(socket, node, each);
  };
  return make_ibverbs(plan, options);
}

int serve(const WorldPlan& plan, const Where& where, int socket) {
  auto backend = backend_of(kServer, plan, where, socket);
  Status fate = backend ? backend.value()->start_together() : Status(backend.error());
  if (fate) return 0;  // the backend's destructor waits for the client
  fmt::print(stderr, "latchlab-hw-bench: server: {}\n", fate.error().text());
  return 1;
}

Status run_client(const WorldPlan& plan, const Where& where, int socket,
                  const std::function<Status(IbverbsBackend&)>& measure) {
  auto backend = backend_of(kClient, plan, where, socket);
  if (!backend) return backend.error();
  if (Status started = backend.value()->start_together(); !started) return started;
  return measure(*backend.value());
}

}  // namespace

Status with_server(const WorldPlan& plan, const Where& where,
                   const std::function<Status(IbverbsBackend&)>& measure) {
  std::array<int, 2> ends;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return Error{fmt::format("no pair of sockets: {}", std::strerror(errno)), {}};
  std::fflush(nullptr);  // otherwise the child prints the buffered output again
  const pid_t parent = ::getpid();
  const pid_t server = ::fork();
  if (server < 0) return Error{fmt::format("no process: {}", std::strerror(errno)), {}};
  if (server == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(ends[1]);
    ::_exit(::getppid() == parent ? serve(plan, where, ends[0]) : 1);
  }
  ::close(ends[0]);
  Status fate = run_client(plan, where, ends[1], measure);
  ::close(ends[1]);
  int status = 0;
  while (::waitpid(server, &status, 0) < 0 && errno == EINTR) {
  }
  if (fate && status != 0) return Error{"the server's process has failed", {}};
  return fate;
}

}  // namespace latchlab::bench
