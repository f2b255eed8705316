// Tries a platform out in a child process, because SimGrid ends the process over a bad one.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <new>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <typeinfo>

#include "backends/simgrid/fabric.h"
#include "backends/simgrid/simgrid_backend.h"
#include "core/base/split.h"

namespace sg4 = simgrid::s4u;

namespace latchlab::sim {

namespace {

constexpr std::size_t kAllPairs = 1024;  // with up to as many nodes each pair is checked
constexpr std::size_t kSample = 512;
constexpr std::size_t kMostHosts = 65'535;  // the largest node number
constexpr rlim_t kMostMemory = rlim_t{4} << 30U;
constexpr rlim_t kMostSeconds = 120;            // of CPU time
constexpr std::clock_t kSecondsForRoutes = 20;  // of these
constexpr char kVerdict = '\x01';  // our text follows; anything else is SimGrid's output
constexpr char kHosts = '\x02';    // names follow, one per line; else a problem

[[noreturn]] void give_verdict(const std::string& said) {
  const std::string text = kVerdict + said;
  static_cast<void>(!::write(STDOUT_FILENO, text.data(), text.size()));
  ::_exit(EXIT_SUCCESS);
}

// The base class is the only type of zone that SimGrid exports.
bool is_in_vivaldi_zone(const sg4::Host& host) {
  const auto* const zone = host.get_netpoint()->get_englobing_zone();
  return zone != nullptr &&
         std::string(typeid(*zone).name()).find("VivaldiZone") != std::string::npos;
}

// Why SimGrid throws for a route, where the reason is known.
std::string why_no_route(const sg4::Host& from, const sg4::Host& to,
                         const std::exception& problem) {
  for (const sg4::Host* host : {&from, &to})
    if (is_in_vivaldi_zone(*host))
      return fmt::format(
          "{} is in a Vivaldi zone, whose coordinates give latencies alone: each host needs a "
          "<host_link> too",
          host->get_name());
  return std::string("SimGrid says: ") + problem.what();
}

// Why a link of the platform has no rate that the simulator can use.
std::string without_rate(const std::vector<sg4::Link*>& links) {
  constexpr double kLeastBytesPerS = 12'500;  // 100 kbps, as for link.rate
  for (const sg4::Link* link : links) {
    if (link->get_sharing_policy() == sg4::Link::SharingPolicy::WIFI)
      return fmt::format(
          "its link {} is Wi-Fi, whose rate depends on who sends; give it one rate and another "
          "sharing_policy",
          link->get_name());
    if (link->get_bandwidth() < kLeastBytesPerS)
      return fmt::format("its link {} carries {} bytes/s; it takes at least {}", link->get_name(),
                         link->get_bandwidth(), kLeastBytesPerS);
  }
  return "";
}

std::string no_route(const sg4::Host& from, const sg4::Host& to) {
  std::vector<sg4::Link*> links;
  double latency = 0;
  std::string why;
  try {
    from.route_to(&to, links, &latency);
  } catch (const std::exception& problem) {
    why = ": " + why_no_route(from, to, problem);
  }
  if (!links.empty() && why.empty()) return without_rate(links);
  return fmt::format("there is no route from {} to {}{}", from.get_name(), to.get_name(), why);
}

std::string unconnected(const std::vector<sg4::Host*>& hosts) {
  const std::size_t sample = hosts.size() <= kAllPairs ? hosts.size() : kSample;
  const std::clock_t enough = std::clock() + kSecondsForRoutes * CLOCKS_PER_SEC;
  for (std::size_t i = 0; i < sample && std::clock() < enough; ++i)
    for (std::size_t j = i + 1; j < hosts.size(); ++j) {
      std::string problem = no_route(*hosts[i], *hosts[j]);
      if (problem.empty()) problem = no_route(*hosts[j], *hosts[i]);
      if (!problem.empty()) return problem;
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
    if (std::string problem = unconnected(hosts); !problem.empty()) return problem;
    std::string names(1, kHosts);
    for (const sg4::Host* host : hosts) names += host->get_name() + "\n";
    return names;
  } catch (const std::exception& problem) {
    return problem.what();
  }
}

// The size of this process's address space in bytes.
rlim_t address_space() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

// A few lines of a platform file can define any number of hosts.
void set_limits() {
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const rlimit seconds = {kMostSeconds, kMostSeconds + 1};
  ::setrlimit(RLIMIT_CPU, &seconds);
  const rlim_t bytes = address_space() + kMostMemory;
  const rlimit memory = {bytes, bytes};
  ::setrlimit(RLIMIT_AS, &memory);
  // Formatted now, while there is memory.
  static const std::string too_much =
      fmt::format("{}it takes more than {} GiB of memory; leave out hosts that no node uses",
                  kVerdict, kMostMemory >> 30U);
  std::set_new_handler([] {
    static_cast<void>(!::write(STDOUT_FILENO, too_much.data(), too_much.size()));
    ::_exit(EXIT_SUCCESS);
  });
  static std::size_t hosts = 0;
  sg4::Host::on_creation_cb([](const sg4::Host&) {
    if (++hosts > kMostHosts)
      give_verdict(
          fmt::format("it has more than {} hosts, and there are no more nodes", kMostHosts));
  });
}

[[noreturn]] void be_the_child(std::uint32_t nodes, const NicModel& nic,
                               const TopologySpec& topology, int write_end) {
  ::dup2(write_end, STDOUT_FILENO);
  ::dup2(write_end, STDERR_FILENO);
  set_limits();
  give_verdict(verdict(nodes, nic, topology));
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

// The first error in SimGrid's output: the text after its "CRITICAL] " or "ERROR] ".
std::string complaint(const std::string& printed, int status) {
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    return fmt::format("it takes more than {} s to build; leave out hosts that no node uses",
                       kMostSeconds);
  for (const char* level : {"/CRITICAL] ", "/ERROR] "}) {
    const std::size_t at = printed.find(level);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + std::string(level).size();
    return printed.substr(begin, printed.find('\n', begin) - begin);
  }
  return "SimGrid crashes over it; a zone of hosts without any route is one reason";
}

}  // namespace

}  // namespace latchlab::sim

namespace latchlab {

Result<std::vector<std::string>> platform_hosts(std::uint32_t nodes, const NicModel& nic,
                                                const TopologySpec& topology) {
  using namespace sim;
  if (topology.kind == TopologyKind::star) return std::vector<std::string>();
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
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::size_t ours = printed.rfind(kVerdict);
  const std::string said =
      ours == std::string::npos ? complaint(printed, status) : printed.substr(ours + 1);
  if (!said.starts_with(kHosts))
    return Error{"SimGrid cannot use this platform: " + said, topology.file};
  std::vector<std::string> names = split(said.substr(1), '\n');
  names.pop_back();  // after the last newline
  return names;
}

}  // namespace latchlab
