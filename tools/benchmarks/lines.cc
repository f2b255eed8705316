#include "tools/benchmarks/lines.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/json.h"
#include "core/base/random.h"
#include "tools/benchmarks/sample.h"
#include "tools/benchmarks/two_cores.h"

namespace latchlab::bench {

namespace {

// Two lines apart, since processors fetch lines in pairs; all of them fit a first-level cache.
constexpr std::size_t kLineDistance = 128;
constexpr std::uint32_t kLines = 128;

struct alignas(kLineDistance) Line {
  std::atomic<std::uint32_t> next{0};  // of the line that is visited after it
  std::atomic<std::uint64_t> count{0};
};

class Circle {
 public:
  Circle() : lines_(std::make_unique<Line[]>(kLines)) {
    Rng rng(1);
    const std::vector<std::uint32_t> order = shuffled(kLines, rng);
    for (std::uint32_t i = 0; i < kLines; ++i) lines_[order[i]].next.store(order[(i + 1) % kLines]);
  }
  // Each access needs what the one before has found.
  void load_all() {
    for (std::uint32_t i = 0; i < kLines; ++i) at_ = lines_[at_].next.load();
  }
  void change_all() {
    for (std::uint32_t i = 0; i < kLines; ++i) {
      at_ = lines_[at_].next.load(std::memory_order_relaxed);
      lines_[at_].count.fetch_add(1);
    }
  }
  void count_all() {
    for (std::uint32_t i = 0; i < kLines; ++i) {
      const std::uint64_t found = lines_[at_].count.fetch_add(1);
      at_ = (at_ + 1 + static_cast<std::uint32_t>(found >> 63)) % kLines;
    }
  }

 private:
  std::unique_ptr<Line[]> lines_;
  std::uint32_t at_ = 0;
};

// The times of one access in each round.
std::vector<double> times(TwoCores& cores, bool atomic, bool other, std::uint32_t rounds) {
  Circle circle;
  std::vector<double> ns;
  const auto access = [&] { atomic ? circle.count_all() : circle.load_all(); };
  for (std::uint32_t round = 0; round <= rounds; ++round) {
    cores.run(other ? 1 : 0, [&] { circle.change_all(); });
    const double took = elapsed_ns(access) / kLines;
    if (round > 0) ns.push_back(took);
  }
  return ns;
}

Result<LinesLine> line(bool atomic, bool other, const EngineOptions& options) {
  LinesLine made{atomic ? "atomic" : "load", other, {}};
  const auto samples = in_rounds(made.access, options.quick ? 1 : options.repeats, [&] {
    TwoCores cores;
    Sample all;
    all.cpu_ns = median(times(cores, atomic, other, options.quick ? 10 : 2'000));
    return all;
  });
  if (!samples) return samples.error();
  std::vector<double> ns;
  for (const Sample& sample : samples.value()) ns.push_back(sample.cpu_ns);
  made.ns = spread_of(ns);
  return made;
}

}  // namespace

Result<std::vector<LinesLine>> run_lines_benchmark(const EngineOptions& options) {
  if (!TwoCores::available()) return Error{"this process may run on one core only", {}};
  std::vector<LinesLine> lines;
  for (const bool atomic : {false, true}) {
    for (const bool other : {false, true}) {
      Result<LinesLine> measured = line(atomic, other, options);
      if (!measured) return measured.error();
      lines.push_back(std::move(measured.value()));
    }
  }
  return lines;
}

std::string report_text(const std::vector<LinesLine>& lines) {
  std::string text =
      fmt::format("{:<8} {:<16} {:>7} {:>7} {:>7}\n", "access", "line", "ns", "least", "most");
  for (const LinesLine& line : lines)
    text += fmt::format("{:<8} {:<16} {:>7.1f} {:>7.1f} {:>7.1f}\n", line.access,
                        line.other ? "another core's" : "its own", line.ns.median, line.ns.least,
                        line.ns.most);
  return text + "\nns: of one access; median, least and most of the rounds\n";
}

std::string report_json(const std::vector<LinesLine>& lines) {
  Json json = {{"schema", 1}, {"lines", Json::array()}};
  for (const LinesLine& line : lines)
    json["lines"].push_back({{"access", line.access},
                             {"other", line.other},
                             {"ns", line.ns.median},
                             {"least_ns", line.ns.least},
                             {"most_ns", line.ns.most}});
  return dump_json(json, 2) + "\n";
}

}  // namespace latchlab::bench
