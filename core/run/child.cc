#include "core/run/child.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "core/base/check.h"
#include "core/base/json.h"
#include "core/measure/results_json.h"
#include "core/run/forked.h"

namespace latchlab {
std::string serialise_outcome(const RepeatOutcome& outcome) {
  Json json;
  json["status"] = name_of(outcome.status);
  json["message"] = outcome.message;
  json["seed"] = outcome.seed;
  json["wall_s"] = outcome.wall_s;
  json["peak_rss_kib"] = outcome.peak_rss_kib;
  json["metrics"] = serialise_repeat(outcome.metrics);
  if (!outcome.report.empty()) json["report"] = outcome.report;
  return dump_json(json);
}

Result<RepeatOutcome> parse_outcome(const std::string& text) {
  const Json json = parse_json(text);
  const char* const kFields[] = {"status", "message", "seed", "wall_s", "peak_rss_kib", "metrics"};
  for (const char* field : kFields)
    if (!json.is_object() || !json.contains(field)) return Error{"not the outcome of a repeat", {}};
  if (!json["status"].is_string() || !json["message"].is_string() ||
      !json["seed"].is_number_unsigned() || !json["wall_s"].is_number() ||
      !json["peak_rss_kib"].is_number_unsigned() || !json["metrics"].is_string())
    return Error{"not the outcome of a repeat", {}};
  RepeatOutcome outcome;
  const auto status = repeat_status(json["status"].get<std::string>());
  if (!status) return Error{"unknown status of a repeat", {}};
  outcome.status = *status;
  outcome.message = json["message"].get<std::string>();
  outcome.seed = json["seed"].get<std::uint64_t>();
  outcome.wall_s = json["wall_s"].get<double>();
  outcome.peak_rss_kib = json["peak_rss_kib"].get<std::uint64_t>();
  auto metrics = parse_repeat(json["metrics"].get<std::string>());
  if (!metrics) return metrics.error();
  outcome.metrics = std::move(metrics).value();
  if (json.contains("report") && json["report"].is_string())
    outcome.report = json["report"].get<std::string>();
  return outcome;
}

namespace {

std::uint64_t peak_rss_kib() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss);
}

[[noreturn]] void be_the_child(const Point& point, const ProtocolEntry& entry, std::uint32_t repeat,
                               const BackendFactory& make_backend,
                               const TraceHookFactory& make_hook, int write_end, pid_t parent) {
  become_child_of(parent);
  const auto started = std::chrono::steady_clock::now();
  check_context().seed = point.run.seed;
  RepeatOutcome outcome;
  try {
    const auto hook = make_hook ? make_hook(point, repeat) : nullptr;
    outcome = run_repeat(point, entry, repeat, make_backend, hook.get());
  } catch (const std::bad_alloc&) {
    outcome.status = RepeatStatus::failed;
    outcome.seed = repeat_seed(point.run.seed, repeat);
    outcome.message = "not enough memory; fewer clients, locks or nodes, or fewer --jobs";
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  outcome.wall_s = wall.count();
  outcome.peak_rss_kib = peak_rss_kib();
  write_all(write_end, serialise_outcome(outcome));
  ::_exit(0);
}

}  // namespace

Result<ChildRepeat> ChildRepeat::start(const Point& point, const ProtocolEntry& entry,
                                       std::uint32_t repeat, const BackendFactory& make_backend,
                                       const TraceHookFactory& make_hook) {
  int ends[2];
  if (::pipe(ends) != 0) return Error{fmt::format("no pipe to a child: {}", strerror(errno)), {}};
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return Error{fmt::format("no child process: {}", strerror(errno)), {}};
  }
  if (pid == 0) {
    ::close(ends[0]);
    be_the_child(point, entry, repeat, make_backend, make_hook, ends[1], parent);
  }
  ::close(ends[1]);
  return ChildRepeat(pid, ends[0]);
}

void end_this_process_after(unsigned seconds) {
  const rlimit limit = {seconds, seconds + 1};
  ::setrlimit(RLIMIT_CPU, &limit);
}

bool ChildRepeat::drain() {
  char buffer[65536];
  const ssize_t got = ::read(read_end_, buffer, sizeof buffer);
  if (got < 0) return errno != EINTR && errno != EAGAIN;
  received_.append(buffer, static_cast<std::size_t>(got));
  return got == 0;
}

RepeatOutcome ChildRepeat::finish() {
  ::close(read_end_);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  auto outcome = parse_outcome(received_);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && outcome) return std::move(outcome).value();
  RepeatOutcome died;
  died.status = RepeatStatus::failed;
  died.message =
      WIFSIGNALED(status)
          ? fmt::format("its process was ended by signal {} ({}); see the messages above",
                        WTERMSIG(status), strsignal(WTERMSIG(status)))
          : "its process ended without a result";
  return died;
}

void ChildRepeat::kill() {
  ::kill(pid_, SIGKILL);
  ::close(read_end_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace latchlab
