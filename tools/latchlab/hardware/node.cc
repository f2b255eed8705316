// `latchlab node`: one node of a run on hardware, in a separate process.

#include <fmt/core.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "backends/ibverbs/connection_cache.h"
#include "backends/ibverbs/cores.h"
#include "backends/ibverbs/ibverbs_backend.h"
#include "core/base/file_allowlist.h"
#include "core/base/json.h"
#include "core/launch/member.h"
#include "core/launch/rendezvous.h"
#include "core/protocols/registry.h"
#include "core/run/share.h"
#include "core/run/share_json.h"
#include "core/world/entry_table.h"
#include "models/measured/probe.h"
#include "tools/latchlab/hardware/binding.h"
#include "tools/latchlab/hardware/fabric.h"
#include "tools/latchlab/hardware/hardware.h"
#include "tools/latchlab/hardware/journal.h"
#include "tools/latchlab/version.h"

namespace latchlab::tool {

namespace {
constexpr std::chrono::seconds kSetUp{60};     // until all nodes are connected
constexpr std::chrono::seconds kTakeDown{20};  // until all have ended their runs
constexpr int kExchanges = 4;                  // per run: see IbverbsOptions::exchange

// The machine's description for the results, and its RNIC's native atomics. The coordinator reads
// them from every node.
Result<std::string> facts_of(const HardwareArguments& hardware) {
  const auto devices = ib::list_devices(hardware.port);
  if (!devices) return devices.error();
  utsname system = {};
  ::uname(&system);
  const ib::DeviceFacts* const device = ib::choose_device(devices.value(), hardware.device);
  if (device == nullptr && hardware.device.empty())
    return Error{"this machine has no RDMA device", {}};
  if (device == nullptr)
    return Error{fmt::format("this machine has no RDMA device {}", hardware.device), {}};
  ib::DeviceChoice choice = choice_of(hardware, 0);
  choice.name = device->name;
  const auto atomics = native_atomics(choice);
  if (!atomics) return atomics.error();
  Json json;
  json["device"] = device->name;
  json["port"] = device->port;
  json["firmware"] = device->firmware;
  json["kernel"] = system.release;
  json["atomics"] = atomics.value().kinds;
  json["lacking"] = atomics.value().lacking;
  json["software"] = device->software;
  json["own_memory"] = device->own_memory;
  json["machine"] = ib::machine_identity();
  json["cores"] = ib::text_of_cores(ib::own_cores());
  json["bound_by"] = bound_by(ib::own_cores().size());
  return dump_json(json);
}

std::string trouble_as_facts(const Error& error) {
  const Json json = {{"trouble", error.text()}};
  return dump_json(json);
}

// One job on a node that takes part in it.
class NodeRun {
 public:
  NodeRun(launch::Member& member, const NodeArguments& arguments, const NodeJob& job,
          const Point& point, std::shared_ptr<ib::ConnectionCache> cache)
      : member_(member),
        arguments_(arguments),
        job_(job),
        point_(point),
        cache_(std::move(cache)) {}

  ShareOutcome run(std::span<GuardRecord> journal) {
    ShareOptions options;
    options.guard_journal = journal;
    options.about_to_run = [this](Backend& backend) { begin(backend); };
    options.run_is_over = [this](std::vector<PartialMetrics>& shares) { add_workers(shares); };
    const BackendFactory make = [this](const WorldPlan& plan, const Point&) {
      return make_backend(plan);
    };
    const ProtocolEntry* const entry = find_protocol(point_.protocol.name);
    ShareOutcome outcome = run_share(point_, *entry, job_.repeat, make, options);
    if (failure_.empty()) return outcome;
    if (outcome.status != RepeatStatus::unavailable) outcome.status = RepeatStatus::failed;
    outcome.secondary = left_alone_;
    outcome.message = fmt::format("node {}: {}", node_.value, failure_);
    outcome.shares.clear();
    return outcome;
  }

