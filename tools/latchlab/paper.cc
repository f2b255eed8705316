#include "tools/latchlab/paper.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "core/measure/expectations.h"
#include "core/protocols/registry.h"
#include "core/scenario/text_file.h"
#include "core/study/files.h"
#include "core/study/scoring.h"
#include "core/study/sensitivity.h"
#include "core/study/stored_study.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/predictions.h"
#include "tools/report/document.h"
#include "tools/report/report.h"

namespace latchlab::tool {

namespace {

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
