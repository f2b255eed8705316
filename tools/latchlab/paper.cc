
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <variant>
#include <vector>

#include "core/conclude/figure_lines.h"
#include "core/conclude/output.h"
#include "core/conclude/scoring.h"
#include "core/conclude/sensitivity.h"
#include "core/conclude/stored_study.h"
#include "core/measure/expectations.h"
#include "core/measure/metric_docs.h"
#include "core/measure/metric_names.h"
#include "core/measure/statistics.h"
#include "core/protocols/registry.h"
#include "core/run/files.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/text_file.h"
#include "tools/latchlab/reproduce.h"
#include "tools/report/document.h"
#include "tools/report/report.h"

namespace latchlab::tool {

namespace {

constexpr const char* kPredictionHead = "experiment,system,point,metric,value,low,high\n";

// Of each latency that a figure shows, all of these.
constexpr const char* kParts[] = {"mean", "p50", "p99", "p999"};

// Goodput, the acquisition's latency, what the figures show, and what is expected.
std::vector<std::string> metrics_of(const Scenario& scenario) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& metric) {
    if (std::find(all.begin(), all.end(), metric) == all.end()) all.push_back(metric);
  };
  const auto add_all = [&](const std::string& metric) {
    const std::string group = metric.substr(0, metric.rfind('.'));
    for (const char* part : kParts)
      if (is_metric(group + "." + part) && is_metric(group + ".p999")) add(group + "." + part);
    if (is_metric(metric)) add(metric);
  };
  add("goodput_ops_s");
  add_all("acquire_ns.mean");
  for (const Figure& figure : scenario.figures) {
    add_all(figure.y);
    add_all(figure.x);
  }
  for (const Expectation& entry : scenario.expectations)
    for (const std::string& metric : entry.metrics) add(metric);
  return all;
}

// If all acquisitions have one mode, acquire_ns equals that mode's metric.
bool says_nothing_new(const std::string& metric, const PointOutcome& outcome) {
  const bool by_mode =
      metric.starts_with("acquire_read_ns.") || metric.starts_with("acquire_write_ns.");
  return by_mode &&
         std::all_of(outcome.repeats.begin(), outcome.repeats.end(), [](const auto& repeat) {
           return !repeat || repeat->metrics.acquire_read.count() == 0 ||
                  repeat->metrics.acquire_write.count() == 0;
         });
}

// "clients=384;locks.count=10M" for each point: x and the paths beside it in the first figure whose
// x is no metric.
std::vector<std::string> places_of(const Scenario& scenario) {
  Figure figure = default_figure(scenario);
  for (const Figure& each : scenario.figures)
    if (!is_metric(each.x)) {
      figure = each;
      break;
    }
  figure.series = "label";  // rows name the lock; what else tells lines apart stands in the point
  const FigureLines lines = lines_of(scenario, figure);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    std::string& text = all.emplace_back();
    if (!names_the_lock(figure.x)) text = figure.x + "=" + text_at(scenario.points[i], figure.x);
    for (const auto& [path, value] : scenario.points[i].axes)
      if (contains(lines.others, path)) text += (text.empty() ? "" : ";") + path + "=" + value;
  }
  return all;
}

struct Prediction {
  double value, low, high;
};

// The value of a count is the mean per repeat, not the sum over repeats.
std::optional<Prediction> predicted(const LeafValue& leaf, const std::vector<double>& repeats) {
  const bool is_count = std::holds_alternative<std::uint64_t>(leaf);
  const std::optional<double> value = is_count ? mean(repeats) : number_of(leaf);
  if (!value) return std::nullopt;
  Prediction made{*value, *value, *value};
  for (const double each : repeats) {
    made.low = std::min(made.low, each);
    made.high = std::max(made.high, each);
  }
  const auto* interval = std::get_if<MeanCi>(&leaf);
  const double half = interval != nullptr ? interval->ci95.value_or(0) : 0;
  made.low = std::min(made.low, std::max(*value - half, 0.0));
  made.high = std::max(made.high, *value + half);
  return made;
}

std::vector<Leaves> repeats_of_point(const PointOutcome& outcome) {
  std::vector<Leaves> all;
  for (const auto& repeat : outcome.repeats)
    if (repeat && has_run(repeat->status)) all.push_back(repeat_leaves(repeat->metrics));
  return all;
}

std::vector<double> numbers_in(const std::vector<Leaves>& repeats, const std::string& metric) {
  std::vector<double> numbers;
  for (const Leaves& leaves : repeats) {
    if (const auto number = number_at(leaves, metric)) numbers.push_back(*number);
  }
  return numbers;
}

void widen(Prediction& made, const Spans& spans, const std::string& metric) {
  const auto span = spans.find(metric);
  if (span == spans.end()) return;
  made.low *= span->second.least;
  made.high *= span->second.most;
  const auto doc = metric_doc(metric);
  if (doc && doc->unit == "share") made.high = std::min(made.high, 1.0);
}