 private:
  std::unique_ptr<Backend> make_backend(const WorldPlan& plan) {
    IbverbsOptions options;
    options.hosted = {node_};
    options.device = arguments_.hardware.device;
    if (const auto& all = arguments_.hardware.addresses; !all.empty())
      options.addresses = {all[member_.rank() % all.size()]};
    options.path = job_.path;
    options.port = arguments_.hardware.port;
    options.gid_index = arguments_.hardware.gid_index;
    options.workers = job_.workers;
    options.software_atomics = job_.software_atomics;
    options.dc = job_.dc;
    options.by_event = point_.platform.by_event;
    options.server_workers = job_.server_workers;
    options.device_from = kLockTableOffset;
    options.pin = true;
    options.detection_delay = point_.platform.failure_detection;
    options.connection_cache = cache_;
    options.exchange = [this](const std::vector<std::string>& each) { return exchange(each); };
    options.look_around = [this] { look_around(); };
    auto made = make_ibverbs(plan, options);
    if (!made) {
      failure_ = made.error().text();
      return nullptr;
    }
    backend_ = made.value().get();
    return std::move(made).value();
  }

  Result<std::vector<std::string>> exchange(std::vector<std::string> each) {
    const auto patience = exchanges_++ + 1 < kExchanges ? kSetUp : kTakeDown;
    const std::size_t nodes = each.size();
    each.resize(member_.size());  // empty texts for nodes that the point does not use
    auto all = member_.exchange_each(each, launch::within(patience));
    if (all) all.value().resize(nodes);
    left_alone_ = !all;
    return all;
  }

  void begin(Backend& backend) {
    const Status together = backend_->start_together();
    if (together) return;
    failure_ = together.error().text();
    backend.request_stop();
  }

  void add_workers(std::vector<PartialMetrics>& shares) const {
    const auto count = [](std::int64_t ps) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(ps, 0));
    };
    const std::vector<WorkerReport> reports = backend_->worker_reports();
    for (std::size_t i = 0; i < shares.size(); ++i) {
      shares[i].worker_ps = {count(reports[i].watched.ps)};
      shares[i].worker_busy_ps = {count(reports[i].busy.ps)};
      shares[i].worker_turn_max_ps = {count(reports[i].longest_turn.ps)};
      shares[i].worker_began_ps = {count(reports[i].began.ps)};
      shares[i].worker_clients = {shares[i].clients.size()};
    }
    shares.front().clock_error_ns = {count(backend_->clock_error().ps) / 1000};
  }

  void look_around() {
    for (const launch::Event& event : member_.poll()) {
      if (event.kind == launch::Event::Kind::peer_lost)
        lost(event.rank);
      else if (event.kind != launch::Event::Kind::broadcast)
        backend_->request_stop();
    }
  }

  void lost(std::uint32_t rank) {
    if (rank >= point_.platform.nodes()) return;
    const NodeId node{static_cast<std::uint16_t>(rank + 1)};
    const WorldShape shape = shape_of(point_, 0);
    std::vector<ClientId> clients;
    for (std::uint32_t i = 0; i < shape.clients(); ++i)
      if (shape.node_of(ClientId{i}) == node) clients.push_back(ClientId{i});
    backend_->node_lost(node, clients);
  }

  launch::Member& member_;
  const NodeArguments& arguments_;
  const NodeJob& job_;
  const Point& point_;
  const std::shared_ptr<ib::ConnectionCache> cache_;
  const NodeId node_{static_cast<std::uint16_t>(member_.rank() + 1)};
  IbverbsBackend* backend_ = nullptr;
  int exchanges_ = 0;
  bool left_alone_ = false;  // the last exchange failed
  std::string failure_;
};

ShareOutcome refused(std::string message) {
  ShareOutcome outcome;
  outcome.status = RepeatStatus::failed;
  outcome.message = std::move(message);
  return outcome;
}

