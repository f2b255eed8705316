#include "core/launch/local_members.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/result.h"
#include "core/launch/rendezvous.h"
#include "core/launch/socket.h"

namespace latchlab::launch {
namespace {

constexpr std::chrono::milliseconds kLookAgain{5};
// After SIGKILL, only a call that hangs in the kernel keeps a process alive.
constexpr std::chrono::milliseconds kKilled{10'000};
// The connection of a dying process may end well before the process.
constexpr std::chrono::milliseconds kDying{200};
// Bounds the time spent on a process that never stops writing.
constexpr int kChunksAtOnce = 64;

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

// ---- starting one process ----

struct SpawnOptions {
  std::vector<std::string> argv;
  std::string token;
  std::uint32_t rank = 0;
  bool inherit_output = false;
};

struct Spawned {
  int pid = -1;       // also its process group
  Descriptor output;  // stdout and stderr, non-blocking; closed: inherited
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Result<Pipe> new_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error{fmt::format("no pipe to a node process: {}", strerror(errno)), {}};
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

bool sets(const char* entry, std::string_view variable) {
  const std::string_view text(entry);
  return text.starts_with(variable) && text.substr(variable.size()).starts_with('=');
}

// This process's environment, with our two variables replaced.
std::vector<std::string> environment_for(const SpawnOptions& options) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!sets(*entry, kTokenVariable) && !sets(*entry, kRankVariable)) all.emplace_back(*entry);
  all.push_back(fmt::format("{}={}", kTokenVariable, options.token));
  all.push_back(fmt::format("{}={}", kRankVariable, options.rank));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Only async-signal-safe calls are allowed between fork and exec, because another thread may have
// held a lock.
[[noreturn]] void become(char* const* argv, char* const* environment, int output, int report,
                         pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before prctl took effect
  ::signal(SIGINT, SIG_IGN);              // survives exec
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  // Never the coordinator's standard output, which carries its results.
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execvpe(argv[0], argv, environment);
  const int why = errno;
  [[maybe_unused]] const ssize_t told = ::write(report, &why, sizeof why);
  ::_exit(127);
}

// 0: the program runs; otherwise the errno of exec.
int outcome_of_exec(const Descriptor& report) {
  int why = 0;
  ssize_t got = 0;
  do got = ::read(report.number(), &why, sizeof why);
  while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof why) ? why : 0;
}

// Returns after exec has succeeded; the error says why the program could not be started.
Result<Spawned> spawn(const SpawnOptions& options) {
  LATCHLAB_CHECK(!options.argv.empty(), "a program to start");
  auto output = new_pipe();
  if (!output) return output.error();
  auto report = new_pipe();
  if (!report) return report.error();
  std::vector<std::string> arguments = options.argv;
  std::vector<std::string> variables = environment_for(options);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> environment = pointers(variables);
  const int writes_to = options.inherit_output ? STDERR_FILENO : output.value().write_end.number();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0)
    become(argv.data(), environment.data(), writes_to, report.value().write_end.number(), parent);
  if (pid < 0) return Error{fmt::format("no node process: {}", strerror(errno)), {}};
  ::setpgid(pid, pid);  // in the child as well: neither relies on the other
  report.value().write_end.reset();
  const int why = outcome_of_exec(report.value().read_end);
  if (why != 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return Error{fmt::format("cannot start {}: {}", options.argv[0], strerror(why)), {}};
  }
  Spawned child{pid, Descriptor()};
  if (!options.inherit_output) {
    child.output = std::move(output.value().read_end);
    ::fcntl(child.output.number(), F_SETFL, O_NONBLOCK);
  }
  return child;
}

}  // namespace

Result<LocalMembers> LocalMembers::start(LocalMemberOptions options) {
  LocalMembers members(std::move(options));
  members.processes_.resize(members.options_.count);
  for (std::uint32_t i = 0; i < members.options_.count; ++i) {
    const Status started = members.start_one(i);
    if (!started) return started.error();
  }
  return members;
}

LocalMembers::~LocalMembers() {
  terminate();
}

