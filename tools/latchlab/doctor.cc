// Checks the prerequisites of each of Latchlab's functions on this machine.

#include "tools/latchlab/doctor.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/protocols/registry.h"
#include "core/scenario/quantities.h"
#include "tools/latchlab/version.h"
#ifdef LATCHLAB_WITH_IBVERBS
#include "backends/ibverbs/ibverbs_backend.h"
#include "backends/ibverbs/queues.h"
#include "tools/latchlab/hardware/hardware.h"
#endif

namespace latchlab::tool {

namespace {
namespace fs = std::filesystem;

std::string on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  const std::string all = path == nullptr ? "" : path;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(':', at), all.size());
    const std::string file = all.substr(at, end - at) + "/" + program;
    if (::access(file.c_str(), X_OK) == 0) return file;
    at = end + 1;
  }
  return {};
}

Line machine() {
  const double gib = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<double>(::sysconf(_SC_PAGE_SIZE)) / (1 << 30);
  const double left = static_cast<double>(::sysconf(_SC_AVPHYS_PAGES)) *
                      static_cast<double>(::sysconf(_SC_PAGE_SIZE)) / (1 << 30);
  return {Health::fine,
          "machine",
          fmt::format("{} cores, {:.1f} GiB of memory, {:.1f} free",
                      std::thread::hardware_concurrency(), gib, left),
          {}};
}

Line simulator() {
#ifdef LATCHLAB_WITH_SIMGRID
  const auto libraries = library_versions();
  return {Health::fine, "simulate", libraries.front().first + " " + libraries.front().second, {}};
#else
#ifdef LATCHLAB_WITH_IBVERBS
  constexpr Health kWithout = Health::optional;  // the build can still run on hardware
#else
  constexpr Health kWithout = Health::missing;
#endif
  return {kWithout, "simulate", "this build has no SimGrid",
          "apt-get install libsimgrid-dev, then build with -DLATCHLAB_SIMGRID=ON"};
#endif
}

Line data(const std::string& extra) {
  const DataDirs dirs = data_dirs(extra);
  const std::size_t nics = names_below("models/nics", dirs).size();
  const std::size_t scenarios = names_below("scenarios", dirs).size();
  std::string where;
  for (const std::string& dir : dirs.dirs)
    if (fs::exists(dir + "/models/nics")) where += (where.empty() ? "" : ", ") + dir;
  if (nics == 0 || scenarios == 0)
    return {Health::missing, "data", fmt::format("{} scenarios and {} NICs found", scenarios, nics),
            "give the folder that holds models/ and scenarios/ by --data or LATCHLAB_DATA"};
  return {Health::fine,
          "data",
          fmt::format("{} scenarios and {} NICs in {}", scenarios, nics, where),
          {}};
}

Line results() {
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  if (::access(".", W_OK) != 0)
    return {Health::optional, "results", fmt::format("{} cannot be written", here),
            "run elsewhere, or say where by --out"};
  const fs::space_info space = fs::space(".", error);
  return {Health::fine,
          "results",
          fmt::format("{}/results, {:.1f} GiB free", here,
                      static_cast<double>(space.available) / (1 << 30)),
          {}};
}

Line program(const char* what, const char* name, const char* package, const char* why) {
  const std::string file = on_path(name);
  if (!file.empty()) return {Health::fine, what, file, {}};
  return {Health::optional, what, fmt::format("no {}: {}", name, why),
          fmt::format("apt-get install {}", package)};
}

#ifdef LATCHLAB_WITH_IBVERBS
std::string of_mlx5(const ib::Mlx5Facts& facts) {
  std::string text = facts.dc ? ", DC" : ", no DC";
  if (facts.pci_atomics) text += ", atomic with the CPU";
  if (!facts.host_order) text += ", replies of atomics in big endian";
  return text;
}

