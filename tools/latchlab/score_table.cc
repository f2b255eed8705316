#include "tools/latchlab/score_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tools/latchlab/table.h"

namespace latchlab::tool {

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kShownWhole = 24;
constexpr std::size_t kShownOfMany = 12;

bool is_time(const std::string& metric) {
  return (metric.find("_ns.") != std::string::npos || metric.ends_with("_ns")) &&
         !metric.ends_with(".count");
}

// Formats a value in the unit that papers use.
std::string shown(const Expectation& entry, std::optional<double> value) {
  if (!value) return "-";
  if (entry.kind == ExpectKind::value) {
    if (is_time(entry.metrics.front())) return fmt::format("{:.2f} us", *value / 1e3);
    if (*value >= 1e6) return fmt::format("{:.3f} M", *value / 1e6);
    if (*value >= 1e3) return fmt::format("{:.1f} k", *value / 1e3);
  }
  return fmt::format("{:.3g}", *value);
}

std::string order_text(const Scored& scored) {
  std::size_t hold = 0;
  for (const Difference& each : scored.differences)
    if (each.mean && each.ci95 && *each.mean > *each.ci95) ++hold;
  return fmt::format("{}/{} hold", hold, scored.differences.size());
}

Row row_of(const Expectation& entry, const Scored& scored) {
  const bool order = entry.kind == ExpectKind::order;
  return {entry.id,
          order ? "order" : shown(entry, entry.published),
          order ? order_text(scored) : shown(entry, scored.predicted),
          scored.ratio ? fmt::format("{:.2f}", *scored.ratio) : "-",
          name_of(scored.verdict),
          name_of(entry.use),
          entry.profile.empty() ? "-" : entry.profile};
}

}  // namespace

double badness(const Scored& scored) {
  constexpr double kWorst = std::numeric_limits<double>::infinity();
  switch (scored.verdict) {
    case FigureVerdict::ok:
    case FigureVerdict::disputed:
      return 0;
    case FigureVerdict::off:
      return scored.log2_error ? std::abs(*scored.log2_error) : kWorst;
    case FigureVerdict::undecided:
      break;
  }
  return 1e-3;  // shown after all figures with an error
}

std::string figure_line(const Expectation& entry, const Scored& scored) {
  const Row row = row_of(entry, scored);
  const std::string profile = entry.profile.empty() ? "" : fmt::format(" [{}]", entry.profile);
  if (entry.kind == ExpectKind::order)
    return fmt::format("{}{}: {}, {}", row[0], profile, row[4], row[2]);
  return fmt::format("{}{}: {} published, {} predicted ({})", row[0], profile, row[1], row[2],
                     row[3]);
}

std::string figure_table(const Scenario& scenario, const StudyScore& score) {
  const std::vector<Expectation>& entries = scenario.expectations;
  if (entries.empty()) return {};
  std::vector<std::size_t> which(entries.size());
  std::iota(which.begin(), which.end(), std::size_t{0});
  const bool all = which.size() <= kShownWhole;
  if (!all) {
    std::sort(which.begin(), which.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(-badness(score.figures[a]), a) < std::pair(-badness(score.figures[b]), b);
    });
    which.resize(kShownOfMany);
  }
  std::vector<Row> rows = {
      {"figure", "published", "predicted", "ratio", "verdict", "use", "profile"}};
  for (const std::size_t i : which) rows.push_back(row_of(entries[i], score.figures[i]));
  std::string text = aligned(rows);
  if (!all)
    text += fmt::format("(the {} worst of {}; all are in results.json)\n", which.size(),
                        entries.size());
  for (const std::size_t i : which)
    if (!entries[i].disputed.empty())
      text += fmt::format("{} is disputed: {}\n", entries[i].id, entries[i].disputed);
  return text;
}

std::string missed_lines(const Scenario& scenario, const StudyScore& score, bool strict) {
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < score.figures.size(); ++i) {
    const Expectation& entry = scenario.expectations[i];
    if (is_missed(entry, score.figures[i], strict) && ++count <= kShownOfMany)
      text += fmt::format("latchlab: exit code 1, since this {} is missed: {}\n",
                          name_of(entry.use), figure_line(entry, score.figures[i]));
  }
  if (count > kShownOfMany)
    text += fmt::format("latchlab: and {} more are missed\n", count - kShownOfMany);
  return text;
}

std::string score_lines(const std::vector<Score>& scores) {
  std::string text;
  for (const Score& each : scores) {
    text += fmt::format("Score: {} of {} figures within tolerance", each.ok, each.cells);
    if (each.within) text += fmt::format(" ({:.0f}%)", *each.within * 100);
    if (each.median_abs_log2)
      text += fmt::format(", median |log2(predicted/published)| {:.3f}", *each.median_abs_log2);
    if (each.undecided > 0) text += fmt::format(", {} undecided", each.undecided);
    if (each.disputed > 0) text += fmt::format(", {} disputed", each.disputed);
    text += fmt::format(" ({}{})\n", name_of(each.use),
                        each.profile.empty() ? "" : ", profile " + each.profile);
  }
  return text;
}

}  // namespace latchlab::tool
