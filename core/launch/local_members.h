#pragma once
// Node processes on this machine, children of the coordinator's process.
//
// They never outlive it: the kernel kills them when the thread that started them ends, so start
// them from one that stays (the main thread). Each has a process group of its own and ignores
// SIGINT: Ctrl-C reaches the coordinator alone, and it tells them what to do. Their standard input
// is empty. What they write is collected, and its end kept for the day that one dies.
//
// Used by one thread at a time, and none works behind it: pump() or check() must be called often
// enough (the coordinator's ticks do) that no member waits to get rid of what it writes.

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
  std::uint32_t first_rank = 0;  // process i asks for rank first_rank + i (kRankVariable)
  std::string token;             // in kTokenVariable
  bool inherit_output = false;   // write to this program's stderr instead of being collected
  std::size_t tail_bytes = 8 << 10;
  std::chrono::milliseconds kill_after{2000};  // SIGTERM
};

class LocalMembers {
 public:
  // Error: the program cannot be started; none of its processes is left.
  static Result<LocalMembers> start(LocalMemberOptions options);
  // Terminates those that still run.
  ~LocalMembers();
  LocalMembers(LocalMembers&&) = default;
  LocalMembers(const LocalMembers&) = delete;
  LocalMembers& operator=(const LocalMembers&) = delete;
  LocalMembers& operator=(LocalMembers&&) = delete;

  // Collects output and the dead; never blocks.
  void pump();
  // pump(); error: some process has ended, and these are its last words.
  Status check();
  // How the process of this rank ended, if it has, and the end of what it wrote; for messages. A
  // process that runs is given a moment to end. Empty: not one of ours.
  std::string last_words(std::uint32_t rank);
  std::uint32_t running();

  // Starts again those that have ended, and those that `is_lost` says are of no use any more: first
  // SIGKILL ends them. Error: one does not end, or cannot be started.
  Status replace(const std::function<bool(std::uint32_t rank)>& is_lost);

  // After Coordinator::dismiss(): waits for them to end by themselves, then terminates the rest.
  void end(Deadline deadline);
  // SIGTERM now, SIGKILL to those that run on after `kill_after`. One that the kernel does not let
  // end is left behind.
  void terminate();

 private:
  struct Process {
    int pid = -1;  // -1: it has ended
    int ended_pid = -1;
    int status = 0;  // as of wait(2)
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
