// Searches for orders of events that violate a lock's guarantees, and replays of counterexamples.

#include "tools/latchlab/explore.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/run/files.h"
#include "core/scenario/text_file.h"
#include "tools/explore/campaign.h"
#include "tools/latchlab/budget.h"
#include "tools/latchlab/command_line.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/load.h"
#include "tools/latchlab/plugins.h"
#include "tools/report/report.h"

namespace latchlab::tool {

namespace {

namespace fs = std::filesystem;
using explore::Campaign;
using explore::CampaignProgress;
using explore::Trace;
using explore::Verdict;

volatile std::sig_atomic_t stop_asked = 0;

void ask_to_stop(int /*signal*/) {
  stop_asked = 1;
}

// Prints a progress line every two seconds, but not for a short search.
class Teller {
 public:
  explicit Teller(bool talks) : talks_(talks), next_(Clock::now() + kEvery) {}
  bool operator()(const CampaignProgress& now) {
    if (talks_ && Clock::now() >= next_) {
      next_ = Clock::now() + kEvery;
      fmt::print(stderr, "case {} of {} ({}): {} looked at", now.number, now.cases,
                 explore::describe(*now.setup), now.states);
      if (now.open > 0) fmt::print(stderr, ", {} open", now.open);
      fmt::print(stderr, "\n");
      std::fflush(stderr);
    }
    return stop_asked == 0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kEvery{2};
  bool talks_;
  Clock::time_point next_;
};

// A number of states or runs, or a duration such as 60s.
Status read_budget(const std::string& text, Campaign& campaign) {
  if (text.empty()) return fine();
  if (const Result<double> seconds = parse_budget(text); seconds && seconds.value() > 0) {
    campaign.milliseconds = static_cast<std::uint64_t>(std::min(seconds.value(), 1e12) * 1e3);
    if (campaign.milliseconds > 0) return fine();
  }
  const Result<std::int64_t> count = parse_count(text);
  if (!count || count.value() <= 0)
    return Error{fmt::format("--budget {}: expected a number, or a time such as 60s", text), {}};
  campaign.budget = static_cast<std::uint64_t>(count.value());
  return fine();
}

Status read_time(const ExploreArguments& arguments, Campaign& campaign) {
  explore::CaseTime& time = campaign.base.time;
  const bool timed = !arguments.latencies.empty();
  if (!timed && (campaign.drift_ppm > 0 || !arguments.hold.empty() || !arguments.patience.empty() ||
                 !arguments.pause_length.empty() || !arguments.horizon.empty()))
    return Error{
        "--drift, --hold, --patience, --pause-length and --horizon are for timed searches: give "
        "--latencies too",
        {}};
  if (!timed) return fine();
  const auto read = [](const char* option, const std::string& text, Duration& into) -> Status {
    if (text.empty()) return fine();
    const Result<Duration> length = parse_duration(text);
    if (!length) return Error{fmt::format("{} {}: {}", option, text, length.error().message), {}};
    into = length.value();
    return fine();
  };
  for (const std::string& text : arguments.latencies) {
    Duration latency;
    if (const Status known = read("--latencies", text, latency); !known) return known;
    time.latencies.push_back(latency);
  }
  std::sort(time.latencies.begin(), time.latencies.end());
  time.hold = time.latencies.back();
  const Duration longest = std::min(time.latencies.back(), explore::kLongestTime);
  time.horizon = std::min(longest * 1'000, explore::kLongestTime);
  if (const Status known = read("--hold", arguments.hold, time.hold); !known) return known;
  if (const Status known = read("--patience", arguments.patience, time.patience); !known)
    return known;
  if (const Status known = read("--pause-length", arguments.pause_length, time.pause); !known)
    return known;
  return read("--horizon", arguments.horizon, time.horizon);
}

// "0-4,2-6"
Status read_extents(const std::string& text, explore::Case& setup) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const Result<Extent> extent = explore::extent_of(text.substr(at, comma - at));
    if (!extent) return Error{"--extents: " + extent.error().message, {}};
    setup.extents.push_back(extent.value());
    at = comma + 1;
  }
  return fine();
}

Result<Campaign> campaign_of(const ExploreArguments& arguments) {
  Campaign campaign = arguments.campaign;
  campaign.base.reduce = !arguments.every_step;
  campaign.jobs = arguments.jobs > 0 ? arguments.jobs : cores();
  campaign.base.symmetry = !arguments.every_client;
  for (std::string& modes : campaign.base.modes)
    if (modes == "-") modes.assign(campaign.base.operations, '-');
  if (arguments.placement == "spread") campaign.placement = explore::Placement::spread;
  if (arguments.placement == "together") campaign.placement = explore::Placement::together;
  if (arguments.strategy == "pct") campaign.method = explore::Method::pct;
  if (arguments.strategy == "random") campaign.method = explore::Method::random;
  if (const Status read = read_budget(arguments.budget, campaign); !read) return read.error();
  if (const Status read = read_time(arguments, campaign); !read) return read.error();
  campaign.base.sorted = !arguments.as_asked;
  if (const Status read = read_extents(arguments.extents, campaign.base); !read)
    return read.error();
  campaign.base.crash_unit = explore::crash_unit_of(arguments.crash_unit);
  if (const Status known = explore::check_campaign(campaign); !known) return known.error();
  return campaign;
}

// Of what a checkpoint depends on: the program and its plug-ins.
std::string build_of_this_process() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  std::string build = checksum_of(std::string{std::istreambuf_iterator<char>(program), {}});
  for (const LoadedPlugin& plugin : loaded_plugins()) build += ' ' + plugin.hash;
  return build;
}

// Makes the directory of checkpoints, and refuses that of another search.
Status prepare_checkpoint(const Campaign& campaign) {
  const std::string& directory = campaign.checkpoint;
  if (directory.empty()) return fine();
  if (campaign.method != explore::Method::exhaustive)
    return Error{"--checkpoint is for exhaustive searches: walks begin anew with another --seed",
                 {}};
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) return Error{"cannot be made: " + failed.message(), directory};
  std::string cases = campaign.compact ? "compact\n" : "";
  cases += "build " + build_of_this_process() + "\n";
  for (const explore::Case& setup : cases_of(campaign)) cases += explore::case_json(setup) + "\n";
  const std::string file = directory + "/cases";
  const Result<std::string> before = read_text_file(file);
  if (before && before.value() != cases)
    return Error{
        "another search, or another build of latchlab or of a plug-in, has its checkpoints "
        "here: repeat that command, or give another directory",
        directory};
  return before ? fine() : write_atomically(file, cases);
}

