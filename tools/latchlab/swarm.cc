#include "tools/latchlab/swarm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "core/base/json.h"
#include "core/protocols/registry.h"
#include "core/run/files.h"
#include "tools/latchlab/backends.h"
#include "tools/latchlab/budget.h"
#include "tools/latchlab/command_line.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/load.h"
#include "tools/latchlab/progress.h"
#include "tools/latchlab/run.h"
#include "tools/latchlab/table.h"
#include "tools/swarm/draw.h"
#include "tools/swarm/play.h"
#include "tools/swarm/shrink.h"
#include "tools/swarm/tally.h"

namespace latchlab::tool {

namespace {

using swarm::Broken;
using swarm::Drawn;
using swarm::Played;

constexpr std::size_t kBatch = 96;              // runs between two looks at the clock
constexpr std::size_t kMostFindings = 3;        // of a lock that are shrunk: the rest are counted
constexpr Duration kTraced = milliseconds(20);  // of a finding's run, at most

struct Finding {
  std::string protocol;
  std::uint64_t number = 0;
  Broken broken;      // by the smallest case
  std::string drawn;  // what it was drawn with, in words
  std::string file;   // the smallest case, below the directory; empty: not shrunk
  std::uint32_t clients = 0;
  std::size_t faults = 0;
  std::uint64_t plays = 0;  // to shrink it
};

std::string in_words(const std::vector<Mishap>& mishaps) {
  std::string text;
  for (const Mishap mishap : mishaps)
    text += (text.empty() ? "" : ", ") + std::string(name_of(mishap));
  return text.empty() ? "no fault" : text;
}

class Hunt {
 public:
  Hunt(const SwarmArguments& arguments, std::vector<const ProtocolEntry*> locks, ParamValues forced,
       BackendFactory make_backend, std::string directory, std::optional<double> seconds)
      : arguments_(arguments),
        locks_(std::move(locks)),
        forced_(std::move(forced)),
        make_backend_(std::move(make_backend)),
        data_(data_dirs(arguments.data)),
        directory_(std::move(directory)),
        seconds_(seconds),
        jobs_(arguments.jobs > 0 ? arguments.jobs : cores()),
        talks_(!arguments.quiet && !arguments.json),
        progress_(talks_ && isatty(STDERR_FILENO) != 0, seconds.value_or(0)) {}

  // Error: nothing can be drawn, or the directory cannot be written.
  Status go() {
    std::vector<Run> batch;
    for (std::uint64_t number = arguments_.first; !over(number); ++number) {
      for (const ProtocolEntry* lock : locks_) {
        auto drawn = swarm::draw_case(*lock, {arguments_.seed, own_parameters(number), forced_},
                                      number, data_);
        if (!drawn) return drawn.error();
        batch.push_back({lock, number, std::move(drawn).value()});
        if (batch.size() < kBatch) continue;
        if (const Status played = play(batch); !played) return played;
        if (interrupted_ || out_of_time()) return write();
      }
    }
    if (const Status played = play(batch); !played) return played;
    return write();
  }

  bool interrupted() const { return interrupted_; }
  const std::vector<Finding>& findings() const { return findings_; }

  std::string table() const {
    std::vector<std::vector<std::string>> rows = {{"lock", "runs", "with faults", "grants",
                                                   "recoveries", "expired holds", "findings",
                                                   "lost as told"}};
    const auto add = [&rows](const std::string& name, const swarm::Tally& tally) {
      std::string told;
      for (std::size_t i = 0; i < kKept; ++i)
        if (tally.told[i] > 0)
          told += fmt::format("{}{} {}", told.empty() ? "" : ", ",
                              latchlab::name_of(static_cast<Keeps>(i)), tally.told[i]);
      rows.push_back({name, std::to_string(tally.runs), std::to_string(tally.faulty),
                      std::to_string(tally.grants), std::to_string(tally.recoveries),
                      std::to_string(tally.expired_holds), std::to_string(tally.findings),
                      told.empty() ? "-" : told});
    };
    for (const auto& [name, tally] : tallies_) add(name, tally);
    if (tallies_.size() > 1) add("all", sum());
    return aligned(rows);
  }

  std::string json() const {
    Json json;
    json["seed"] = arguments_.seed;
    json["first"] = arguments_.first;
    json["parameters"] = arguments_.parameters;
    json["interrupted"] = interrupted_;
    json["locks"] = Json::object();
    for (const auto& [name, tally] : tallies_) json["locks"][name] = json_of(tally);
    json["all"] = json_of(sum());
    json["findings"] = Json::array();
    for (const Finding& finding : findings_)
      json["findings"].push_back({{"protocol", finding.protocol},
                                  {"run", finding.number},
                                  {"broken", finding.broken.name()},
                                  {"how", finding.broken.how},
                                  {"drawn", finding.drawn},
                                  {"scenario", finding.file},
                                  {"clients", finding.clients},
                                  {"faults", finding.faults},
                                  {"plays", finding.plays}});
    return dump_json(json) + "\n";
  }