// Lines of predictions/PAPER.csv: one for each metric of each point that is_whole() and counts.
//
// value is that of the point. low and high span its repeats and the 95% confidence interval of its
// mean. Both are then widened by the change of this lock's metric at the end of the sweep when the
// model's constants are at the ends of their ranges (`sensitivity`: the text of sensitivity.json;
// may be empty); empty, if neither a second repeat nor a constant widens them, because one repeat
// says nothing about chance. Six digits. Equal runs give byte-identical lines.
std::string prediction_lines(const std::string& experiment, const StoredStudy& study,
                             const std::string& sensitivity) {
  const std::vector<std::string> metrics = metrics_of(study.scenario);
  const std::map<std::string, Spans> spans = stored_spans(sensitivity);
  std::string lines;
  const std::vector<bool> counts = counting_points(study.scenario, study.outcome);
  const std::vector<std::string> places = places_of(study.scenario);
  for (std::size_t i = 0; i < study.scenario.points.size(); ++i) {
    if (!counts[i]) continue;
    const Point& point = study.scenario.points[i];
    const PointOutcome& outcome = study.outcome.points[i];
    if (!is_whole(point, outcome)) continue;
    const Leaves leaves = outcome.metrics();
    const std::vector<Leaves> repeats = repeats_of_point(outcome);
    const std::string where =
        fmt::format("{},{},{}", csv_text(experiment), csv_text(study.scenario.line_of(point)),
                    csv_text(places[i]));
    for (const std::string& metric : metrics) {
      if (says_nothing_new(metric, outcome)) continue;
      const LeafValue* const leaf = find_leaf(leaves, metric);
      const std::vector<double> numbers = numbers_in(repeats, metric);
      auto made = leaf != nullptr ? predicted(*leaf, numbers) : std::nullopt;
      if (!made) continue;
      if (const auto moved = spans.find(point.protocol.label); moved != spans.end())
        widen(*made, moved->second, metric);
      std::string low = fmt::format("{:.6g}", made->low);
      std::string high = fmt::format("{:.6g}", made->high);
      if (numbers.size() == 1 && low == high) low = high = "";
      lines += fmt::format("{},{},{:.6g},{},{}\n", where, metric, made->value, low, high);
    }
  }
  return lines;
}

namespace fs = std::filesystem;

// The text of scenarios/papers/PAPER/README.md; empty: no such file.
std::string notes_on(const std::string& paper, const DataDirs& data) {
  for (const std::string& dir : data.dirs) {
    const auto text = read_text_file(fs::path(dir) / "scenarios/papers" / paper / "README.md");
    if (text) return text.value();
  }
  return {};
}

// Processes the experiments one at a time, because their outcomes are large.
class PaperFiles {
 public:
  // `cut_short` may have its figures but not its sensitivity analysis, so it counts as unfinished.
  PaperFiles(std::string name, std::string cut_short) : cut_short_(std::move(cut_short)) {
    paper_.name = std::move(name);
  }

  Status add(const std::string& experiment, const std::string& directory, const DataDirs& data) {
    const std::string name = experiment.substr(experiment.find('/') + 1);
    std::error_code error;
    if (!fs::exists(directory + "/results.json", error)) {  // it could not run, or has not run yet
      paper_.missing.push_back(name);
      return fine();
    }
    const auto loaded = load_stored_study(directory, protocol_infos(), data);
    if (!loaded) return loaded.error();
    const StoredStudy& study = loaded.value();
    if (study.outcome.interrupted || experiment == cut_short_) paper_.missing.push_back(name);
    auto sensitivity = stored_sensitivity(directory, study.outcome);
    if (!sensitivity) return sensitivity.error();
    predictions_ += prediction_lines(experiment, study, sensitivity.value());
    ReportPart part = part_of(directory, study.scenario, study.outcome, study.manifest);
    part.name = name;
    part.sensitivity = std::move(sensitivity).value();
    parts_.push_back(brief_document(part));
    const StudyScore score = score_study(study.scenario, study.outcome);
    const std::vector<Expectation>& entries = study.scenario.expectations;
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    scored_.insert(scored_.end(), score.figures.begin(), score.figures.end());
    return fine();
  }

  bool empty() const { return parts_.empty(); }
  bool finished() const { return paper_.missing.empty(); }
  std::string predictions() const { return kPredictionHead + predictions_; }

  Status write_page(const std::string& path, const DataDirs& data) {
    paper_.notes = notes_on(paper_.name, data);
    paper_.scores = sum_up(entries_, scored_);
    return write_paper(path, paper_, parts_);
  }

 private:
  Paper paper_;
  std::vector<std::string> parts_;
  std::vector<Expectation> entries_;
  std::vector<Scored> scored_;
  std::string predictions_;
  std::string cut_short_;
};

}  // namespace

Result<std::string> write_paper_files(const PaperRequest& request) {
  PaperFiles files(request.paper, request.cut_short);
  const DataDirs data = data_dirs(request.data);
  for (const std::string& each : request.experiments)
    if (Status added = files.add(each, request.directory + "/" + each, data); !added)
      return added.error();
  if (files.empty()) return std::string();
  const std::string page = fmt::format("{}/{}.html", request.directory, request.paper);
  if (Status written = files.write_page(page, data); !written) return written.error();
  const std::string line = fmt::format("{}: {}", request.paper, page);
  if (request.predictions.empty() || !files.finished()) return line;
  std::error_code error;
  fs::create_directories(fs::path(request.predictions).parent_path(), error);
  if (Status written = write_atomically(request.predictions, files.predictions()); !written)
    return written.error();
  return line + ", " + request.predictions;
}

}  // namespace latchlab::tool
