// The coordinator's side of a run on hardware.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "backends/ibverbs/ibverbs_backend.h"
#include "core/launch/coordinator.h"
#include "core/launch/local_members.h"
#include "core/launch/mpi.h"
#include "core/launch/socket.h"
#include "core/launch/token.h"
#include "core/protocols/registry.h"
#include "core/runner/part_json.h"
#include "tools/latchlab/hardware/hardware.h"
#include "tools/latchlab/hardware/journal.h"
#include "tools/latchlab/plugins.h"

namespace latchlab::tool {

namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kJoinHere{60};
constexpr std::chrono::minutes kJoinElsewhere{10};
constexpr std::chrono::seconds kAround{120};  // a job beside the run itself: set up, take down

milliseconds in_ms(Duration length) {
  return milliseconds{length.ps / 1'000'000'000 + 1};
}

std::string own_program() {
  std::string path(PATH_MAX, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? path.substr(0, static_cast<std::size_t>(length)) : "latchlab";
}

class Fleet {
 public:
  // `place`: of this process among those that MPI has started, which are the nodes.
  Fleet(const RunArguments& arguments, std::uint32_t nodes, std::optional<launch::MpiPlace> place)
      : arguments_(arguments), nodes_(place ? place->size : nodes), place_(place) {}
  ~Fleet() {
    if (coordinator_) coordinator_->dismiss();
    if (locals_) locals_->end(launch::within(milliseconds{2000}));
  }
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  Status assemble();
  Status gather(const StopAsked& stop);
  std::string describe() const;
  RepeatOutcome run(const Scenario& scenario, std::size_t point, std::uint32_t repeat,
                    const StopAsked& stop);

 private:
  Status start_locals();
  Result<std::vector<std::string>> make_journals(const Point& point);
  RepeatOutcome collect(const Point& point, const launch::JobOutcome& job);

  RunArguments arguments_;
  std::uint32_t nodes_;
  std::optional<launch::MpiPlace> place_;
  std::optional<launch::Coordinator> coordinator_;
  std::optional<launch::LocalMembers> locals_;  // absent: they were all started elsewhere
  std::vector<JournalFile> journals_;           // by rank, of the job under way
};

RepeatOutcome failed(std::string message) {
  RepeatOutcome outcome;
  outcome.status = RepeatStatus::failed;
  outcome.message = std::move(message);
  return outcome;
}

Status Fleet::assemble() {
  launch::RendezvousOptions options;
  options.program = hardware_program();
  options.note = [](const std::string& line) { fmt::print(stderr, "latchlab: {}\n", line); };
  const std::string& rendezvous = arguments_.hardware.rendezvous;
  if (!rendezvous.empty()) {
    auto at = launch::parse_address(rendezvous);
    if (!at) return at.error();
    options.at = at.value();
    auto token = launch::find_token("");
    if (!token) return token.error();
    options.token = token.value();
  }
  if (place_) options.at.host = "0.0.0.0";
  auto listening = launch::Coordinator::listen(options);
  if (!listening) return listening.error();
  coordinator_.emplace(std::move(listening).value());
  if (place_)
    launch::mpi_share(
        fmt::format("{}:{} {}", launch::host_name(), coordinator_->port(), coordinator_->token()));
  if (rendezvous.empty())
    if (Status started = start_locals(); !started) return started;
  if (!rendezvous.empty() && !arguments_.quiet)
    fmt::print(stderr, "Waiting for {} nodes: latchlab node --rendezvous {}:{}\n", nodes_,
               options.at.host, coordinator_->port());
  return gather({});
}

Status Fleet::start_locals() {
  launch::LocalMemberOptions options;
  const HardwareArguments& hardware = arguments_.hardware;
  options.argv = {own_program(), "node", "--rendezvous",
                  fmt::format("127.0.0.1:{}", coordinator_->port())};
  if (!hardware.device.empty())
    options.argv.insert(options.argv.end(), {"--device", hardware.device});
  for (const std::string& address : hardware.addresses)
    options.argv.insert(options.argv.end(), {"--address", address});
  if (!arguments_.input.data.empty())
    options.argv.insert(options.argv.end(), {"--data", arguments_.input.data});
  for (const LoadedPlugin& plugin : loaded_plugins())
    options.argv.insert(options.argv.end(), {"--plugin", plugin.file});
  options.count = place_ ? 1 : nodes_;  // under MPI the others are there
  options.token = coordinator_->token();
  auto started = launch::LocalMembers::start(std::move(options));
  if (!started) return started.error();
  locals_.emplace(std::move(started).value());
  return fine();
}

Status Fleet::gather(const StopAsked& stop) {
  launch::GatherWatch watch;
  watch.deadline = locals_ ? launch::within(kJoinHere) : launch::within(kJoinElsewhere);
  watch.stop = stop;
  watch.tick = [this] { return locals_ ? locals_->check() : fine(); };
  return coordinator_->gather(nodes_, watch);
}

// What the nodes run on: "rxe0 (firmware , Linux 6.1.0-41-amd64)", different ones apart.
std::string Fleet::describe() const {
  std::set<std::string> kinds;
  for (const launch::Peer& peer : coordinator_->peers()) {
    const Json facts = Json::parse(peer.facts, nullptr, false);
    if (!facts.is_object()) continue;
    const auto text = [&facts](const char* key) {
      return facts.contains(key) && facts[key].is_string() ? facts[key].get<std::string>()
                                                           : std::string("unknown");
    };
    const std::string firmware = text("firmware").empty() ? "none" : text("firmware");
    kinds.insert(
        fmt::format("{} (firmware {}, Linux {})", text("device"), firmware, text("kernel")));
  }
  std::string all = "ibverbs";
  for (const std::string& kind : kinds) all += (all.size() == 7 ? " on " : ", ") + kind;
  return all;
}

Result<std::vector<std::string>> Fleet::make_journals(const Point& point) {
  journals_.clear();
  std::vector<std::string> paths;
  for (std::uint32_t i = 0; locals_ && !place_ && i < nodes_; ++i) {
    auto made = JournalFile::make(point.platform.clients());
    if (!made) return made.error();
    paths.push_back(made.value().path());
    journals_.push_back(std::move(made).value());
  }
  return paths;
}

RepeatOutcome Fleet::run(const Scenario& scenario, std::size_t index, std::uint32_t repeat,
                         const StopAsked& stop) {
  const Point& point = scenario.points[index];
  // Those that a crash has taken, or that did not come back from their last repeat.
  const auto is_lost = [this](std::uint32_t rank) { return !coordinator_->is_present(rank); };
  if (locals_)
    if (Status again = locals_->replace(is_lost); !again) return failed(again.error().text());
  if (Status there = gather(stop); !there) return failed(there.error().text());
  auto journals = make_journals(point);
  if (!journals) return failed(journals.error().text());
  const NodeJob job{scenario.resolved_yaml, index, repeat, arguments_.hardware.workers,
                    arguments_.hardware.agents || needs_agents(point)};
  launch::JobWatch watch;
  watch.deadline =
      launch::within(in_ms(point.run.warmup + point.run.duration) + milliseconds{kAround});
  watch.stop = stop;
  watch.tick = [this] {
    if (locals_) locals_->pump();
  };
  auto done = coordinator_->run_job(write_job(job), journals.value(), watch);
  if (!done) return failed(done.error().text());
  return collect(point, done.value());
}

RepeatOutcome Fleet::collect(const Point& point, const launch::JobOutcome& job) {
  std::vector<PartOutcome> parts;
  std::vector<LostNode> lost;
  for (const launch::JobReply& reply : job.replies) {
    if (reply.rank >= point.platform.nodes()) continue;
    const NodeId node{static_cast<std::uint16_t>(reply.rank + 1)};
    if (!reply.blob) {
      LostNode gone{node, reply.lost, {}, reply.rank < journals_.size()};
      if (locals_) gone.why += "; " + locals_->last_words(reply.rank);
      if (gone.journal) gone.left = what_is_left(journals_[reply.rank].records());
      lost.push_back(std::move(gone));
      continue;
    }
    auto part = parse_part_outcome(*reply.blob);
    if (!part) return failed(fmt::format("node {}: {}", node.value, part.error().text()));
    parts.push_back(std::move(part).value());
  }
  const RepeatOutcome outcome = merge_outcomes(point, parts, lost);
  for (const LostNode& gone : lost)
    for (const LeftInside& left : gone.left)
      fmt::print(stderr, "latchlab: node {} died with client {} {} lock {}\n", gone.node.value,
                 left.client.value, left.certain ? "inside" : "at the door of", left.lock.value);
  return outcome;
}

// One of the processes that MPI has started, but not the one that people look at.
int be_an_mpi_node(const RunArguments& arguments, std::uint32_t rank) {
  const std::string shared = launch::mpi_share({});
  const std::size_t space = shared.find(' ');
  const auto address = launch::parse_address(shared.substr(0, space));
  if (!address || space == std::string::npos)
    return complain(Error{"MPI's first process has ended without a run", {}}, kCannot);
  NodeArguments node;
  node.hardware = arguments.hardware;
  node.data = arguments.input.data;
  return be_a_node(address.value(), shared.substr(space + 1), rank, node);
}

}  // namespace

Result<RunBackend> hardware_backend(const RunArguments& arguments,
                                    const std::vector<const Scenario*>& scenarios) {
  if (arguments.trace.wanted)
    return Error{"--trace shows simulated runs; hardware has no common clock for it", {}};
  const auto place = launch::mpi_place();
  if (!place) return place.error();
  RunBackend backend;
  if (place.value() && place.value()->rank > 0) {
    backend.over = be_an_mpi_node(arguments, place.value()->rank);
    return backend;
  }
  if (arguments.hardware.rendezvous.empty()) {
    const auto devices = ib::list_devices();
    if (!devices) return devices.error();
    if (devices.value().empty())
      return Error{"this machine has no RDMA device; latchlab doctor says more", {}};
  }
  if (Status possible = advise_on_hardware(scenarios); !possible) return possible.error();
  std::uint32_t nodes = 1;
  for (const Scenario* scenario : scenarios)
    for (const Point& point : scenario->points) nodes = std::max(nodes, point.platform.nodes());
  if (place.value() && place.value()->size < nodes)
    return Error{fmt::format("the largest point has {} nodes, and MPI has started {} processes: "
                             "mpirun -n {}",
                             nodes, place.value()->size, nodes),
                 {}};
  const auto fleet = std::make_shared<Fleet>(arguments, nodes, place.value());
  if (Status assembled = fleet->assemble(); !assembled) return assembled.error();
  backend.name = fleet->describe();
  backend.emulated = emulated_on_hardware(scenarios, arguments.hardware.agents);
  backend.setting = fmt::format("{}, {} workers, agents {}", backend.name,
                                arguments.hardware.workers, arguments.hardware.agents);
  backend.runner = [fleet](const Scenario& scenario, std::size_t point, std::uint32_t repeat,
                           const StopAsked& stop) {
    return fleet->run(scenario, point, repeat, stop);
  };
  return backend;
}

}  // namespace latchlab::tool