 private:
  struct Run {
    const ProtocolEntry* lock;
    std::uint64_t number;
    Drawn drawn;
  };

  swarm::Tally sum() const {
    swarm::Tally all;
    for (const auto& [name, tally] : tallies_) all.add(tally);
    return all;
  }
  static Json json_of(const swarm::Tally& tally) {
    Json json;
    json["runs"] = tally.runs;
    json["refused"] = tally.refused;
    json["with_faults"] = tally.faulty;
    json["grants"] = tally.grants;
    json["recoveries"] = tally.recoveries;
    json["expired_holds"] = tally.expired_holds;
    json["late_effects"] = tally.late_effects;
    json["findings"] = tally.findings;
    json["checksum"] = fmt::format("{:016x}", tally.checksum);
    json["faults"] = Json::object();
    for (std::size_t i = 0; i < kMishaps; ++i)
      json["faults"][std::string(latchlab::name_of(static_cast<Mishap>(i)))] = tally.with[i];
    json["lost_as_told"] = Json::object();
    for (std::size_t i = 0; i < kKept; ++i)
      json["lost_as_told"][std::string(latchlab::name_of(static_cast<Keeps>(i)))] = tally.told[i];
    return json;
  }

  bool own_parameters(std::uint64_t number) const {
    return arguments_.parameters == "both" ? number % 2 == 1 : arguments_.parameters == "drawn";
  }
  bool over(std::uint64_t number) const {
    return !seconds_ && number >= arguments_.first + arguments_.runs;
  }
  double spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  bool out_of_time() const { return seconds_ && spent() >= *seconds_; }

  Status play(std::vector<Run>& runs) {
    std::vector<const Scenario*> scenarios;
    for (const Run& run : runs) scenarios.push_back(&run.drawn.scenario);
    const swarm::Batch batch = swarm::play(scenarios, forced_, jobs_, make_backend_);
    interrupted_ = interrupted_ || batch.interrupted;
    for (std::size_t i = 0; i < batch.played.size(); ++i) {
      const Played& played = batch.played[i];
      tallies_[runs[i].lock->info.name].add(played);
      if (arguments_.keep)
        if (const Status written = write_drawn(runs[i], {}); !written) return written;
      if (const Broken* const broken = played.finding())
        if (const Status kept = keep(runs[i], played, *broken); !kept) return kept;
    }
    runs.clear();
    show();
    return fine();
  }
  void show() {
    const std::uint64_t done = sum().runs;
    const std::uint64_t all = seconds_ ? done : arguments_.runs * locks_.size();
    const double share =
        seconds_ ? spent() / *seconds_ : static_cast<double>(done) / static_cast<double>(all);
    progress_.show({done, all, 0, std::min(share, 1.0)});
  }

  static std::string name_of(const Run& run) {
    return fmt::format("{}-{}", run.lock->info.name, run.number);
  }
  Status write_drawn(const Run& run, const std::string& why) const {
    return write_atomically(directory_ + "/" + name_of(run) + ".drawn.yaml",
                            swarm::scenario_text(run.drawn.drawn, name_of(run), why));
  }
  Status keep(const Run& run, const Played& played, const Broken& broken) {
    Finding finding;
    finding.protocol = run.lock->info.name;
    finding.number = run.number;
    finding.broken = broken;
    finding.drawn = in_words(played.mishaps);
    finding.clients = run.drawn.drawn.all_clients();
    finding.faults = run.drawn.drawn.faults.size();
    const auto before = std::ranges::count_if(findings_, [&](const Finding& each) {
      return each.protocol == finding.protocol && each.broken.what == broken.what;
    });
    const std::string name = name_of(run);
    progress_.clear();
    if (talks_)
      fmt::print("{}, run {}: {}: {}\n  {} clients; {}\n", finding.protocol, finding.number,
                 broken.name(), broken.how, finding.clients, finding.drawn);
    if (const Status written = write_drawn(run, broken.how); !written) return written;
    if (arguments_.shrink > 0 && static_cast<std::size_t>(before) < kMostFindings)
      if (const Status shrunk = make_small(run, name, finding); !shrunk) return shrunk;
    findings_.push_back(std::move(finding));
    std::fflush(stdout);
    return fine();
  }
  Status make_small(const Run& run, const std::string& name, Finding& finding) {
    const swarm::Shrunk shrunk =
        swarm::shrink(run.drawn.drawn, finding.broken, name, finding.broken.how, jobs_,
                      arguments_.shrink, data_, make_backend_);
    interrupted_ = interrupted_ || shrunk.interrupted;
    finding.broken = shrunk.broken;
    finding.clients = shrunk.smallest.all_clients();
    finding.faults = shrunk.smallest.faults.size();
    finding.plays = shrunk.plays;
    finding.file = name + ".yaml";
    const std::string path = directory_ + "/" + finding.file;
    if (talks_)
      fmt::print("  smallest: {} clients, {} faults ({} plays): {}\n  {}\n", finding.clients,
                 finding.faults, finding.plays, path, finding.broken.how);
    if (const Status written =
            write_atomically(path, swarm::scenario_text(shrunk.smallest, name, finding.broken.how));
        !written)
      return written;
    return show_as_page(shrunk, path, directory_ + "/" + name);
  }
  // Runs it once more, with a trace, so that its page plays what happened.
  Status show_as_page(const swarm::Shrunk& shrunk, const std::string& scenario,
                      const std::string& out) const {
    RunArguments arguments;
    arguments.input.scenario = scenario;
    arguments.input.data = arguments_.data;
    arguments.out = out;
    arguments.quiet = true;
    arguments.trace.wanted = true;
    const Duration length = std::min(shrunk.smallest.end, kTraced);
    arguments.trace.window = "0us+" + format_duration(length);
    auto loaded = load(arguments.input);
    if (!loaded) return loaded.error();
    RunBackend backend;
    backend.name = "simgrid";
    backend.make = make_backend_;
    run_one(arguments, loaded.value(), backend);
    return fine();
  }
  Status write() const { return write_atomically(directory_ + "/swarm.json", json()); }

