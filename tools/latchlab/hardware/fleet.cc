#include "tools/latchlab/hardware/fleet.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <utility>

#include "core/launch/rendezvous.h"
#include "core/launch/socket.h"
#include "core/run/share_json.h"
#include "tools/latchlab/hardware/hardware.h"
#include "tools/latchlab/plugins.h"
#include "tools/latchlab/version.h"

namespace latchlab::tool {

namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kJoinHere{60};
constexpr std::chrono::minutes kJoinElsewhere{10};
constexpr std::chrono::seconds kJoinAgain{1};  // after an attempt that timed out
constexpr std::chrono::seconds kAround{120};   // set-up and tear-down of a job

milliseconds in_ms(Duration length) {
  return milliseconds{length.ps / 1'000'000'000 + 1};
}

std::string own_program() {
  std::string path(PATH_MAX, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? path.substr(0, static_cast<std::size_t>(length)) : "latchlab";
}

RepeatOutcome failed(std::string message) {
  RepeatOutcome outcome;
  outcome.status = RepeatStatus::failed;
  outcome.message = std::move(message);
  return outcome;
}

}  // namespace

Fleet::~Fleet() {
  if (coordinator_) coordinator_->dismiss();
  if (locals_) locals_->end(launch::within(milliseconds{2000}));
}

Status Fleet::assemble() {
  launch::RendezvousOptions options;
  options.program = program_with_plugins();
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
  if (!rendezvous.empty()) say_what_waits(options.at);
  Status there = gather({});
  assembled_ = there.ok();
  return there;
}

void Fleet::say_what_waits(const launch::Address& at) {
  launch::Address open{at.host, coordinator_->port()};
  if (open.host == "0.0.0.0" || open.host == "::") open.host = launch::host_name();
  joining_ = "latchlab node --rendezvous " + open.text();
  // With port 0 the system chose the port, so even a quiet run prints it.
  if (!arguments_.quiet || at.port == 0)
    fmt::print(stderr, "Waiting for {} nodes: {}\n", nodes_, joining_);
}

Status Fleet::start_locals() {
  launch::LocalMemberOptions options;
  const HardwareArguments& hardware = arguments_.hardware;
  options.argv = {own_program(),  "node",
                  "--rendezvous", fmt::format("127.0.0.1:{}", coordinator_->port()),
                  "--journals",   journal_directory()};
  if (!hardware.device.empty())
    options.argv.insert(options.argv.end(), {"--device", hardware.device});
  for (const std::string& address : hardware.addresses)
    options.argv.insert(options.argv.end(), {"--address", address});
  if (hardware.port != 0)
    options.argv.insert(options.argv.end(), {"--port", fmt::format("{}", hardware.port)});
  if (hardware.gid_index)
    options.argv.insert(options.argv.end(),
                        {"--gid-index", fmt::format("{}", *hardware.gid_index)});
  if (!arguments_.input.data.empty())
    options.argv.insert(options.argv.end(), {"--data", arguments_.input.data});
  for (const LoadedPlugin& plugin : loaded_plugins())
    options.argv.insert(options.argv.end(), {"--plugin", plugin.file});
  options.count = place_ ? 1 : nodes_;  // MPI has started the other nodes
  options.token = coordinator_->token();
  auto started = launch::LocalMembers::start(std::move(options));
  if (!started) return started.error();
  locals_.emplace(std::move(started).value());
  return fine();
}

Status Fleet::gather(const StopAsked& stop) {
  if (assembled_ && !locals_) {
    if (coordinator_->gather(nodes_, {launch::Clock::now(), {}, {}})) return fine();
    if (!gave_up_) call_the_missing();
  }
  launch::GatherWatch watch;
  const milliseconds elsewhere = gave_up_ ? milliseconds{kJoinAgain} : kJoinElsewhere;
  watch.deadline = launch::within(locals_ ? kJoinHere : elsewhere);
  watch.stop = stop;
  watch.tick = [this] { return locals_ ? locals_->check() : fine(); };
  Status there = coordinator_->gather(nodes_, watch);
  gave_up_ = !there && !launch::is_stopped(stop);
  return there;
}

void Fleet::call_the_missing() const {
  for (std::uint32_t rank = 0; rank < nodes_; ++rank)
    if (!coordinator_->is_present(rank))
      fmt::print(stderr, "Waiting for node {} again: {}\n", rank + 1, joining_);
}

Result<launch::JobOutcome> Fleet::ask(const std::string& job, const launch::JobWatch& watch) {
  return coordinator_->run_job(job, {}, watch);
}

Result<std::vector<std::string>> Fleet::make_journals(const Point& point) {
  journals_.clear();
  std::vector<std::string> names;
  for (std::uint32_t i = 0; locals_ && !place_ && i < nodes_; ++i) {
    auto made = JournalFile::make(point.platform.clients());
    if (!made) return made.error();
    names.push_back(made.value().name());
    journals_.push_back(std::move(made).value());
  }
  return names;
}

RepeatOutcome Fleet::run(const Scenario& scenario, std::size_t index, std::uint32_t repeat,
                         const StopAsked& stop) {
  const Point& point = scenario.points[index];
  // Ranks whose process crashed or did not return from its last repeat.
  const auto is_lost = [this](std::uint32_t rank) { return !coordinator_->is_present(rank); };
  if (locals_)
    if (Status again = locals_->replace(is_lost); !again) return failed(again.error().text());
  if (Status there = gather(stop); !there) return failed(there.error().text());
  if (Status ready = able(); !ready) return failed(ready.error().text());
  auto journals = make_journals(point);
  if (!journals) return failed(journals.error().text());
  const NodeJob job{scenario.resolved_yaml,
                    index,
                    repeat,
                    arguments_.hardware.workers,
                    arguments_.hardware.server_workers,
                    arguments_.hardware.agents || needs_software_atomics(point, atomics()),
                    by_dc(),
                    path_of(arguments_.hardware)};
  launch::JobWatch watch;
  watch.deadline =
      launch::within(in_ms(point.run.earliest() + point.run.duration) + milliseconds{kAround});
  // If no fault crashes a process, a lost node fails the repeat at once, because the end of the run
  // may be far away.
  const bool all_stay =
      std::none_of(point.faults.begin(), point.faults.end(),
                   [](const FaultSpec& fault) { return fault.kind == FaultKind::process_crash; });
  bool failing = false;
  watch.stop = [&] { return failing || launch::is_stopped(stop); };
  watch.lost = [&](std::uint32_t rank, const std::string&) {
    failing = failing || (all_stay && rank < point.platform.nodes());
  };
  watch.tick = [this] { pump(); };
  const auto done = coordinator_->run_job(write_job(job), journals.value(), watch);
  RepeatOutcome outcome = done ? collect(point, done.value()) : failed(done.error().text());
  journals_.clear();
  return outcome;
}

RepeatOutcome Fleet::collect(const Point& point, const launch::JobOutcome& job) {
  std::vector<ShareOutcome> shares;
  std::vector<LostNode> lost;
  for (const launch::JobReply& reply : job.replies) {
    if (reply.rank >= point.platform.nodes()) continue;
    const NodeId node{static_cast<std::uint16_t>(reply.rank + 1)};
    if (!reply.blob) {
      LostNode gone{node, reply.lost, {}, reply.rank < journals_.size()};
      const std::string words = locals_ ? locals_->last_words(reply.rank) : "";
      if (!words.empty()) gone.why += "; " + words;
      if (gone.journal) gone.left = what_is_left(journals_[reply.rank].records());
      lost.push_back(std::move(gone));
      continue;
    }
    auto share = parse_share_outcome(*reply.blob);
    if (!share) return failed(fmt::format("node {}: {}", node.value, share.error().text()));
    shares.push_back(std::move(share).value());
  }
  const RepeatOutcome outcome = merge_outcomes(point, shares, lost);
  for (const LostNode& gone : lost) {
    const std::string why = fmt::format("node {} was lost: {}", gone.node.value, gone.why);
    if (why != outcome.message) fmt::print(stderr, "latchlab: {}\n", why);
    for (const LeftInside& left : gone.left)
      fmt::print(stderr, "latchlab: node {} died with client {} {} lock {}\n", gone.node.value,
                 left.client.value, left.certain ? "inside" : "at the door of", left.lock.value);
  }
  return outcome;
}

}  // namespace latchlab::tool
