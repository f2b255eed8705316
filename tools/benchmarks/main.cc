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
#include "tools/benchmarks/locks.h"
#include "tools/benchmarks/ranges.h"

namespace {

using namespace latchlab::bench;

constexpr int kFine = 0;
constexpr int kBroken = 1;
constexpr int kBadInput = 2;
constexpr std::uint32_t kMostRepeats = 100;

constexpr const char* kUsage =
    "latchlab-bench engine|locks|ranges [--repeats N] [--quick] [--json]\n"
    "\n"
    "engine  what a simulated verb costs with 240, 4,000 and 100,000 clients, beside the least\n"
    "        an event can cost (a bare heap and a coroutine), SimGrid's timers, and the same lock\n"
    "        written as a plain SimGrid program; and what an idle client costs in memory\n"
    "locks   what a verb of each lock costs with 240 clients, against one of the CAS lock\n"
    "ranges  what a step through the structures of range locks costs, in warm caches and in cold\n"
    "\n"
    "Goals are printed beside the numbers. How to read them: docs/benchmarks.md\n"
    "\n"
    "  --repeats N   rounds; numbers are medians over them, of locks the least [3]\n"
    "  --quick       everything once and briefly: shows that it works, not how fast it is\n"
    "  --json        one document on stdout\n"
    "\n"
    "Exit codes: 0 measured, whether goals are met or missed; 1 something could not be measured;\n"
    "2 bad input.\n";

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
  constexpr std::string_view kSubjects[] = {"engine", "locks", "ranges"};
  if (arguments.empty() || std::find(std::begin(kSubjects), std::end(kSubjects),
                                     arguments.front()) == std::end(kSubjects)) {
    fmt::print(stderr, "{}", kUsage);
    return kBadInput;
  }
  return measure(arguments.front(), {arguments.begin() + 1, arguments.end()});
}
