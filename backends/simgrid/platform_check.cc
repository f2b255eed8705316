// Trying a platform out where it can do no harm: SimGrid ends the process over a bad one.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <simgrid/s4u.hpp>

#include "backends/simgrid/fabric.h"
#include "backends/simgrid/platform.h"

namespace sg4 = simgrid::s4u;

namespace latchlab::sim {

namespace {

constexpr std::size_t kAllPairs = 1024;  // nodes up to which each pair is looked at
constexpr std::size_t kSample = 512;
constexpr char kVerdict = '\x01';  // what follows is ours; anything else is SimGrid talking

std::string unconnected(const std::vector<sg4::Host*>& hosts) {
  const std::size_t sample = hosts.size() <= kAllPairs ? hosts.size() : kSample;
  for (std::size_t i = 0; i < sample; ++i) {
    for (const sg4::Host* other : hosts) {
      if (hosts[i] == other) continue;
      for (const bool forth : {true, false}) {
        const sg4::Host* from = forth ? hosts[i] : other;
        const sg4::Host* to = forth ? other : hosts[i];
        std::vector<sg4::Link*> links;
        double latency = 0;
        from->route_to(to, links, &latency);
        if (links.empty())
          return fmt::format("there is no route from {} to {}", from->get_name(), to->get_name());
      }
    }
  }
  return "";
}

std::string verdict(std::uint32_t nodes, const NicModel& nic, const TopologySpec& topology) {
  try {
    const std::vector<sg4::Host*> hosts =
        build_fabric(make_engine(), std::vector<std::int64_t>(nodes, nic.link_bits_per_s),
                     nic.link_bits_per_s, topology);
    if (hosts.size() < nodes)
      return fmt::format("it has {} of the {} hosts that the scenario's nodes need", hosts.size(),
                         nodes);
    return unconnected(hosts);
  } catch (const std::exception& problem) {
    return problem.what();
  }
}

[[noreturn]] void be_the_child(std::uint32_t nodes, const NicModel& nic,
                               const TopologySpec& topology, int write_end) {
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::dup2(write_end, STDOUT_FILENO);
  ::dup2(write_end, STDERR_FILENO);
  const std::string text = kVerdict + verdict(nodes, nic, topology);
  static_cast<void>(!::write(write_end, text.data(), text.size()));
  ::_exit(EXIT_SUCCESS);
}

std::string read_all(int descriptor) {
  std::string all;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return all;
    all.append(buffer, static_cast<std::size_t>(got));
  }
}

// The first complaint in what SimGrid printed before it gave up: what follows its "CRITICAL] ".
std::string complaint(const std::string& printed) {
  for (const char* level : {"/CRITICAL] ", "/ERROR] "}) {
    const std::size_t at = printed.find(level);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + std::string(level).size();
    return printed.substr(begin, printed.find('\n', begin) - begin);
  }
  return "SimGrid crashes over it; a zone of hosts without any route is one reason";
}

}  // namespace

Status Platform::check(std::uint32_t nodes, const NicModel& nic, const TopologySpec& topology) {
  if (topology.kind == TopologyKind::star) return fine();
  int ends[2];
  if (::pipe(ends) != 0) return Error{"no pipe to try the platform out", {}};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    be_the_child(nodes, nic, topology, ends[1]);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return Error{"no process to try the platform out", {}};
  }
  const std::string printed = read_all(ends[0]);
  ::close(ends[0]);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  const std::size_t ours = printed.rfind(kVerdict);
  const std::string problem =
      ours == std::string::npos ? complaint(printed) : printed.substr(ours + 1);
  if (problem.empty()) return fine();
  return Error{"SimGrid cannot use this platform: " + problem, topology.file};
}

}  // namespace latchlab::sim