  const SwarmArguments& arguments_;
  std::vector<const ProtocolEntry*> locks_;
  ParamValues forced_;
  BackendFactory make_backend_;
  DataDirs data_;
  std::string directory_;
  std::optional<double> seconds_;
  std::uint32_t jobs_;
  bool talks_;
  Progress progress_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::map<std::string, swarm::Tally> tallies_;
  std::vector<Finding> findings_;
  bool interrupted_ = false;
};

Result<std::vector<const ProtocolEntry*>> locks_of(const SwarmArguments& arguments) {
  std::vector<const ProtocolEntry*> locks;
  for (const std::string& name : arguments.protocols) {
    const ProtocolEntry* const entry = find_protocol(name);
    if (entry == nullptr)
      return Error{
          fmt::format("--protocol {}: there is no such lock; see latchlab list protocols", name),
          {}};
    if (std::ranges::find(locks, entry) == locks.end()) locks.push_back(entry);
  }
  if (!locks.empty()) return locks;
  for (const ProtocolEntry& entry : protocol_registry())
    // Whose clients may run on several nodes: the others are not distributed.
    if (entry.make(entry.info.resolve(entry.info.profiles.front().name))->limits().max_nodes > 1)
      locks.push_back(&entry);
  return locks;
}

// --set: read by the scenario's parser, so that it has the same units and messages.
Result<ParamValues> forced_of(const SwarmArguments& arguments,
                              const std::vector<const ProtocolEntry*>& locks) {
  ParamValues forced;
  for (const std::string& set : arguments.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos)
      return Error{fmt::format("--set {}: expected NAME=VALUE", set), {}};
    const std::string name = set.substr(0, equals), value = set.substr(equals + 1);
    for (const ProtocolEntry* const lock : locks) {
      if (lock->info.find_param(name) == nullptr)
        return Error{fmt::format("--set {}: {} has no parameter {}; name the lock by --protocol",
                                 set, lock->info.name, name),
                     {}};
      const auto scenario = parse_scenario(
          {fmt::format("schema: 1\nname: set\nprotocol: {{name: {}}}\n", lock->info.name),
           "--set",
           {}},
          {{"protocol." + name, value}}, protocol_infos(), data_dirs(arguments.data));
      if (!scenario) return scenario.error();
      const ParamSet& params = scenario.value().points.front().protocol.params;
      if (lock == locks.front()) forced.emplace_back(name, params.values().at(name));
    }
  }
  return forced;
}

}  // namespace

int swarm(const SwarmArguments& arguments) {
  const auto backend = backend_factory("simgrid");
  if (!backend) return complain(backend.error(), kCannot);
  if (!arguments.scenarios.empty() || !arguments.regressions.empty())
    return play_scenarios(arguments, backend.value());
  const auto locks = locks_of(arguments);
  if (!locks) return complain(locks.error());
  std::optional<double> seconds;
  if (!arguments.budget.empty()) {
    const Result<double> budget = parse_budget(arguments.budget);
    if (!budget) return complain(budget.error());
    seconds = budget.value();
  }
  const auto directory = claim_results_directory(arguments.out, "swarm");
  if (!directory) return complain(directory.error());
  const auto forced = forced_of(arguments, locks.value());
  if (!forced) return complain(forced.error());
  Hunt hunt(arguments, locks.value(), forced.value(), backend.value(), directory.value().path,
            seconds);
  if (const Status went = hunt.go(); !went) return complain(went.error(), kCannot);
  if (arguments.json) fmt::print("{}", hunt.json());
  if (!arguments.quiet && !arguments.json)
    fmt::print("{}\nResults: {}\n", hunt.table(), directory.value().path);
  if (hunt.interrupted()) return kInterrupted;
  return hunt.findings().empty() ? kFine : kBroken;
}

}  // namespace latchlab::tool
