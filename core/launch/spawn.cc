#include "core/launch/spawn.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/launch/token.h"

namespace latchlab::launch {
namespace {

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

}  // namespace

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

}  // namespace latchlab::launch