Status LocalMembers::start_one(std::uint32_t index) {
  auto child =
      spawn({options_.argv, options_.token, options_.first_rank + index, options_.inherit_output});
  if (!child) return child.error();
  Process& process = processes_[index];
  process = Process();
  process.pid = child.value().pid;
  process.output = std::move(child.value().output);
  return fine();
}

void LocalMembers::pump() {
  for (Process& process : processes_) {
    // Reap first: the pipe then contains all output of a dead process.
    reap(process);
    take_output(process);
  }
}

void LocalMembers::reap(Process& process) const {
  if (process.pid < 0 || ::waitpid(process.pid, &process.status, WNOHANG) != process.pid) return;
  process.ended_pid = std::exchange(process.pid, -1);
}

void LocalMembers::take_output(Process& process) const {
  std::array<char, 16384> chunk;
  for (int chunks = 0; process.output.is_open() && chunks < kChunksAtOnce; ++chunks) {
    const ssize_t got = ::read(process.output.number(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;  // no more data now
    if (got == 0) return process.output.reset();
    process.tail.append(chunk.data(), static_cast<std::size_t>(got));
    if (process.tail.size() > options_.tail_bytes)
      process.tail.erase(0, process.tail.size() - options_.tail_bytes);
  }
}

Status LocalMembers::check() {
  pump();
  for (std::uint32_t i = 0; i < processes_.size(); ++i)
    if (processes_[i].pid < 0) return Error{last_words(options_.first_rank + i), {}};
  return fine();
}

std::string LocalMembers::last_words(std::uint32_t rank) {
  if (rank < options_.first_rank || rank - options_.first_rank >= processes_.size()) return {};
  const Process& process = processes_[rank - options_.first_rank];
  wait_for(process, within(kDying));
  std::string text = fmt::format("the process of member {} (pid {}) ", rank,
                                 process.pid < 0 ? process.ended_pid : process.pid);
  text += process.pid < 0 ? how_it_ended(process.status) : "is running";
  if (options_.inherit_output) return text + "; see what it wrote above";
  if (process.tail.empty()) return text + " and wrote nothing";
  return text + "; the last it wrote:\n" + process.tail;
}

std::uint32_t LocalMembers::running() {
  pump();
  return static_cast<std::uint32_t>(
      std::count_if(processes_.begin(), processes_.end(),
                    [](const Process& process) { return process.pid >= 0; }));
}

Status LocalMembers::replace(const std::function<bool(std::uint32_t rank)>& is_lost) {
  pump();
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    const Process& process = processes_[i];
    if (process.pid >= 0 && !is_lost(options_.first_rank + i)) continue;
    if (process.pid >= 0) ::kill(-process.pid, SIGKILL);
    wait_for(process, within(kKilled));
    if (process.pid >= 0)
      return Error{fmt::format("the process of member {} (pid {}) does not end, although it was "
                               "killed; something in the kernel holds it: see ps -o stat,wchan {}",
                               options_.first_rank + i, process.pid, process.pid),
                   {}};
    if (Status started = start_one(i); !started) return started;
  }
  return fine();
}

void LocalMembers::signal_all(int signal) const {
  for (const Process& process : processes_)
    if (process.pid >= 0) ::kill(-process.pid, signal);
}

void LocalMembers::wait_for(const Process& process, Deadline deadline) {
  for (pump(); process.pid >= 0 && Clock::now() < deadline; pump())
    std::this_thread::sleep_for(kLookAgain);
}

void LocalMembers::wait_for_all(Deadline deadline) {
  while (running() > 0 && Clock::now() < deadline) std::this_thread::sleep_for(kLookAgain);
}

void LocalMembers::end(Deadline deadline) {
  wait_for_all(deadline);
  terminate();
}

void LocalMembers::terminate() {
  if (running() == 0) return;
  signal_all(SIGTERM);
  wait_for_all(within(options_.kill_after));
  signal_all(SIGKILL);
  wait_for_all(within(kKilled));
}

}  // namespace latchlab::launch
