#pragma once
// The cores that the threads of a run use. A thread with its own core polls without a pause; a
// thread that shares its core yields it to the others.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

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

// The cores of the threads of one process, if each thread that is never idle has one of its own.
class CoreAssignment {
 public:
  // Sends a text to every process of the run, and returns what each of them has sent, by rank.
  using TellAll = std::function<Result<std::vector<std::string>>(const std::string& text)>;

  CoreAssignment() = default;
  ~CoreAssignment();
  CoreAssignment(const CoreAssignment&) = delete;
  CoreAssignment& operator=(const CoreAssignment&) = delete;

  // Divides the cores of this machine among the processes of the run, with those close to `device`
  // first, and moves this thread to that of worker 0 until the end of this object. `proxies`:
  // memory servers that are never idle. `rank`: of this process. `tell_all`: null if there is no
  // other process.
  Status take(const std::string& device, std::size_t workers, std::size_t proxies, std::size_t rank,
              const TellAll& tell_all);
  bool has_any() const { return !cores_.empty(); }
  // Empty: the thread has no core of its own.
  std::vector<int> of_worker(std::size_t worker) const;
  // Of the memory server of a node of this process, by the order of the nodes. Without a proxy it
  // sleeps nearly always, and gets no core of its own.
  std::vector<int> of_memory_server(std::size_t place) const;
  std::string text() const { return text_of_cores(cores_) + " and " + text_of_cores(others_); }

 private:
  std::size_t workers_ = 0;
  std::vector<int> cores_;   // of the workers, then of proxies; empty: no core is reserved
  std::vector<int> others_;  // cores that no worker on this machine has
  std::vector<int> before_;  // of the thread that called take(); empty: unchanged
};

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
