#include "tools/benchmarks/ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/protocols/interval_tree/tree.h"
#include "core/protocols/list_cpu/list_cpu.h"
#include "core/protocols/maple_tree/b_tree.h"
#include "tools/benchmarks/sample.h"
#include "tools/benchmarks/two_cores.h"

namespace latchlab::bench {

namespace {

using range_server::Asker;
using range_server::Held;

// An interval tree behind the interface of a structure of disjoint ranges: search, then insert.
class SearchedTree {
 public:
  std::optional<Asker> try_insert(const Held& held) {
    const auto meeting = tree_.meeting(held.span);
    if (!meeting.empty()) return meeting.front()->front();
    tree_.insert(held.span, held.who);
    return std::nullopt;
  }
  bool erase(const Held& held) { return tree_.erase(held.span, held.who); }
  std::uint64_t take_steps() { return tree_.take_steps(); }

 private:
  interval_tree::IntervalTree tree_;
};

constexpr std::uint64_t kApart = 1000;  // units between the starts of held ranges
constexpr Asker kMore{ClientId{~0U}, 1};

Held held(std::uint64_t place) {
  return {{place * kApart, place * kApart + kApart / 2}, {ClientId{std::uint32_t(place)}, 1}};
}
Held one_more(std::uint64_t place) {
  return {{place * kApart + kApart / 2 + 1, (place + 1) * kApart - 1}, kMore};
}

// Fills all objects in turn, one range at a time and each object in its own random order, so that
// neighbours in a structure are not neighbours in memory.
template <class Structure>
std::vector<Structure> filled(std::uint32_t objects, std::uint32_t ranges, Rng& rng) {
  std::vector<Structure> all(objects);
  std::vector<std::vector<std::uint32_t>> orders;
  orders.reserve(objects);
  for (std::uint32_t i = 0; i < objects; ++i) orders.push_back(shuffled(ranges, rng));
  for (std::uint32_t i = 0; i < ranges; ++i)
    for (std::uint32_t object = 0; object < objects; ++object)
      (void)all[object].try_insert(held(orders[object][i]));
  for (Structure& each : all) (void)each.take_steps();
  return all;
}

// Sample::verbs are insertions, and Sample::events their steps.
template <class Structure>
Sample insertions(std::uint32_t objects, std::uint32_t ranges, std::uint32_t rounds,
                  TwoCores* turns) {
  Rng rng(objects * 1000ULL + ranges);
  std::vector<Structure> all = filled<Structure>(objects, ranges, rng);
  Sample sample;
  std::vector<std::uint32_t> places(objects);
  double took = 0;
  for (std::uint32_t round = 0; round <= rounds; ++round) {
    for (std::uint32_t& place : places) place = static_cast<std::uint32_t>(rng.below(ranges));
    const std::vector<std::uint32_t> order = shuffled(objects, rng);
    const auto insert = [&] {
      for (const std::uint32_t i : order) (void)all[i].try_insert(one_more(places[i]));
    };
    const auto visit = [&] {
      const double before = process_cpu_ns();
      const double elapsed = elapsed_ns(insert);
      took = turns != nullptr ? elapsed : process_cpu_ns() - before;
      for (std::uint32_t i = 0; i < objects; ++i) {
        const std::uint64_t steps = all[i].take_steps();
        (void)all[i].erase(one_more(places[i]));
        (void)all[i].take_steps();
        if (round > 0) sample.events += static_cast<double>(steps);
      }
    };
    if (turns != nullptr)
      turns->run(round % 2, visit);
    else
      visit();
    if (round == 0) continue;  // warms the caches
    sample.cpu_ns += took;
    sample.verbs += objects;
  }
  return sample;
}

struct RangeSize {
  std::uint32_t held;
  Caches caches;
};

const char* name_of(Caches caches) {
  if (caches == Caches::warm) return "warm";
  return caches == Caches::cold ? "cold" : "other core";
}

// On one core, or on two in turns.
template <class Structure>
Sample measure(std::uint32_t objects, const RangeSize& size, std::uint32_t rounds) {
  if (size.caches != Caches::other_core)
    return insertions<Structure>(objects, size.held, rounds, nullptr);
  TwoCores cores;
  return insertions<Structure>(objects, size.held, rounds, &cores);
}

template <class Structure>
Result<RangesLine> line(const std::string& name, const RangeSize& size,
                        const EngineOptions& options) {
  // Warm: 16 objects fit the first-level cache, except the largest objects. Cold: about 200 bytes
  // per range, in all more than a last-level cache holds.
  const std::uint32_t most = options.quick ? 2'000 : 1'600'000;
  const bool cold = size.caches == Caches::cold;
  const std::uint32_t objects = cold ? std::max(64U, most / size.held) : 16;
  const std::uint32_t rounds = options.quick ? 1 : cold ? 2 : 4'000;
  const auto samples = in_rounds(name, options.quick ? 1 : options.repeats,
                                 [&] { return measure<Structure>(objects, size, rounds); });
  if (!samples) return samples.error();
  RangesLine made{name, size.held, size.caches, 0, {}};
  std::vector<double> ns;
  for (const Sample& sample : samples.value()) {
    made.steps = sample.events / sample.verbs;
    ns.push_back(sample.cpu_ns / sample.events);
  }
  made.step_ns = spread_of(ns);
  return made;
}

}  // namespace

Result<std::vector<RangesLine>> run_ranges_benchmark(const EngineOptions& options) {
  std::vector<RangesLine> lines;
  for (const Caches caches : {Caches::warm, Caches::other_core, Caches::cold}) {
    if (caches == Caches::other_core && !TwoCores::available()) continue;
    for (const std::uint32_t held : {8U, 32U, 96U, 256U}) {
      const RangeSize size{held, caches};
      for (const auto& measured : {line<list_cpu::RangeList>("list", size, options),
                                   line<SearchedTree>("interval tree", size, options),
                                   line<maple_tree::RangeTree>("b-tree", size, options)}) {
        if (!measured) return measured.error();
        lines.push_back(measured.value());
      }
    }
  }
  std::sort(lines.begin(), lines.end(), [](const RangesLine& a, const RangesLine& b) {
    return std::tuple(a.structure, a.caches, a.held) < std::tuple(b.structure, b.caches, b.held);
  });
  return lines;
}

std::string report_text(const std::vector<RangesLine>& lines) {
  std::string text = fmt::format("{:<14} {:<10} {:>6} {:>7} {:>9} {:>7} {:>7}\n", "structure",
                                 "caches", "held", "steps", "ns a step", "least", "most");
  for (const RangesLine& line : lines)
    text += fmt::format("{:<14} {:<10} {:>6} {:>7.1f} {:>9.1f} {:>7.1f} {:>7.1f}\n", line.structure,
                        name_of(line.caches), line.held, line.steps, line.step_ns.median,
                        line.step_ns.least, line.step_ns.most);
  return text + "\nns: time of an insertion by its steps; median, least and most of the rounds\n";
}

std::string report_json(const std::vector<RangesLine>& lines) {
  Json json = {{"schema", 1}, {"lines", Json::array()}};
  for (const RangesLine& line : lines)
    json["lines"].push_back({{"structure", line.structure},
                             {"held", line.held},
                             {"caches", name_of(line.caches)},
                             {"cold", line.caches == Caches::cold},
                             {"steps", line.steps},
                             {"step_ns", line.step_ns.median},
                             {"least_ns", line.step_ns.least},
                             {"most_ns", line.step_ns.most}});
  return dump_json(json, 2) + "\n";
}

}  // namespace latchlab::bench
