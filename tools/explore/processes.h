#pragma once
// Independent tasks in processes of their own. A search owns the arenas of its process, so two
// searches at a time need two processes.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace latchlab::explore {

// What a task shows while it runs.
struct TaskProgress {
  std::atomic<std::uint64_t> states{0};
  std::atomic<std::uint64_t> open{0};
};

class Processes {
 public:
  // Runs in the process of task `number`; its result is the text. `asked_to_stop` becomes true when
  // the results are no longer awaited: it should return soon.
  using Task = std::function<std::string(std::size_t number, TaskProgress& progress,
                                         const std::atomic<bool>& asked_to_stop)>;

  // Starts up to `jobs` of `count` tasks at a time, in order of their numbers.
  Processes(std::size_t count, std::uint32_t jobs, Task task);
  ~Processes();  // asks those that still run to stop, and ends them if they do not within a minute
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  // Waits for the result of `number`; tasks are asked for in order. `watch` is called at least
  // every tenth of a second; if it returns false, all tasks are asked to stop. None: the process
  // died, or there could be none.
  std::optional<std::string> result(std::size_t number,
                                    const std::function<bool(const TaskProgress&)>& watch);

 private:
  enum class Stage : std::uint8_t { waits, runs, over };
  struct Running {
    Stage stage = Stage::waits;
    int pid = -1;
    int descriptor = -1;
    std::string received;
    bool died = false;
  };
  struct Shared;

  void start(std::size_t number);
  void start_more();
  void read_some();
  void finish(Running& running);

  std::uint32_t jobs_;
  Task task_;
  std::vector<Running> tasks_;
  Shared* shared_;                    // with the children
  std::span<TaskProgress> progress_;  // by task; likewise
  std::size_t shared_bytes_;
  std::size_t next_ = 0;
  std::uint32_t running_ = 0;
};

}  // namespace latchlab::explore
