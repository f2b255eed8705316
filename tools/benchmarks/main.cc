// latchlab-bench: measures the performance of Latchlab itself.

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tools/benchmarks/engine.h"
#include "tools/benchmarks/lines.h"
#include "tools/benchmarks/locks.h"
#include "tools/benchmarks/ranges.h"

namespace {

using namespace latchlab::bench;

constexpr int kFine = 0;
constexpr int kBroken = 1;
constexpr int kBadInput = 2;
constexpr std::uint32_t kMostRepeats = 100;

constexpr const char* kUsage =
    "latchlab-bench engine|locks|ranges|lines [--repeats N] [--quick] [--json]\n"
    "\n"
    "engine  CPU time of a simulated verb with 240, 4,000 and 100,000 clients; for comparison the\n"
    "        minimum cost of an event (a heap and a coroutine), SimGrid's timers, and the same\n"
    "        lock as a plain SimGrid program; and the memory of an idle client\n"
    "locks   CPU time of a verb of each lock with 240 clients, relative to the CAS lock\n"
    "ranges  time of a step through the structures of range locks: with warm and cold caches, and\n"
    "        after another core\n"
    "lines   time of an access to a cache line: a core's own, and one that another has changed\n"
    "\n"
    "Goals are printed beside the numbers. docs/benchmarks.md explains the results.\n"
    "\n"
    "  --repeats N   number of rounds; results are medians over rounds, for locks the minimum [3]\n"
    "  --quick       one short round: tests the benchmark, the numbers are rough\n"
    "  --json        print one JSON document on stdout\n"
    "\n"
    "Exit codes: 0 measured, even if goals are missed; 1 a measurement failed; 2 bad input.\n";

int complain(const std::string& message, int code) {
  fmt::print(stderr, "latchlab-bench: {}\n", message);
  return code;
}

bool parse_repeats(std::string_view text, std::uint32_t& repeats) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), repeats);
  return error == std::errc() && stop == text.data() + text.size() && repeats >= 1 &&
         repeats <= kMostRepeats;
}

int measure(std::string_view what, const std::vector<std::string_view>& arguments) {
  EngineOptions options;
  bool json = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick") {
      options.quick = true;
    } else if (arguments[i] == "--json") {
      json = true;
    } else if (arguments[i] == "--repeats") {
      const std::string_view value = i + 1 < arguments.size() ? arguments[++i] : "";
      if (!parse_repeats(value, options.repeats))
        return complain(fmt::format("--repeats '{}': expected a whole number from 1 to {}", value,
                                    kMostRepeats),
                        kBadInput);
    } else {
      return complain(
          fmt::format("unknown option '{}'; known: --repeats N, --quick, --json", arguments[i]),
          kBadInput);
    }
  }
  const auto print = [json](const auto& report) {
    if (!report) return complain(report.error().text(), kBroken);
    fmt::print("{}", json ? report_json(report.value()) : report_text(report.value()));
    return kFine;
  };
  if (what == "ranges") return print(run_ranges_benchmark(options));
  if (what == "lines") return print(run_lines_benchmark(options));
  return what == "engine" ? print(run_engine_benchmark(options))
                          : print(run_locks_benchmark(options));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  for (const std::string_view argument : arguments) {
    if (argument != "--help" && argument != "-h") continue;
    fmt::print("{}", kUsage);
    return kFine;
  }
  // The instruction counters run this program again with `count FILE`.
  if (arguments.size() == 2 && arguments.front() == "count")
    return count_verbs(std::string(arguments[1]));
  constexpr std::string_view kSubjects[] = {"engine", "locks", "ranges", "lines"};
  if (arguments.empty() || std::find(std::begin(kSubjects), std::end(kSubjects),
                                     arguments.front()) == std::end(kSubjects)) {
    fmt::print(stderr, "{}", kUsage);
    return kBadInput;
  }
  return measure(arguments.front(), {arguments.begin() + 1, arguments.end()});
}
