#include "tools/latchlab/hardware/fleet.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "backends/ibverbs/cores.h"
#include "core/launch/socket.h"
#include "core/launch/token.h"
#include "core/study/share_json.h"
#include "tools/latchlab/hardware/binding.h"
#include "tools/latchlab/hardware/hardware.h"
#include "tools/latchlab/plugins.h"

namespace latchlab::tool {

namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kJoinHere{60};
constexpr std::chrono::minutes kJoinElsewhere{10};
constexpr std::chrono::seconds kJoinAgain{1};  // once nobody has come in that time
constexpr std::chrono::seconds kAround{120};   // a job beside the run itself: set up, take down

milliseconds in_ms(Duration length) {
  return milliseconds{length.ps / 1'000'000'000 + 1};
}

std::string own_program() {
  std::string path(PATH_MAX, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? path.substr(0, static_cast<std::size_t>(length)) : "latchlab";
}

// What a node says of itself (node.cc).
Json told_by(const launch::Peer& peer) {
  return Json::parse(peer.facts, nullptr, false);
}
std::string text_at(const Json& facts, const char* key) {
  const bool there = facts.is_object() && facts.contains(key) && facts[key].is_string();
  return there ? facts[key].get<std::string>() : std::string();
}

RepeatOutcome failed(std::string message) {
  RepeatOutcome outcome;
  outcome.status = RepeatStatus::failed;
  outcome.message = std::move(message);
  return outcome;
}

// Of what a node has told of its machine.
NativeAtomics atomics_in(const Json& facts) {
  NativeAtomics told;
  if (facts.is_object() && facts.contains("atomics") && facts["atomics"].is_number_unsigned())
    told.kinds = facts["atomics"].get<std::uint32_t>();
  if (facts.is_object() && facts.contains("lacking") && facts["lacking"].is_string())
    told.lacking = facts["lacking"].get<std::string>();
  return told;
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
  // Nobody else knows a port that was free.
  if (!arguments_.quiet || at.port == 0)
    fmt::print(stderr, "Waiting for {} nodes: {}\n", nodes_, joining_);
}

Status Fleet::start_locals() {
  auto directory = JournalDirectory::make();
  if (!directory) return directory.error();
  journal_directory_.emplace(std::move(directory).value());
  launch::LocalMemberOptions options;
  const HardwareArguments& hardware = arguments_.hardware;
  options.argv = {own_program(),  "node",
                  "--rendezvous", fmt::format("127.0.0.1:{}", coordinator_->port()),
                  "--journals",   journal_directory_->path()};
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

NativeAtomics Fleet::atomics() const {
  std::optional<NativeAtomics> all;
  for (const launch::Peer& peer : coordinator_->peers()) {
    const NativeAtomics its = atomics_in(Json::parse(peer.facts, nullptr, false));
    all = all ? common(*all, its) : its;
  }
  if (!all) return {};
  return by_dc() ? all->by_dc() : *all;
}

Status Fleet::able() const {
  for (const launch::Peer& peer : coordinator_->peers())
    if (const std::string trouble = text_at(told_by(peer), "trouble"); !trouble.empty())
      return Error{fmt::format("node {} on {}: {}", peer.rank + 1, peer.host, trouble), {}};
  return fine();
}

Result<launch::JobOutcome> Fleet::ask(const std::string& job, const launch::JobWatch& watch) {
  return coordinator_->run_job(job, {}, watch);
}

std::string Fleet::describe() const {
  std::set<std::string> kinds;
  for (const launch::Peer& peer : coordinator_->peers()) {
    const Json facts = told_by(peer);
    const std::string firmware = text_at(facts, "firmware");
    const std::string native = atomics_in(facts).text();
    kinds.insert(fmt::format("{} (firmware {}, Linux {}{})", text_at(facts, "device"),
                             firmware.empty() ? "none" : firmware, text_at(facts, "kernel"),
                             native.empty() ? "" : ", " + native));
  }
  std::string all = "ibverbs";
  for (const std::string& kind : kinds) all += (all.size() == 7 ? " on " : ", ") + kind;
  if (by_dc()) all += "; verbs by DC";
  return all;
}

std::vector<std::string> Fleet::software() const {
  std::set<std::string> all;
  for (const launch::Peer& peer : coordinator_->peers()) {
    const Json facts = told_by(peer);
    if (const std::string is = text_at(facts, "software"); !is.empty())
      all.insert(text_at(facts, "device") + " is " + is);
  }
  return {all.begin(), all.end()};
}

std::string Fleet::no_own_memory() const {
  for (const launch::Peer& peer : coordinator_->peers())
    if (const Json facts = told_by(peer); !facts.is_object() || facts.value("own_memory", 0U) == 0)
      return fmt::format("{} of node {} has no memory of its own (max_dm_size is 0)",
                         text_at(facts, "device"), peer.rank + 1);
  return {};
}

void Fleet::tell_cores() const {
  std::vector<NodeCores> nodes;
  for (const launch::Peer& peer : coordinator_->peers()) {
    const Json facts = told_by(peer);
    nodes.push_back({peer.rank + 1, peer.host, text_at(facts, "machine"),
                     ib::parse_cores(text_at(facts, "cores")), text_at(facts, "bound_by")});
  }
  const std::size_t agents = arguments_.hardware.agents ? 1 : 0;
  const CoreAdvice advice = advise_on_cores(nodes, arguments_.hardware.workers + agents);
  if (!arguments_.quiet)
    for (const std::string& note : advice.notes) fmt::print(stderr, "latchlab: {}\n", note);
  for (const std::string& warning : advice.warnings)
    fmt::print(stderr, "latchlab: warning: {}\n", warning);
}

Result<std::vector<std::string>> Fleet::make_journals(const Point& point) {
  journals_.clear();
  std::vector<std::string> names;
  for (std::uint32_t i = 0; locals_ && !place_ && i < nodes_; ++i) {
    auto made = JournalFile::make(*journal_directory_, point.platform.clients());
    if (!made) return made.error();
    names.push_back(made.value().name());
    journals_.push_back(std::move(made).value());
  }
  return names;
}

RepeatOutcome Fleet::run(const Scenario& scenario, std::size_t index, std::uint32_t repeat,
                         const StopAsked& stop) {
  const Point& point = scenario.points[index];
  // Those that a crash has taken, or that did not come back from their last repeat.
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
                    arguments_.hardware.agents || needs_agents(point, atomics()),
                    by_dc(),
                    {static_cast<std::uint16_t>(arguments_.hardware.pkey),
                     static_cast<std::uint8_t>(arguments_.hardware.sl),
                     static_cast<std::uint8_t>(arguments_.hardware.traffic_class)}};
  launch::JobWatch watch;
  watch.deadline =
      launch::within(in_ms(point.run.earliest() + point.run.duration) + milliseconds{kAround});
  // A node that no fault takes fails the repeat when it is lost: nobody runs on to an end that may
  // be far.
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
  journals_.clear();  // and their files
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
