#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/base/json.h"
#include "core/scenario/text_file.h"
#include "tools/latchlab/reproduce.h"
#include "tools/latchlab/table.h"

namespace latchlab::tool {

namespace {
constexpr std::size_t kWorstShown = 3;

// The figures of one profile and use with the largest errors, worst first.
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

}  // namespace

std::string summary_text(const std::vector<Experiment>& done) {
  std::vector<std::vector<std::string>> rows = {{"experiment", "use", "profile", "figures",
                                                 "within", "median |log2|", "undecided",
                                                 "disputed"}};
  std::string misses;
  for (const Experiment& each : done) {
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

std::string summary_json(const std::vector<Experiment>& done, bool quick) {
  Json json;
  json["schema"] = 1;
  json["quick"] = quick;
  json["experiments"] = Json::array();
  for (const Experiment& each : done) {
    Json entry;
    entry["experiment"] = each.name;
    entry["scores"] = parse_json(scores_json(each.ran.score.scores));
    entry["worst"] = Json::array();
    for (const Score& score : each.ran.score.scores)
      for (const std::size_t i : worst_of(each, score))
        entry["worst"].push_back(each.scenario.expectations[i].id);
    json["experiments"].push_back(std::move(entry));
  }
  return dump_json(json, 1) + "\n";
}

Result<bool> is_quick_summary(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return text.error();
  const Json json = parse_json(text.value());
  if (!json.is_object() || !json.contains("quick") || !json["quick"].is_boolean())
    return Error{"not the summary of a 'latchlab reproduce'", path};
  return json["quick"].get<bool>();
}

}  // namespace latchlab::tool
