// run and report.

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

constexpr std::int64_t kMostIntervals = 10'000;

const Keys& figure_keys() {
  static const Keys keys = rows<Figure>({
      {"x", line(&Figure::x), "label", "A swept path, or a metric.", kRequired},
      {"y", line(&Figure::y), "acquire_ns.p99", "A metric; see `latchlab explain`.", kRequired},
      {"series", line(&Figure::series), "label",
       "What tells the curves apart: label, or a swept path."},
  });
  return keys;
}

}  // namespace

const Keys& run_keys() {
  using Run = RunSpec;
  static const Keys keys = rows<Run>({
      {"warmup", number(duration, &Run::warmup, "0us", "3600s"), "100ms",
       "Simulated time before the measured window. `check` warns when it is shorter than ten "
       "adaptation periods of the lock."},
      {"duration", number(duration, &Run::duration, "1us", "3600s"), "100ms",
       "Length of the measured window, [warmup, warmup + duration)."},
      {"acquisitions",
       {quantity(count, "1")},
       "1M",
       "So many acquisitions in place of a duration.",
       kNullable | kUnsupported},
      {"seed", number(count, &Run::seed, "0", "9223372036854775807", Form::plain), "7",
       "All that is drawn follows from it: the same seed gives the same bytes."},
      {"repeats", number(count, &Run::repeats, "1", "1k"), "3",
       "Runs of each point, each with a seed of its own; from three on, results carry a 95% "
       "confidence interval."},
      {"guard", words({"off", "sampled", "on"}, &Run::guard), "sampled",
       "Checks exclusion by two FETCH_ADDs around each use of a lock, which no verb count includes "
       "but every time does: of all locks, or (`sampled`) of one lock in 16, drawn from the seed, "
       "for every client. A simulation sees violations without it; on hardware nothing else does."},
      {"on_violation", words({"stop", "record"}, &Run::on_violation), "record",
       "What a violation of mutual exclusion does to its point: stop it, or count it and go on. "
       "Either way the point is UNSAFE."},
      {"series", number(duration, &Run::series, "1us", "3600s"), "1ms",
       "Goodput and mean acquisition of each interval of this length, too: in results.json, per "
       "repeat, at most 10000 of them; null: not.",
       kNullable},
      {"hottest_lock", number(boolean, &Run::hottest_lock), "true",
       "Also tells how long acquisitions of the most popular lock took: the one that the "
       "distribution prefers, of equals the first."},
  });
  return keys;
}

const Keys& report_keys() {
  static const Keys keys = rows<Report>({
      {"figures", items(&Report::figures, figure_keys, 10'000), "[{x: label, y: goodput_ops_s}]",
       "One curve per series: y over x."},
  });
  return keys;
}

void check_run(const YamlNode* node, const RunSpec& run) {
  if (run.series.ps == 0 || run.duration.ps / run.series.ps <= kMostIntervals) return;
  reject(
      node->find("series")->place,
      "run.series is {}, which makes {} intervals of a run.duration of {}; at most {} are possible",
      format_duration(run.series), run.duration.ps / run.series.ps, format_duration(run.duration),
      kMostIntervals);
}

}  // namespace latchlab
