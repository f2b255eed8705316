#pragma once
// Which cores the threads of a run use. A thread with a core of its own polls without a pause; one
// that shares its core has to let others have it.

#include <cstddef>
#include <string>
#include <vector>

namespace latchlab::ib {

// Cores that this thread may use: the process's affinity mask, as a launcher or a cgroup has set
// it.
std::vector<int> own_cores();
void use_cores(const std::vector<int>& cores);  // of this thread

// Those of `allowed` that are close to the device first.
std::vector<int> closest_first(const std::string& device, const std::vector<int>& allowed);

// Equal for processes that share cores: those of one kernel. Names of machines may be equal
// without.
std::string machine_identity();

// "0-3,8", as the kernel writes lists of cores; what is none of that is left out.
std::vector<int> parse_cores(const std::string& text);
std::string text_of_cores(const std::vector<int>& cores);

// What one process of a run may have, and how many threads it has that are never idle.
struct CoreClaim {
  std::string machine;     // equal for processes that share cores
  std::vector<int> cores;  // those that it would rather have first
  std::size_t threads = 0;
};
// For each claim a core for each of its threads, and none twice on a machine. Where they do not
// suffice for all of a machine's processes, nobody on it has cores of his own: empty.
std::vector<std::vector<int>> share_cores(const std::vector<CoreClaim>& claims);

// This thread on other cores, until the end of a scope.
class OnCores {
 public:
  explicit OnCores(const std::vector<int>& cores);  // empty: where it is
  ~OnCores();
  OnCores(const OnCores&) = delete;
  OnCores& operator=(const OnCores&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace latchlab::ib
