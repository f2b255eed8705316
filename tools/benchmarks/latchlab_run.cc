#include "tools/benchmarks/latchlab_run.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "core/protocols/registry.h"
#include "core/run/repeat.h"
#include "tools/latchlab/backends.h"
#include "tools/latchlab/load.h"

namespace latchlab::bench {

namespace {

struct Instant {
  double cpu_ns = 0;
  double events = 0;
  double verbs = 0;

  static Instant of(const Backend& backend) {
    const VerbCensus census = backend.census();
    return {process_cpu_ns(), static_cast<double>(backend.events()),
            static_cast<double>(census.executed + census.failed)};
  }
};

}  // namespace

Result<Point> point_of(const std::string& scenario) {
  auto parsed =
      parse_scenario({scenario, "benchmark", ""}, {}, protocol_infos(), tool::data_dirs(""));
  if (!parsed) return parsed.error();
  return std::move(parsed.value().points.front());
}

Sample measure_latchlab(const Point& point) {
  auto simgrid = tool::backend_factory("simgrid");
  if (!simgrid) return failed(simgrid.error().text());
  Instant first;
  Instant last;
  Sample sample;
  // The runner creates its backend here, which is where the two samples can be scheduled.
  const auto watched = [&](const WorldPlan& plan, const Point& of) {
    std::unique_ptr<Backend> backend = simgrid.value()(plan, of);
    Backend* const watching = backend.get();
    const Time opens = Time{} + of.run.earliest();
    backend->at(opens, [&first, watching] { first = Instant::of(*watching); });
    backend->at(opens + of.run.duration, [&last, &sample, watching] {
      last = Instant::of(*watching);
      sample.resident_bytes = process_resident_bytes();
    });
    return backend;
  };
  const RepeatOutcome outcome = run_repeat(point, *find_protocol(point.protocol.name), 0, watched);
  // Starvation is a property of an unfair lock, not an error of the engine.
  if (outcome.status != RepeatStatus::ok && outcome.status != RepeatStatus::starved)
    return failed(fmt::format("{}: {}", name_of(outcome.status), outcome.message));
  sample.cpu_ns = last.cpu_ns - first.cpu_ns;
  sample.events = last.events - first.events;
  sample.verbs = last.verbs - first.verbs;
  return sample;
}

}  // namespace latchlab::bench
