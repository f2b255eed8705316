// latchlab-hw-bench: measures latency and rate of locks' verbs on RDMA hardware.

#include <fmt/core.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "tools/benchmarks/hardware/measure.h"

namespace {

using namespace latchlab;
using namespace latchlab::bench;

constexpr int kFine = 0;
constexpr int kBroken = 1;
constexpr int kBadInput = 2;
constexpr std::uint64_t kMostIterations = 100'000'000;
constexpr std::uint64_t kMostOutstanding = 128;  // capacity of a client's QP

constexpr const char* kUsage =
    "latchlab-hw-bench acquire [OPTION...]\n"
    "latchlab-hw-bench outstanding N [OPTION...]\n"
    "\n"
    "acquire: time in which a client acquires a free `cas` lock, which is one CAS; comparable\n"
    "with ib_atomic_lat. outstanding: CASes per second of one client with N outstanding on its\n"
    "QP; comparable with ib_atomic_bw --cq-mod=1. Server and client are two processes on this\n"
    "machine. tools/hw-ratios alternates this program and perftest; see docs/hardware.md.\n"
    "\n"
    "  --device NAME      the RDMA device [the first whose port is up]\n"
    "  --addresses A,B    IPv4 addresses of its GIDs for server and client [its first two]\n"
    "  --iterations N     acquisitions, or CASes [5000]\n"
    "  --json             print one JSON document on stdout\n"
    "\n"
    "Exit codes: 0 measured; 1 the measurement failed; 2 bad input.\n";

struct Asked {
  std::uint64_t outstanding = 0;  // 0: measure acquisitions
  std::uint64_t iterations = 5000;
  Where where;
  bool json = false;
};

int complain(const std::string& message, int code) {
  fmt::print(stderr, "latchlab-hw-bench: {}\n", message);
  return code;
}

bool parse_number(std::string_view text, std::uint64_t most, std::uint64_t& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() && number >= 1 && number <= most;
}

// Returns an error message; empty: success.
std::string parse_option(std::string_view name, std::string_view value, Asked& asked) {
  if (name == "--device") {
    asked.where.device = value;
  } else if (name == "--addresses") {
    const std::size_t comma = value.find(',');
    if (comma == std::string_view::npos) return "--addresses takes two, with a comma between them";
    asked.where.addresses = {std::string(value.substr(0, comma)),
                             std::string(value.substr(comma + 1))};
  } else if (name == "--iterations") {
    if (!parse_number(value, kMostIterations, asked.iterations))
      return fmt::format("--iterations '{}': expected a whole number from 1 to {}", value,
                         kMostIterations);
  } else {
    return fmt::format("unknown option '{}'; try --help", name);
  }
  return {};
}

std::string parse(const std::vector<std::string_view>& arguments, Asked& asked) {
  std::size_t at = 1;
  if (arguments[0] == "outstanding") {
    const std::string_view count = arguments.size() > at ? arguments[at++] : "";
    if (!parse_number(count, kMostOutstanding, asked.outstanding))
      return fmt::format("outstanding '{}': expected a whole number from 1 to {}", count,
                         kMostOutstanding);
  } else if (arguments[0] != "acquire") {
    return fmt::format("'{}' is no measurement; known: acquire, outstanding", arguments[0]);
  }
  for (; at < arguments.size(); ++at) {
    if (arguments[at] == "--json") {
      asked.json = true;
      continue;
    }
    const std::string_view name = arguments[at];
    const std::string_view value = ++at < arguments.size() ? arguments[at] : "";
    if (std::string problem = parse_option(name, value, asked); !problem.empty()) return problem;
  }
  return {};
}

int acquire(const Asked& asked) {
  const auto measured = measure_acquire(asked.where, asked.iterations);
  if (!measured) return complain(measured.error().text(), kBroken);
  const Latency& latency = measured.value();
  if (!asked.json) {
    fmt::print(
        "acquire a free lock (cas): median {:.2f} us, min {:.2f}, mean {:.2f}, p99 {:.2f}, "
        "p99.9 {:.2f}, max {:.2f}; {} samples\n",
        latency.median_us, latency.min_us, latency.mean_us, latency.p99_us, latency.p999_us,
        latency.max_us, latency.samples);
    return kFine;
  }
  const Json document = {{"measurement", "acquire"},   {"samples", latency.samples},
                         {"min_us", latency.min_us},   {"median_us", latency.median_us},
                         {"mean_us", latency.mean_us}, {"p99_us", latency.p99_us},
                         {"p999_us", latency.p999_us}, {"max_us", latency.max_us}};
  fmt::print("{}\n", dump_json(document));
  return kFine;
}

int outstanding(const Asked& asked) {
  const auto measured = measure_outstanding(
      asked.where, static_cast<std::uint32_t>(asked.outstanding), asked.iterations);
  if (!measured) return complain(measured.error().text(), kBroken);
  const Rate& rate = measured.value();
  if (!asked.json) {
    fmt::print("CAS, {} outstanding on one QP: {:.0f} per second; {} in {:.3f} s\n",
               rate.outstanding, rate.per_second(), rate.operations, rate.seconds);
    return kFine;
  }
  const Json document = {{"measurement", "outstanding"},
                         {"outstanding", rate.outstanding},
                         {"operations", rate.operations},
                         {"seconds", rate.seconds},
                         {"per_second", rate.per_second()}};
  fmt::print("{}\n", dump_json(document));
  return kFine;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  for (const std::string_view argument : arguments) {
    if (argument != "--help" && argument != "-h") continue;
    fmt::print("{}", kUsage);
    return kFine;
  }
  if (arguments.empty()) {
    fmt::print(stderr, "{}", kUsage);
    return kBadInput;
  }
  Asked asked;
  if (const std::string problem = parse(arguments, asked); !problem.empty())
    return complain(problem, kBadInput);
  return asked.outstanding > 0 ? outstanding(asked) : acquire(asked);
}
