// The keys at the top of a scenario and of run, sweep and report.

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

constexpr std::int64_t kMostIntervals = 10'000;

const Keys& figure_keys() {
  static const Keys keys = rows<Figure>({
      {"x", line(&Figure::x), "clients",
       "A swept path, a column of the table of points (label, clients, p99), or a metric.",
       kRequired},
      {"y", line(&Figure::y), "acquire_ns.p99",
       "A metric (see `latchlab explain`), or its column in the table.", kRequired},
      {"series", line(&Figure::series), "label",
       "What tells the curves apart: label, clients or a swept path. What else is swept divides "
       "them further."},
  });
  return keys;
}

const Keys& sweep_keys() {
  static const Keys keys = rows<Point>({
      {"grid", said<Point>(map), "{locks.count: [1, 10], protocol: [{name: cas}, {name: mcs}]}",
       "Paths and their values, each a list or a range such as {from: 1, to: 256, steps: 9, scale: "
       "log}; the axes are crossed, the first one outermost. A value that is a mapping may have a "
       "`name`, by which tables, results and expectations then call it.",
       kNullable},
      {"zip", said<Point>(list), "[{locks.count: [1, 10], run.duration: [40ms, 20ms]}]",
       "Each entry is one axis: paths whose lists, of equal lengths, change together.", kNullable},
  });
  return keys;
}

// A key that is read into an S later; `keys` are the keys below it.
template <class S>
Value<Point> later(KeyKind kind, const Keys& (*keys)()) {
  Value<Point> value = said<Point>(kind);
  value.key.below = [keys](const void*) {
    static const S usual{};
    return Below{keys(), &usual};
  };
  return value;
}

Value<Point> protocol() {
  Value<Point> value = read_later(nested(&Point::protocol, protocol_keys));
  value.key.write = [](const ScenarioKey&, const void* point) {
    return write_protocol(static_cast<const Point*>(point)->protocol);
  };
  return value;
}

}  // namespace

bool is_name(const std::string& text, const std::string& others) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string::npos;
  });
}

const Keys& run_keys() {
  using Run = RunSpec;
  const Value<Run> acquisitions{quantity(count, "1")};
  static const Keys keys = rows<Run>({
      {"warmup", or_word("auto", number(duration, &Run::warmup, "0us", "3600s")), "100ms",
       "Simulated time before the measured window. auto: until goodput has settled, by MSER-5, at "
       "least half of `duration` and ten adaptation periods of the lock; where the window shows "
       "that it has not, another one is measured, the last one ten durations after the start. Each "
       "repeat says how long it took. Half of `duration` where that is not looked for: on "
       "hardware, with faults, and with scripted arrivals."},
      {"duration", number(duration, &Run::duration, "1us", "3600s"), "100ms",
       "Length of the measured window, [warmup, warmup + duration)."},
      {"acquisitions", acquisitions, "1M", "So many acquisitions in place of a duration.",
       kNullable | kUnsupported},
      {"seed", number(count, &Run::seed, "0", "9223372036854775807", Form::plain), "7",
       "All that is drawn follows from it: the same seed gives the same bytes."},
      {"repeats", number(count, &Run::repeats, "1", "1k"), "3",
       "Runs of each point, each with a seed of its own; from three on, results carry a 95% "
       "confidence interval."},
      {"precision", number(ratio, &Run::precision_ppb, "0.01%", "100%"), "2%",
       "Adds repeats, at least three in all, until half the 95% interval of `precision_of` is "
       "within this share of its mean; null: not.",
       kNullable},
      {"precision_of", line(&Run::precision_of), "acquire_ns.p99",
       "Which metric `precision` is asked of, a path of results.json."},
      {"most_repeats", number(count, &Run::most_repeats, "3", "1k"), "100",
       "Where `precision` gives up."},
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

const Keys& top_keys() {
  static const Keys keys = rows<Point>({
      {"schema", {quantity(count, "1", "1")}, "1", "Version of this format.", kRequired},
      {"name", said<Point>(text), "quickstart",
       "Names the results: 1 to 64 letters, digits, '-', '_' or '.'.", kRequired},
      {"description", said<Point>(text), "Four locks in a growing crowd",
       "One line that says what this shows.", kNullable},
      {"platform", nested(&Point::platform, platform_keys),
       "{servers: 1, client_nodes: 5, clients_per_node: 48}",
       "The nodes, their NICs and the network between them."},
      {"locks", nested(&Point::locks, lock_keys), "{count: 10M}",
       "The lock table; it begins on a 4-KiB boundary of each server."},
      {"workload", nested(&Point::workload, workload_keys), "{read_ratio: 50%}",
       "What each client does, again and again: draw a lock and a mode, acquire, hold, release, "
       "think."},
      {"groups", read_later(items(&Point::groups, group_keys, 0)),
       "[{name: readers, nodes: 2, workload: {read_ratio: 100%}}, {name: writers}]",
       "Classes of clients, in place of platform.client_nodes and clients_per_node; their nodes "
       "and clients are numbered in this order.",
       kNullable},
      {"protocol", protocol(), "{name: shiftlock}",
       "The lock that is studied, with its parameters beside its name; or its name alone. "
       "Required, "
       "unless the sweep varies `protocol`."},
      {"faults", items(&Point::faults, fault_keys, 1'000),
       "[{kind: client_crash, at: 30ms, client: 0}]",
       "What goes wrong during a run, up to 1000 entries."},
      {"run", nested(&Point::run, run_keys), "{warmup: 20ms, duration: 40ms}",
       "How long a point runs and how often it is repeated."},
      {"sweep", later<Point>(map, sweep_keys), "{grid: {platform.clients_per_node: [1, 4, 16]}}",
       "What varies: one point of results for each combination, 10000 at most. A path begins with "
       "platform, locks, workload, protocol, faults or run.",
       kNullable},
      {"expect", later<Expectation>(list, expect_keys),
       "[{id: order, kind: order, metric: goodput_ops_s, over: label, order: [cas, mcs], use: "
       "validation, source: none}]",
       "What was published of these points; compared and scored after the run.", kNullable},
      {"known", later<KnownVerdict>(list, known_keys),
       "[{where: {label: cas}, verdict: no progress, why: it can hang}]",
       "Verdicts that are no news: shown as known, with the reason, and no cause for exit code 1. "
       "A "
       "point with another verdict is judged as ever.",
       kNullable},
      {"report", later<Report>(map, report_keys), "{figures: [{x: label, y: goodput_ops_s}]}",
       "What to draw.", kNullable},
  });
  return keys;
}

}  // namespace latchlab
