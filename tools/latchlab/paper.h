#pragma once
// The page and the predictions that `reproduce` writes for a paper after its experiments.

#include <string>
#include <vector>

#include "core/base/result.h"

namespace latchlab::tool {

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
