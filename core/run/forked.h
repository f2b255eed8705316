#pragma once
// For processes that this program forks and whose results arrive through a pipe.

#include <string>

namespace latchlab {

// To be called first in the child. A request to stop may reach the whole process group: only the
// parent handles it, and ends its children. The child dies with the parent.
void become_child_of(int parent);

// Writes until the reader is gone.
void write_all(int descriptor, const std::string& text);

}  // namespace latchlab
