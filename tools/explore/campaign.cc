#include "tools/explore/campaign.h"

#include <algorithm>
#include <chrono>

#include "core/base/paths.h"

namespace latchlab::explore {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kWalks = 10'000;

std::uint64_t milliseconds_since(Clock::time_point began) {
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
  return static_cast<std::uint64_t>(spent.count());
}

class Runner {
 public:
  Runner(const Campaign& campaign, const std::function<bool(const CampaignProgress&)>& watch)
      : campaign_(campaign), watch_(watch), began_(Clock::now()) {}

  Verdict run() {
    const std::string prefix = campaign_.base.protocol + ": ";
    paths::forget();
    paths::record(true);
    const std::vector<Case> cases = cases_of(campaign_);
    verdict_.all_cases = cases.size();
    for (const Case& setup : cases) {
      if (!verdict_.cut.empty() || out_of_time()) break;
      progress_ = {verdict_.cases + 1, cases.size(), &setup, 0, 0};
      if (campaign_.method == Method::exhaustive) {
        search_case(setup);
      } else {
        walk_case(setup);
      }
      ++verdict_.cases;
    }
    paths::record(false);
    for (const paths::PathState& path : paths::all(prefix)) {
      ++verdict_.paths;
      if (!path.reached) verdict_.unreached.emplace_back(path.label.substr(prefix.size()));
    }
    verdict_.exhausted = campaign_.method == Method::exhaustive && verdict_.cut.empty() &&
                         case_bound_.empty() && verdict_.cases == cases.size();
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
  bool out_of_time() {
    const bool late =
        campaign_.milliseconds > 0 && milliseconds_since(began_) >= campaign_.milliseconds;
    if (late) verdict_.cut = "the bound on time was reached";
    return late;
  }
  bool tell(std::uint64_t states, std::uint64_t open) {
    progress_.states = states;
    progress_.open = open;
    return !watch_ || watch_(progress_);
  }

  void search_case(const Case& setup) {
    SearchBounds bounds;
    bounds.milliseconds = time_left();
    if (campaign_.budget > 0)
      bounds.states = campaign_.budget - std::min(campaign_.budget - 1, verdict_.states);
    const SearchResult result = search(setup, bounds, [&](const Progress& progress) {
      return tell(progress.states, progress.open);
    });
    verdict_.states += result.states;
    verdict_.transitions += result.transitions;
    verdict_.memory_bytes = std::max(verdict_.memory_bytes, result.memory_bytes);
    if (result.only_case_bounds_cut) case_bound_ = result.cut;
    if (!result.exhausted && !result.only_case_bounds_cut) verdict_.cut = result.cut;
    for (const Counterexample& counterexample : result.counterexamples)
      keep(setup, result.facts, counterexample);
  }

  void walk_case(const Case& setup) {
    WalkBounds bounds;
    bounds.walks = campaign_.budget > 0 ? campaign_.budget : kWalks;
    bounds.milliseconds = time_left();
    bounds.seed = campaign_.seed;
    const Strategy strategy = campaign_.method == Method::pct ? Strategy::pct : Strategy::random;
    bool stopped = false;
    const WalkResult result = walk(setup, strategy, bounds, [&](std::uint64_t walks) {
      stopped = !tell(walks, 0);
      return !stopped;
    });
    verdict_.walks += result.walks;
    verdict_.states += result.steps;
    verdict_.transitions += result.steps;
    verdict_.unfinished += result.unfinished;
    if (stopped) verdict_.cut = "interrupted";
    if (result.counterexample) keep(setup, result.facts, *result.counterexample);
  }

  void keep(const Case& setup, const explorer::SearchFacts& facts,
            const Counterexample& counterexample) {
    for (Trace& known : verdict_.counterexamples) {
      if (known.counterexample.violation != counterexample.violation) continue;
      if (known.counterexample.path.size() > counterexample.path.size())
        known = make_trace(setup, facts, counterexample);
      return;
    }
    verdict_.counterexamples.push_back(make_trace(setup, facts, counterexample));
  }

  const Campaign& campaign_;
  const std::function<bool(const CampaignProgress&)>& watch_;
  Clock::time_point began_;
  Verdict verdict_;
  CampaignProgress progress_;
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
