#include "tools/explore/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/base/json.h"
#include "core/base/paths.h"
#include "core/run/files.h"
#include "core/scenario/text_file.h"
#include "tools/explore/processes.h"

namespace latchlab::explore {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kWalks = 10'000;

std::uint64_t milliseconds_since(Clock::time_point began) {
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
  return static_cast<std::uint64_t>(spent.count());
}

// What one case adds to the verdict. Cases may be explored in other processes, so it can be written
// as text.
struct Outcome {
  std::string cut;         // why the case, and with it the campaign, ended early
  std::string case_bound;  // a bound of the case itself that cut it
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t walks = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t memory_bytes = 0;
  double chance_of_a_miss = 0;
  std::vector<Trace> counterexamples;
  std::vector<std::string> reached;  // paths
};

std::string written(const Outcome& outcome, const std::string& setup = {}) {
  Json json = {{"case", setup},
               {"cut", outcome.cut},
               {"case_bound", outcome.case_bound},
               {"states", outcome.states},
               {"transitions", outcome.transitions},
               {"walks", outcome.walks},
               {"unfinished", outcome.unfinished},
               {"memory_bytes", outcome.memory_bytes},
               {"chance_of_a_miss", outcome.chance_of_a_miss},
               {"reached", outcome.reached}};
  json["counterexamples"] = Json::array();
  for (const Trace& trace : outcome.counterexamples)
    json["counterexamples"].push_back(trace_json(trace));
  return dump_json(json);
}

Outcome outcome_of(const std::string& text) {
  const Json json = parse_json(text);
  Outcome outcome;
  outcome.cut = json["cut"];
  outcome.case_bound = json["case_bound"];
  outcome.states = json["states"];
  outcome.transitions = json["transitions"];
  outcome.walks = json["walks"];
  outcome.unfinished = json["unfinished"];
  outcome.memory_bytes = json["memory_bytes"];
  outcome.chance_of_a_miss = json["chance_of_a_miss"];
  outcome.reached = json["reached"].get<std::vector<std::string>>();
  for (const Json& trace : json["counterexamples"]) {
    Result<Trace> parsed = parse_trace(trace.get<std::string>(), "");
    LATCHLAB_CHECK(parsed.ok(), "a process of this search writes traces that it can read");
    outcome.counterexamples.push_back(std::move(parsed).value());
  }
  return outcome;
}

class Runner {
 public:
  using Watch = std::function<bool(std::uint64_t states, std::uint64_t open)>;

  Runner(const Campaign& campaign, const std::function<bool(const CampaignProgress&)>& watch)
      : campaign_(campaign),
        watch_(watch),
        began_(Clock::now()),
        prefix_(campaign.base.protocol + ": "),
        cases_(cases_of(campaign)) {}

  Verdict run() {
    paths::forget();
    paths::record(true);
    verdict_.all_cases = cases_.size();
    if (campaign_.jobs > 1 && cases_.size() > 1) {
      run_in_processes();
    } else {
      for (std::size_t i = 0; i < cases_.size() && goes_on(); ++i) merge(explored(i, watch_of(i)));
    }
    paths::record(false);
    for (const paths::PathState& path : paths::all(prefix_)) {
      ++verdict_.paths;
      if (!path.reached) verdict_.unreached.emplace_back(path.label.substr(prefix_.size()));
    }
    verdict_.exhausted = campaign_.method == Method::exhaustive && verdict_.cut.empty() &&
                         case_bound_.empty() && verdict_.cases == cases_.size();
    if (verdict_.cut.empty()) verdict_.cut = case_bound_;
    if (campaign_.method != Method::exhaustive && verdict_.cut.empty())
      verdict_.cut = "random walks never cover everything";
    verdict_.seconds = static_cast<double>(milliseconds_since(began_)) / 1'000;
    return std::move(verdict_);
  }

 private:
  std::uint64_t time_left() const {
    if (campaign_.milliseconds == 0) return 0;
    return campaign_.milliseconds -
           std::min(campaign_.milliseconds - 1, milliseconds_since(began_));
  }
  // Whether the next case is to be explored.
  bool goes_on() {
    const bool late =
        campaign_.milliseconds > 0 && milliseconds_since(began_) >= campaign_.milliseconds;
    if (late && verdict_.cut.empty()) verdict_.cut = "the bound on time was reached";
    return verdict_.cut.empty();
  }
  Watch watch_of(std::size_t number) const {
    return [this, number](std::uint64_t states, std::uint64_t open) {
      return !watch_ || watch_({number + 1, cases_.size(), &cases_[number], states, open});
    };
  }

  void run_in_processes() {
    // A process does not know what the cases before its own have used up.
    const auto task = [this](std::size_t number, TaskProgress& progress,
                             const std::atomic<bool>& asked_to_stop) {
      paths::forget();
      return written(explored(number, [&](std::uint64_t states, std::uint64_t open) {
        progress.states = states;
        progress.open = open;
        return !asked_to_stop;
      }));
    };
    Processes processes(cases_.size(), campaign_.jobs, task);
    for (std::size_t i = 0; i < cases_.size() && goes_on(); ++i) {
      const auto text = processes.result(i, [&](const TaskProgress& progress) {
        return watch_of(i)(progress.states, progress.open);
      });
      // If its process died, so does this one, with the message of a search without processes.
      Outcome outcome = text ? outcome_of(*text) : explored(i, watch_of(i));
      if (campaign_.method == Method::exhaustive && campaign_.budget > 0 &&
          outcome.states >= states_left())
        outcome = explored(i, watch_of(i));
      merge(std::move(outcome));
    }
  }

