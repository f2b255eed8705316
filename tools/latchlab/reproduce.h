#pragma once
// `latchlab reproduce`: the experiments of papers, their summary, pages and predictions.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "tools/latchlab/run.h"

namespace latchlab::tool {

struct ReproduceArguments {
  std::string what;  // PAPER or PAPER/EXPERIMENT, below scenarios/papers; empty: all papers
  RunArguments run;  // out: the directory that holds one directory per experiment
  // Shorter windows, fewer points and no sensitivity analysis.
  bool quick = false;
  std::string predictions;  // output directory; empty: OUT/predictions
};
int reproduce(const ReproduceArguments& arguments);

struct Experiment {
  std::string name;  // "shiftlock/table3"
  Scenario scenario;
  std::vector<std::string> quick;  // the parts that a quick run omits; `sets`: the --set for them
  std::vector<std::string> sets;
  Ran ran;
};

// The scores of the finished experiments, and the figures with the largest errors.
std::string summary_text(const std::vector<Experiment>& done);
std::string summary_json(const std::vector<Experiment>& done, bool quick);
// Whether the file is the summary of a quick run. Error: it is not a summary.
Result<bool> is_quick_summary(const std::string& path);

// ---- the page and the predictions of a paper, written after its experiments ----

struct PaperRequest {
  std::string directory;                 // of the whole run
  std::string paper;                     // "shiftlock"
  std::vector<std::string> experiments;  // "shiftlock/table3"
  std::string predictions;               // the file to write; empty: none
  std::string data;
  std::string cut_short;  // the experiment at which the run was interrupted; empty: it was not
};

// Reads DIRECTORY/PAPER/EXPERIMENT of each experiment, writes DIRECTORY/PAPER.html and, if all
// experiments have finished, the predictions. Returns a line for the user; empty: nothing has run.
Result<std::string> write_paper_files(const PaperRequest& request);

}  // namespace latchlab::tool
