#pragma once
// Allowlist of files that this process may read on behalf of another machine's scenario. A node of
// a hardware run follows a coordinator on another machine, which must not make it read arbitrary
// files.

#include <string>
#include <vector>

#include "core/base/result.h"

namespace latchlab {

// From now on may_read accepts only files below these directories, and not through symbolic links
// that leave them. Before this call it accepts any file. Must be called before other threads start.
void read_only_below(const std::vector<std::string>& directories);

// Error: the file is not below any of these directories.
Status may_read(const std::string& path);

}  // namespace latchlab
