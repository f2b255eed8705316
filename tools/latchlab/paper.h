#pragma once
// What `reproduce` writes of a paper whose experiments have run: its page and its predictions.

#include <string>
#include <vector>

#include "core/base/result.h"

namespace latchlab::tool {

// From DIRECTORY/PAPER/EXPERIMENT of each of these experiments ("shiftlock/table3") writes
// DIRECTORY/PAPER.html, and, unless the run was a quick one or is not finished,
// DIRECTORY/predictions/PAPER.csv. Gives a line for people.
Result<std::string> write_paper_files(const std::string& directory, const std::string& paper,
                                      const std::vector<std::string>& experiments, bool quick,
                                      const std::string& data);

}  // namespace latchlab::tool