Line device_line(const ib::DeviceFacts& device) {
  const std::string name = "RDMA " + device.name;
  if (device.iwarp)
    return {Health::optional, name, "iWARP: its QPs are connected over TCP, which runs do not do",
            "use an InfiniBand or RoCE device"};
  if (!device.port_up)
    return {
        Health::optional, name,
        device.ports == 1 ? "its port is down" : fmt::format("its {} ports are down", device.ports),
        "bring up its interface: ip link set ... up"};
  if (device.gids.empty() && !device.infiniband)
    return {Health::optional, name, "no RoCE v2 address", "give its interface an IP address"};
  std::string addresses;
  for (const ib::Gid& gid : device.gids)
    if (!device.infiniband && !ib::is_link_local(gid))
      addresses += (addresses.empty() ? ", " : " ") + ib::text_of(gid);
  return {
      Health::fine,
      name,
      fmt::format("{}{}{}, {}, {} READs or atomics on a QP, MTU {}{}{}{}{}",
                  device.infiniband ? "InfiniBand" : "RoCE v2",
                  device.ports == 1 ? "" : fmt::format(", port {}", device.port),
                  device.firmware.empty() ? "" : ", firmware " + device.firmware,
                  device.atomics ? "CAS and FAA of 8 bytes" : "no atomics", device.max_rd_atomic,
                  device.path_mtu_bytes, device.mlx5 ? of_mlx5(*device.mlx5) : "",
                  device.thread_domains ? ", thread domains" : "",
                  device.own_memory == 0
                      ? ""
                      : fmt::format(", {} of its own memory", format_bytes(device.own_memory)),
                  addresses),
      {}};
}

// Checks that the device has the queues that a run needs.
Line queues_line(const ib::DeviceFacts& device) {
  const std::string what = "queues";
  const auto refused = [&what](const Error& error) {
    return Line{Health::optional, what, error.text(), "no run can use it: take another device"};
  };
  const auto opened = ib::Device::open({device.name, {}});
  if (!opened) return refused(opened.error());
  const auto kinds = ib::try_queues(*opened.value());
  if (!kinds) return refused(kinds.error());
  const std::string text = kinds.value().text();
  return {Health::fine, what, text.empty() ? "extended QPs and CQs" : text, {}};
}

// The device's native atomics, and the locks that need software atomics on it.
Line atomics_line(const ib::DeviceFacts& device) {
  const std::string what = "atomics";
  const auto native = native_atomics({device.name, {}});
  if (!native) return {Health::optional, what, native.error().text(), {}};
  const std::string locks = locks_by_software(native.value());
  if (locks.empty()) return {Health::fine, what, native.value().text() + ": no agents needed", {}};
  return {Health::optional,
          what,
          fmt::format("by agents for {}: {}", locks, native.value().lacking),
          {}};
}

Lines rdma() {
  auto devices = ib::list_devices();
  if (!devices)
    return {{Health::optional, "RDMA", "no device: nothing to run on but the simulator",
             devices.error().message}};
  Lines lines;
  for (const ib::DeviceFacts& device : devices.value()) {
    lines.push_back(device_line(device));
    if (lines.back().health == Health::fine) lines.push_back(queues_line(device));
    if (lines.back().health == Health::fine) lines.push_back(atomics_line(device));
  }
  if (lines.empty())
    lines.push_back({Health::optional, "RDMA", "the kernel has RDMA, but there is no device",
                     "for soft-RoCE: rdma link add rxe0 type rxe netdev eth0"});
  return lines;
}
#else
Lines rdma() {
  return {{Health::optional, "RDMA", "this build cannot run locks on RNICs",
           "apt-get install libibverbs-dev, then build with -DLATCHLAB_IBVERBS=ON"}};
}
#endif

Line locked_memory() {
  rlimit limit = {};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return {Health::fine, "locked memory", "no limit", {}};
  return {Health::optional, "locked memory",
          fmt::format("{} KiB may be registered with an RNIC", limit.rlim_cur >> 10),
          "ulimit -l unlimited, for hardware only"};
}

Lines examine(const std::string& extra) {
  Lines lines = {machine(),
                 simulator(),
                 {Health::fine, "explore", fmt::format("{} locks", protocol_registry().size()), {}},
                 data(extra),
                 results(),
                 program("figures", "gnuplot", "gnuplot-nox", "only to draw figures for papers"),
                 program("browser", "chromium", "chromium", "only to test the report page here")};
  for (Line& line : rdma()) lines.push_back(std::move(line));
  lines.push_back(locked_memory());
  return lines;
}

void print_json(const Lines& lines) {
  Json all;
  all["version"] = LATCHLAB_VERSION;
  all["compiler"] = compiler_version();
  all["build"] = build_type();
  for (const auto& [name, version] : library_versions()) all["libraries"][name] = version;
  all["checks"] = parse_json(json_of(lines));
  fmt::print("{}\n", dump_json(all, 1));
}

}  // namespace

int doctor(const std::string& data, bool json) {
  const Lines lines = examine(data);
  const bool able = is_well(lines);
  if (json) {
    print_json(lines);
    return able ? kFine : kCannot;
  }
  fmt::print("{}\n\n", version_text());
  print(lines);
  fmt::print("\n{}\n", able ? "Ready: latchlab run quickstart"
                            : "Something that is needed is missing; see above.");
  return able ? kFine : kCannot;
}

}  // namespace latchlab::tool