  Outcome explored(std::size_t number, const Watch& watch) {
    const Case& setup = cases_[number];
    if (campaign_.method != Method::exhaustive) return walked(setup, watch);
    if (campaign_.checkpoint.empty()) return searched(setup, {}, watch);
    const std::string base = fmt::format("{}/case-{}", campaign_.checkpoint, number + 1);
    std::optional<Outcome> known = done(base + ".json", setup);
    const bool fits = known && (campaign_.budget == 0 || known->states < states_left());
    if (fits) return std::move(*known);
    Outcome outcome = searched(setup, base + ".moves", watch);
    if (!outcome.cut.empty()) return outcome;
    const Status kept = write_atomically(base + ".json", written(outcome, case_json(setup)));
    if (!kept) outcome.cut = "the checkpoint could not be written: " + kept.error().message;
    std::error_code ignored;
    std::filesystem::remove(base + ".moves", ignored);
    return outcome;
  }

  // What an earlier search has found out about this case, all of it.
  static std::optional<Outcome> done(const std::string& file, const Case& setup) {
    const Result<std::string> text = read_text_file(file);
    if (!text) return std::nullopt;
    const Json json = parse_json(text.value());
    if (!json.is_object() || json.value("case", "") != case_json(setup)) return std::nullopt;
    return outcome_of(text.value());
  }

  std::uint64_t states_left() const {
    return campaign_.budget - std::min(campaign_.budget - 1, verdict_.states);
  }

  Outcome searched(const Case& setup, const std::string& checkpoint, const Watch& watch) {
    SearchBounds bounds;
    bounds.checkpoint = checkpoint;
    bounds.milliseconds = time_left();
    bounds.compact = campaign_.compact;
    if (campaign_.budget > 0) bounds.states = states_left();
    const SearchResult result = search(setup, bounds, [&](const Progress& progress) {
      return watch(progress.states, progress.open);
    });
    Outcome outcome;
    outcome.reached = paths_taken(setup.protocol);
    outcome.states = result.states;
    outcome.transitions = result.transitions;
    outcome.memory_bytes = result.memory_bytes;
    outcome.chance_of_a_miss = result.chance_of_a_miss;
    if (result.only_case_bounds_cut) outcome.case_bound = result.cut;
    if (!result.exhausted && !result.only_case_bounds_cut) outcome.cut = result.cut;
    for (const Counterexample& counterexample : result.counterexamples)
      outcome.counterexamples.push_back(make_trace(setup, result.facts, counterexample));
    return outcome;
  }

  Outcome walked(const Case& setup, const Watch& watch) {
    WalkBounds bounds;
    bounds.walks = campaign_.budget > 0 ? campaign_.budget : kWalks;
    bounds.milliseconds = time_left();
    bounds.seed = campaign_.seed;
    const Strategy strategy = campaign_.method == Method::pct ? Strategy::pct : Strategy::random;
    bool stopped = false;
    const WalkResult result = walk(setup, strategy, bounds, [&](std::uint64_t walks) {
      stopped = !watch(walks, 0);
      return !stopped;
    });
    Outcome outcome;
    outcome.reached = paths_taken(setup.protocol);
    outcome.walks = result.walks;
    outcome.states = outcome.transitions = result.steps;
    outcome.unfinished = result.unfinished;
    if (stopped) outcome.cut = "interrupted";
    if (result.counterexample)
      outcome.counterexamples.push_back(make_trace(setup, result.facts, *result.counterexample));
    return outcome;
  }

  void merge(Outcome outcome) {
    ++verdict_.cases;
    verdict_.states += outcome.states;
    verdict_.transitions += outcome.transitions;
    verdict_.walks += outcome.walks;
    verdict_.unfinished += outcome.unfinished;
    verdict_.memory_bytes = std::max(verdict_.memory_bytes, outcome.memory_bytes);
    verdict_.chance_of_a_miss = std::min(1.0, verdict_.chance_of_a_miss + outcome.chance_of_a_miss);
    if (!outcome.case_bound.empty()) case_bound_ = outcome.case_bound;
    if (!outcome.cut.empty()) verdict_.cut = outcome.cut;
    for (const std::string& label : outcome.reached) paths::reached_elsewhere(label);
    for (Trace& trace : outcome.counterexamples) keep(std::move(trace));
  }

  void keep(Trace trace) {
    for (Trace& known : verdict_.counterexamples) {
      if (known.counterexample.violation != trace.counterexample.violation) continue;
      if (known.counterexample.path.size() > trace.counterexample.path.size())
        known = std::move(trace);
      return;
    }
    verdict_.counterexamples.push_back(std::move(trace));
  }

  const Campaign& campaign_;
  const std::function<bool(const CampaignProgress&)>& watch_;
  Clock::time_point began_;
  std::string prefix_;  // of the labels of the lock's paths
  std::vector<Case> cases_;
  Verdict verdict_;
  std::string case_bound_;  // a bound of some case that cut it
};

}  // namespace

const char* name_of(Method method) {
  switch (method) {
    case Method::exhaustive:
      return "exhaustive";
    case Method::pct:
      return "pct";
    case Method::random:
      return "random";
  }
  return "";
}

Verdict run(const Campaign& campaign, const std::function<bool(const CampaignProgress&)>& watch) {
  return Runner(campaign, watch).run();
}

}  // namespace latchlab::explore
