#pragma once
// Which files this process reads because somebody else's scenario names them: a node of a run on
// hardware does what a coordinator on another machine says, but is not to read it any file.

#include <string>
#include <vector>

#include "core/base/result.h"

namespace latchlab {

// From now on only files below these directories, and not by way of symbolic links that lead out of
// them. Until then, any. Called before there are other threads.
void read_only_below(const std::vector<std::string>& directories);

// Error: the file is not below any of them.
Status may_read(const std::string& path);

}  // namespace latchlab
