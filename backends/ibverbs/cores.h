#pragma once
// The cores that the threads of a run use. A thread with its own core polls without a pause; a
// thread that shares its core yields it to the others.

#include <cstddef>
#include <string>
#include <vector>

namespace latchlab::ib {

// The cores that this thread may use: the process's affinity mask, as set by a launcher or cgroup.
std::vector<int> own_cores();
void use_cores(const std::vector<int>& cores);  // of this thread

// `allowed`, with the cores that are close to the device first.
std::vector<int> closest_first(const std::string& device, const std::vector<int>& allowed);

// Equal for processes on one kernel, which share cores. Host names do not tell: two machines may
// have the same one.
std::string machine_identity();

// Parses the kernel's lists of cores, such as "0-3,8". Skips parts that are not in this format.
std::vector<int> parse_cores(const std::string& text);
std::string text_of_cores(const std::vector<int>& cores);

// The cores that one process of a run may use, and how many of its threads are never idle.
struct CoreClaim {
  std::string machine;     // equal for processes that share cores
  std::vector<int> cores;  // the preferred ones first
  std::size_t threads = 0;
};
// Assigns a core to each thread of each claim, and no core of a machine twice. If a machine has too
// few cores for all of its processes, all of its processes get none.
std::vector<std::vector<int>> share_cores(const std::vector<CoreClaim>& claims);

// Moves this thread to other cores until the end of the scope.
class OnCores {
 public:
  explicit OnCores(const std::vector<int>& cores);  // empty: stays where it is
  ~OnCores();
  OnCores(const OnCores&) = delete;
  OnCores& operator=(const OnCores&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace latchlab::ib
