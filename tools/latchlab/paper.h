#pragma once
// What `reproduce` writes of a paper whose experiments have run: its page and its predictions.

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

// From DIRECTORY/PAPER/EXPERIMENT of each experiment writes DIRECTORY/PAPER.html, and, if all of
// them are finished, the predictions. Gives a line for people; empty: nothing has run.
Result<std::string> write_paper_files(const PaperRequest& request);

}  // namespace latchlab::tool