// A node that the point does not use only takes part in the exchanges.
std::string stand_by(launch::Member& member) {
  for (int i = 0; i < kExchanges; ++i)
    if (auto all = member.exchange("", launch::kNever); !all) break;
  return {};
}

std::string do_job(launch::Member& member, const NodeArguments& arguments, const launch::Job& job,
                   const std::shared_ptr<ib::ConnectionCache>& cache) {
  if (const auto probe = read_fabric_job(job.common))
    return be_probed(member, arguments.hardware, *probe);
  auto wanted = read_job(job.common);
  if (!wanted) return serialise_share_outcome(refused(wanted.error().text()));
  const auto scenario = parse_scenario({wanted.value().scenario, "the scenario", "."}, {},
                                       protocol_infos(), data_dirs(arguments.data));
  if (!scenario) return serialise_share_outcome(refused(scenario.error().text()));
  if (wanted.value().point >= scenario.value().points.size())
    return serialise_share_outcome(refused("the scenario has no such point here"));
  const Point& point = scenario.value().points[wanted.value().point];
  if (member.rank() >= point.platform.nodes()) return stand_by(member);
  JournalFile journal;
  if (!job.own.empty()) {
    if (arguments.journals.empty())
      return serialise_share_outcome(
          refused("this node keeps no journal: no coordinator started it here"));
    auto opened = JournalFile::open(arguments.journals, job.own, point.platform.clients());
    if (!opened) return serialise_share_outcome(refused(opened.error().text()));
    journal = std::move(opened).value();
  }
  NodeRun run(member, arguments, wanted.value(), point, cache);
  return serialise_share_outcome(run.run(journal.records()));
}

// nullopt: any rank.
Result<std::optional<std::uint32_t>> wanted_rank() {
  const char* const asked = std::getenv(launch::kRankVariable);
  if (asked == nullptr || *asked == '\0') return std::optional<std::uint32_t>();
  std::uint32_t rank = 0;
  const char* const end = asked + std::strlen(asked);
  const auto [stop, error] = std::from_chars(asked, end, rank);
  if (error == std::errc() && stop == end) return std::optional(rank);
  return Error{
      fmt::format("{}: '{}' is no rank; set it to a whole number from 0, or to nothing for "
                  "any rank",
                  launch::kRankVariable, asked),
      {}};
}

}  // namespace

int node(const NodeArguments& arguments) {
  const auto address = launch::parse_address(arguments.rendezvous);
  if (!address) return complain(address.error());
  const auto token = launch::find_token(arguments.token_file);
  if (!token) return complain(token.error());
  const auto rank = wanted_rank();
  if (!rank) return complain(rank.error());
  return be_a_node(address.value(), token.value(), rank.value(), arguments);
}

int be_a_node(const launch::Address& coordinator, const std::string& token,
              std::optional<std::uint32_t> rank, const NodeArguments& arguments) {
  if (arguments.journals.empty() && !arguments.reads_anything)
    read_only_below(data_dirs(arguments.data).dirs);
  const auto facts = facts_of(arguments.hardware);
  // A node without a device still joins and reports the error, so that the coordinator does not
  // wait for it.
  const int code = facts ? kFine : complain(facts.error(), kCannot);
  if (const Status known = register_verb_probe(); !known) return complain(known.error());
  launch::MemberOptions options;
  options.program = program_with_plugins();
  options.token = token;
  options.facts = facts ? facts.value() : trouble_as_facts(facts.error());
  options.rank = rank;
  auto member = launch::Member::join(coordinator, options);
  if (!member) return complain(member.error(), kCannot);
  const auto cache = std::make_shared<ib::ConnectionCache>();
  for (;;) {
    auto job = member.value().next_job();
    if (!job) return complain(job.error(), kCannot);
    if (!job.value()) return code;
    const std::string result = do_job(member.value(), arguments, *job.value(), cache);
    const Status finished = member.value().finish(result, launch::within(kTakeDown));
    if (!finished) return complain(finished.error(), kCannot);
  }
}

}  // namespace latchlab::tool
