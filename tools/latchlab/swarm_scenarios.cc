// Given scenarios under the checks of a swarm.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/claims.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/load.h"
#include "tools/latchlab/progress.h"
#include "tools/latchlab/run.h"
#include "tools/latchlab/swarm.h"
#include "tools/swarm/play.h"

namespace latchlab::tool {

namespace {

namespace fs = std::filesystem;
using swarm::Broken;
using swarm::Played;

Result<std::vector<std::string>> scenarios_of(const SwarmArguments& arguments) {
  std::vector<std::string> files = arguments.scenarios;
  if (arguments.regressions.empty()) return files;
  std::error_code gone;
  for (const auto& entry : fs::recursive_directory_iterator(arguments.regressions, gone))
    if (entry.path().extension() == ".yaml" &&
        entry.path().parent_path().filename() == "regressions")
      files.push_back(entry.path().string());
  if (gone)
    return Error{fmt::format("--regressions {}: {}", arguments.regressions, gone.message()), {}};
  if (files.empty())
    return Error{fmt::format("--regressions {}: no file regressions/*.yaml is below it",
                             arguments.regressions),
                 {}};
  std::ranges::sort(files);
  return files;
}

// `known` in a scenario: what a form of the lock that is kept as printed is known to lose.
bool is_known(const Point& point, const Broken& broken) {
  return std::ranges::any_of(point.known, [&](const KnownVerdict& known) {
    const std::string wanted = known.verdict == "unsafe" ? "exclusion" : "progress";
    return broken.name() == wanted;
  });
}

}  // namespace

int play_scenarios(const SwarmArguments& arguments, const BackendFactory& make_backend) {
  const auto files = scenarios_of(arguments);
  if (!files) return complain(files.error());
  std::vector<Scenario> scenarios;
  for (const std::string& file : files.value()) {
    auto loaded =
        load({.scenario = file, .sets = {}, .data = arguments.data, .seed = {}, .repeats = {}});
    if (!loaded) return complain(loaded.error());
    if (loaded.value().points.size() != 1)
      return complain({"a swarm plays scenarios of one point", file});
    scenarios.push_back(std::move(loaded).value());
  }
  std::vector<const Scenario*> pointers;
  for (const Scenario& scenario : scenarios) pointers.push_back(&scenario);
  const swarm::Batch batch =
      swarm::play(pointers, {}, arguments.jobs > 0 ? arguments.jobs : cores(), make_backend);
  if (batch.interrupted) return kInterrupted;
  int code = kFine;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Played& played = batch.played[i];
    const Point& point = scenarios[i].points.front();
    std::string says = "kept all that it claims";
    bool fails = played.refused;
    if (played.refused) says = "cannot be played: " + played.how;
    const auto known = std::ranges::find_if(
        played.broken, [&](const Broken& broken) { return is_known(point, broken); });
    if (!point.known.empty()) {
      fails = known == played.broken.end();
      says = fails ? "does not lose what the scenario says is known"
                   : "lost " + known->name() + ", as is known: " + known->how;
    } else if (const Broken* const finding = played.finding()) {
      fails = true;
      says = finding->name() + ": " + finding->how;
    }
    if (fails) code = kBroken;
    if (fails || !arguments.quiet)
      fmt::print("{}: {}{}\n", files.value()[i], fails ? "FOUND " : "", says);
  }
  return code;
}

}  // namespace latchlab::tool
