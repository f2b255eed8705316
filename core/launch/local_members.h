#pragma once
// Node processes on this machine, as children of the coordinator's process.
//
// They never outlive the coordinator: the kernel kills them when the thread that started them ends,
// so start them from a thread that stays (the main thread). Each has its own process group and
// ignores SIGINT: Ctrl-C reaches only the coordinator, which then instructs them. Their standard
// input is empty. Their output is collected, and its end is kept for the error message if one dies.
//
// Used by one thread at a time, without a background thread: call pump() or check() often enough
// (the coordinator's ticks do) that no member blocks on its output.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/socket.h"
#include "core/launch/waiting.h"

namespace latchlab::launch {

struct LocalMemberOptions {
  std::vector<std::string> argv;  // argv[0]: the program, a path or looked up in PATH
  std::uint32_t count = 1;
  std::uint32_t first_rank = 0;  // process i requests rank first_rank + i (kRankVariable)
  std::string token;             // passed in kTokenVariable
  bool inherit_output = false;   // write to this program's stderr instead
  std::size_t tail_bytes = 8 << 10;
  std::chrono::milliseconds kill_after{2000};  // SIGKILL this long after SIGTERM
};

class LocalMembers {
 public:
  // On error the program cannot be started, and none of its processes is left.
  static Result<LocalMembers> start(LocalMemberOptions options);
  // Terminates the processes that still run.
  ~LocalMembers();
  LocalMembers(LocalMembers&&) = default;
  LocalMembers(const LocalMembers&) = delete;
  LocalMembers& operator=(const LocalMembers&) = delete;
  LocalMembers& operator=(LocalMembers&&) = delete;

  // Collects output and reaps dead processes; never blocks.
  void pump();
  // pump(); returns an error with the last output if a process has ended.
  Status check();
  // For messages: how the process of this rank ended, and the end of its output. Waits briefly for
  // a process that still runs. Empty: not one of these processes.
  std::string last_words(std::uint32_t rank);
  std::uint32_t running();

  // Restarts the processes that have ended, and those for which `is_lost` is true, which SIGKILL
  // ends first. Error: a process does not end, or cannot be started.
  Status replace(const std::function<bool(std::uint32_t rank)>& is_lost);

  // Call after Coordinator::dismiss(): waits for the processes to end, then terminates the rest.
  void end(Deadline deadline);
  // Sends SIGTERM, and SIGKILL after `kill_after` to processes that still run. A process that the
  // kernel cannot end is left behind.
  void terminate();

 private:
  struct Process {
    int pid = -1;  // -1: it has ended
    int ended_pid = -1;
    int status = 0;  // as returned by wait(2)
    Descriptor output;
    std::string tail;
  };

  explicit LocalMembers(LocalMemberOptions options) : options_(std::move(options)) {}
  Status start_one(std::uint32_t index);
  void take_output(Process& process) const;
  void reap(Process& process) const;
  void signal_all(int signal) const;
  void wait_for_all(Deadline deadline);
  void wait_for(const Process& process, Deadline deadline);

  LocalMemberOptions options_;
  std::vector<Process> processes_;
};

}  // namespace latchlab::launch
