#include "tools/explore/processes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

#include "core/base/check.h"
#include "core/run/forked.h"

namespace latchlab::explore {

// Followed by the progress of each task.
struct alignas(TaskProgress) Processes::Shared {
  std::atomic<bool> asked_to_stop{false};
};

namespace {

constexpr int kPollMilliseconds = 100;
// For tasks that were asked to stop, and may have a checkpoint to write.
constexpr std::chrono::seconds kPatience{60};

}  // namespace

Processes::Processes(std::size_t count, std::uint32_t jobs, Task task)
    : jobs_(std::max<std::uint32_t>(jobs, 1)),
      task_(std::move(task)),
      tasks_(count),
      shared_bytes_(sizeof(Shared) + count * sizeof(TaskProgress)) {
  void* const memory =
      ::mmap(nullptr, shared_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  LATCHLAB_CHECK(memory != MAP_FAILED, "no memory to share with the processes of a search");
  shared_ = new (memory) Shared;
  auto* const first = reinterpret_cast<TaskProgress*>(shared_ + 1);
  for (std::size_t i = 0; i < count; ++i) new (first + i) TaskProgress;
  progress_ = {first, count};
}

Processes::~Processes() {
  shared_->asked_to_stop = true;
  const auto asked = std::chrono::steady_clock::now();
  while (running_ > 0 && std::chrono::steady_clock::now() - asked < kPatience) read_some();
  for (Running& each : tasks_) {
    if (each.stage != Stage::runs) continue;
    ::kill(each.pid, SIGKILL);
    finish(each);
  }
  ::munmap(shared_, shared_bytes_);
}

void Processes::start(std::size_t number) {
  Running& mine = tasks_[number];
  mine.stage = Stage::over;
  mine.died = true;  // until it runs
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t parent = ::getpid();
  mine.pid = ::fork();
  if (mine.pid == 0) {
    ::close(ends[0]);
    become_child_of(parent);
    write_all(ends[1], task_(number, progress_[number], shared_->asked_to_stop));
    ::_exit(0);
  }
  ::close(ends[1]);
  if (mine.pid < 0) {
    ::close(ends[0]);
    return;
  }
  mine.descriptor = ends[0];
  mine.stage = Stage::runs;
  mine.died = false;
  ++running_;
}

void Processes::start_more() {
  while (running_ < jobs_ && next_ < tasks_.size() && !shared_->asked_to_stop) start(next_++);
}

void Processes::read_some() {
  std::vector<pollfd> polled;
  std::vector<Running*> who;
  for (Running& each : tasks_) {
    if (each.stage != Stage::runs) continue;
    polled.push_back({each.descriptor, POLLIN, 0});
    who.push_back(&each);
  }
  if (::poll(polled.data(), polled.size(), kPollMilliseconds) <= 0) return;
  for (std::size_t i = 0; i < polled.size(); ++i) {
    if (polled[i].revents == 0) continue;
    char buffer[65536];
    const ssize_t got = ::read(polled[i].fd, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got > 0) who[i]->received.append(buffer, static_cast<std::size_t>(got));
    if (got <= 0) finish(*who[i]);
  }
}

void Processes::finish(Running& running) {
  ::close(running.descriptor);
  int status = 0;
  while (::waitpid(running.pid, &status, 0) < 0 && errno == EINTR) {
  }
  running.died = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  running.stage = Stage::over;
  --running_;
}

std::optional<std::string> Processes::result(
    std::size_t number, const std::function<bool(const TaskProgress&)>& watch) {
  Running& wanted = tasks_[number];
  for (;;) {
    start_more();
    if (wanted.stage == Stage::over) break;
    if (wanted.stage == Stage::waits) return std::nullopt;  // all were asked to stop
    read_some();
    if (!watch(progress_[number])) shared_->asked_to_stop = true;
  }
  if (wanted.died) return std::nullopt;
  return std::move(wanted.received);
}

}  // namespace latchlab::explore