// Writes each trace to a separate file, with the first free number.
Result<std::vector<std::string>> write_traces(const std::string& directory,
                                              const std::string& protocol,
                                              const std::vector<Trace>& traces) {
  std::vector<std::string> files;
  if (traces.empty()) return files;
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) return Error{"cannot be made: " + failed.message(), directory};
  for (const Trace& trace : traces) {
    std::string kind = name_of(trace.counterexample.violation);
    std::replace(kind.begin(), kind.end(), ' ', '-');
    std::string file;
    // Claims the file, because another search may write to the same directory.
    for (int number = 1; file.empty(); ++number) {
      const fs::path path =
          fs::path(directory) / fmt::format("{}-{}-{}.json", protocol, kind, number);
      const auto claimed = claim_file(path.string());
      if (!claimed) return claimed.error();
      if (claimed.value()) file = path.string();
    }
    if (const Status written = write_atomically(file, trace_json(trace)); !written) {
      fs::remove(file, failed);
      return written.error();
    }
    files.push_back(file);
  }
  return files;
}

void print_verdict(const Campaign& campaign, const Verdict& verdict,
                   const std::vector<std::string>& files) {
  fmt::print("{}: {} of {} cases, ", campaign.base.protocol, verdict.cases, verdict.all_cases);
  if (campaign.method == explore::Method::exhaustive) {
    fmt::print("{} states, {} transitions", verdict.states, verdict.transitions);
  } else {
    fmt::print("{} walks, {} steps", verdict.walks, verdict.states);
    if (verdict.unfinished > 0) fmt::print(", {} walks cut at their longest", verdict.unfinished);
  }
  fmt::print(", {:.1f} s\n", verdict.seconds);
  if (verdict.exhausted) {
    fmt::print("Exhausted: every order of events within the bounds was looked at{}.\n",
               campaign.base.timed() ? ", with these latencies and clocks" : "");
  } else {
    fmt::print("Not exhausted: {}.\n", verdict.cut);
  }
  if (campaign.compact)
    fmt::print(
        "States were compared by hashes: one was missed with a probability of at most {:.1g}. "
        "Whether clients can always finish was not checked.\n",
        verdict.chance_of_a_miss);
  if (!verdict.unreached.empty()) {
    fmt::print("Not reached, and so not verified ({} of {} paths):\n", verdict.unreached.size(),
               verdict.paths);
    for (const std::string& path : verdict.unreached) fmt::print("  {}\n", path);
  }
  for (std::size_t i = 0; i < verdict.counterexamples.size(); ++i) {
    const Trace& trace = verdict.counterexamples[i];
    fmt::print("FOUND {} in {} moves ({}): {}\n  see it: latchlab replay {}{}\n",
               name_of(trace.counterexample.violation), trace.counterexample.path.size(),
               explore::describe(trace.setup), trace.counterexample.text, shell_word(files[i]),
               plugin_options());
  }
  if (verdict.counterexamples.empty()) fmt::print("Nothing found.\n");
}

}  // namespace

int explore_protocol(const ExploreArguments& arguments) {
  const Result<Campaign> campaign = campaign_of(arguments);
  if (!campaign) return complain(campaign.error());
  if (const Status ready = prepare_checkpoint(campaign.value()); !ready)
    return complain(ready.error());
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  Teller teller(!arguments.quiet);
  const Verdict verdict =
      explore::run(campaign.value(), [&](const CampaignProgress& now) { return teller(now); });
  const auto files =
      write_traces(arguments.out, campaign.value().base.protocol, verdict.counterexamples);
  if (!files) return complain(files.error(), kCannot);
  if (arguments.json) {
    fmt::print("{}", verdict_json(campaign.value(), verdict, files.value()));
  } else {
    print_verdict(campaign.value(), verdict, files.value());
  }
  if (stop_asked != 0) return kInterrupted;
  return verdict.counterexamples.empty() ? kFine : kBroken;
}

int replay(const ReplayArguments& arguments) {
  const std::string& file = arguments.file;
  const Result<std::string> text = read_text_file(file);
  if (!text) return complain(text.error());
  const Result<Trace> trace = explore::parse_trace(text.value(), file);
  if (!trace) return complain(trace.error());
  const explore::Played played =
      arguments.json ? explore::replay_json(trace.value()) : explore::replay(trace.value());
  fmt::print("{}", played.text);
  if (!arguments.page.empty()) {
    const Status written = write_replay(arguments.page, fs::path(file).stem().string(),
                                        explore::replay_json(trace.value()).text);
    if (!written) return complain(written.error(), kCannot);
    if (!arguments.json) fmt::print("Page: {}\n", arguments.page);
  }
  if (played.fits) return kFine;
  return complain({"the trace does not end as it says: it was recorded with another version of the "
                   "lock, or of the explorer; record it again with latchlab explore",
                   file},
                  kBroken);
}

}  // namespace latchlab::tool
