#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/study/files.h"
#include "tools/latchlab/command_line.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/run_one.h"
#include "tools/latchlab/score_table.h"
#include "tools/latchlab/table.h"

namespace latchlab::tool {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kPapers = "papers/";
constexpr std::size_t kWorstShown = 3;

struct Experiment {
  std::string name;  // "shiftlock/table3"
  Scenario scenario;
  Ran ran;
};

// "shiftlock" is every experiment of that paper, "shiftlock/table3" one.
Result<std::vector<std::string>> experiments_of(const std::string& what, const DataDirs& data) {
  std::vector<std::string> found;
  std::vector<std::string> all = names_below("scenarios/papers", data);
  for (const std::string& name : all)
    if (what.empty() || name == what || name.starts_with(what + "/")) found.push_back(name);
  if (!found.empty()) return found;
  std::string known;
  for (const std::string& name : all) known += (known.empty() ? "" : ", ") + name;
  return Error{fmt::format("there is no paper and no experiment '{}' below scenarios/papers; "
                           "known: {}",
                           what, known.empty() ? "none" : known),
               {}};
}

Result<std::vector<Experiment>> load_all(const std::vector<std::string>& names,
                                         const RunArguments& arguments) {
  std::vector<Experiment> experiments;
  for (const std::string& name : names) {
    ScenarioArguments input = arguments.input;
    input.scenario = kPapers + name;
    auto scenario = load(input);
    if (!scenario) return scenario.error();
    experiments.push_back({name, std::move(scenario).value(), {}});
  }
  return experiments;
}

// The figures of one profile and use that miss most, worst first.
std::vector<std::size_t> worst_of(const Experiment& experiment, const Score& score) {
  const std::vector<Scored>& figures = experiment.ran.score.figures;
  std::vector<std::size_t> worst;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Expectation& entry = experiment.scenario.expectations[i];
    if (entry.profile == score.profile && entry.use == score.use && badness(figures[i]) > 0)
      worst.push_back(i);
  }
  std::sort(worst.begin(), worst.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(-badness(figures[a]), a) < std::pair(-badness(figures[b]), b);
  });
  worst.resize(std::min(worst.size(), kWorstShown));
  return worst;
}

std::string summary_text(const std::vector<Experiment>& experiments) {
  std::vector<std::vector<std::string>> rows = {{"experiment", "use", "profile", "figures",
                                                 "within", "median |log2|", "undecided",
                                                 "disputed"}};
  std::string misses;
  for (const Experiment& each : experiments) {
    for (const Score& score : each.ran.score.scores) {
      rows.push_back({each.name, name_of(score.use), score.profile.empty() ? "-" : score.profile,
                      std::to_string(score.cells),
                      score.within ? fmt::format("{:.0f}%", *score.within * 100) : "-",
                      score.median_abs_log2 ? fmt::format("{:.3f}", *score.median_abs_log2) : "-",
                      std::to_string(score.undecided), std::to_string(score.disputed)});
      for (const std::size_t i : worst_of(each, score))
        misses +=
            fmt::format("  {}: {}\n", each.name,
                        figure_line(each.scenario.expectations[i], each.ran.score.figures[i]));
    }
  }
  return aligned(rows) + (misses.empty() ? "" : "\nWorst misses:\n" + misses);
}

std::string summary_json(const std::vector<Experiment>& experiments) {
  Json json;
  json["schema"] = 1;
  json["experiments"] = Json::array();
  for (const Experiment& each : experiments) {
    Json entry;
    entry["experiment"] = each.name;
    entry["scores"] = Json::parse(scores_json(each.ran.score.scores));
    entry["worst"] = Json::array();
    for (const Score& score : each.ran.score.scores)
      for (const std::size_t i : worst_of(each, score))
        entry["worst"].push_back(each.scenario.expectations[i].id);
    json["experiments"].push_back(std::move(entry));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Of several codes the one to exit with: an interruption before a failure before a refusal.
int worse(int a, int b) {
  if (a == kInterrupted || b == kInterrupted) return kInterrupted;
  if (a == kBroken || b == kBroken) return kBroken;
  return std::max(a, b);
}

}  // namespace

int reproduce(const ReproduceArguments& arguments) {
  if (const Status usable = check_backend_options(arguments.run); !usable)
    return complain(usable.error());
  const auto names = experiments_of(arguments.what, data_dirs(arguments.run.input.data));
  if (!names) return complain(names.error());
  auto loaded = load_all(names.value(), arguments.run);
  if (!loaded) return complain(loaded.error());
  std::vector<const Scenario*> scenarios;
  for (const Experiment& each : loaded.value()) scenarios.push_back(&each.scenario);
  const auto backend = run_backend(arguments.run, scenarios);
  if (!backend) return complain(backend.error(), kCannot);
  if (backend.value().over) return *backend.value().over;
  const auto directory = arguments.run.resume
                             ? reopen_results_directory(arguments.run.out, "reproduce", "")
                             : make_results_directory(arguments.run.out, "reproduce");
  if (!directory) return complain(directory.error());

  std::vector<Experiment> done;
  int code = kFine;
  for (Experiment& each : loaded.value()) {
    RunArguments one = arguments.run;
    one.input.scenario = kPapers + each.name;
    one.out = directory.value() + "/" + each.name;
    one.resume = one.resume && fs::exists(one.out) && !fs::is_empty(one.out);
    one.sensitivity = !arguments.quick && one.backend == "simgrid";
    if (!one.quiet) fmt::print("\n== {}\n", each.name);
    std::fflush(stdout);  // what is buffered would be printed again by each child process
    each.ran = run_one(one, each.scenario, backend.value());
    code = worse(code, each.ran.code);
    done.push_back(std::move(each));
    if (code == kInterrupted) break;
  }
  fmt::print("\n{}", summary_text(done));
  const std::string path = directory.value() + "/summary.json";
  if (const Status written = write_atomically(path, summary_json(done)); !written)
    return complain(written.error(), kCannot);
  fmt::print("\nResults: {}\n", directory.value());
  if (code == kInterrupted)
    fmt::print(stderr,
               "latchlab: the other experiments go on with:\n  latchlab reproduce{}{}{}{} "
               "--resume --out {}\n",
               arguments.what.empty() ? "" : " ", arguments.what, arguments.quick ? " --quick" : "",
               backend_options(arguments.run), directory.value());
  return code;
}

}  // namespace latchlab::tool
