#include "tools/benchmarks/sample.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <numeric>
#include <utility>

#include "core/run/forked.h"

namespace latchlab::bench {

namespace {

using Numbers = std::array<double, 4>;

// The numbers, followed by the text of the problem.
std::string packed(const Sample& sample) {
  const Numbers numbers = {sample.cpu_ns, sample.events, sample.verbs, sample.resident_bytes};
  std::string bytes(sizeof numbers, '\0');
  std::memcpy(bytes.data(), numbers.data(), sizeof numbers);
  return bytes + sample.problem;
}

Sample unpacked(const std::string& bytes) {
  Numbers numbers;
  std::memcpy(numbers.data(), bytes.data(), sizeof numbers);
  return {bytes.substr(sizeof numbers), numbers[0], numbers[1], numbers[2], numbers[3]};
}

std::string read_all(int descriptor) {
  std::string bytes;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Sample failed(std::string problem) {
  Sample sample;
  sample.problem = std::move(problem);
  return sample;
}

Sample in_child(const std::function<Sample()>& measure) {
  std::fflush(nullptr);  // otherwise the child prints the buffered output again
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) return failed(fmt::format("no pipe: {}", strerror(errno)));
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return failed(fmt::format("no child process: {}", strerror(errno)));
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // the parent ended before the prctl
    write_all(ends[1], packed(measure()));
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string bytes = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    return failed(fmt::format("its process was ended by signal {} ({})", WTERMSIG(status),
                              strsignal(WTERMSIG(status))));
  if (bytes.size() < sizeof(Numbers)) return failed("its process ended without a sample");
  return unpacked(bytes);
}

Result<std::vector<Sample>> in_rounds(const std::string& what, std::uint32_t rounds,
                                      const std::function<Sample()>& measure) {
  std::vector<Sample> samples;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    samples.push_back(in_child(measure));
    if (const std::string& problem = samples.back().problem; !problem.empty())
      return Error{what + ": " + problem, {}};
  }
  return samples;
}

std::vector<std::uint32_t> shuffled(std::uint32_t count, Rng& rng) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) std::swap(all[i - 1], all[rng.below(i)]);
  return all;
}

Spread spread_of(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {median(values), *least, *most};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double process_cpu_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double process_resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  std::array<char, 128> line = {};
  const std::size_t got = std::fread(line.data(), 1, line.size() - 1, file);
  std::fclose(file);
  if (got == 0) return 0;
  char* rest = nullptr;
  std::strtoul(line.data(), &rest, 10);  // skips the total; resident pages follow
  return static_cast<double>(std::strtoul(rest, nullptr, 10)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace latchlab::bench
