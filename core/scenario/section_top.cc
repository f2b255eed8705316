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
       "What each curve stands for: a label, a number of clients or a value of a swept path. Other "
       "swept paths split the curves further."},
      {"mean_over", line(&Figure::mean_over), "workload.locality",
       "A swept path: points that differ only in it are drawn as one, with the mean of their y."},
      {"relative_to", line(&Figure::relative_to), "label=mcs",
       "A swept path and one of its values: the y of each point is divided by that of the point "
       "with "
       "this value and otherwise the same settings, before any mean is taken."},
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

const Keys& sweep_keys() {
  static const Keys keys = rows<Point>({
      {"grid", said<Point>(map), "{locks.count: [1, 10], protocol: [{name: cas}, {name: mcs}]}",
       "Paths and their values, each a list or a range such as {from: 1, to: 256, steps: 9, scale: "
       "log}. Every combination is a point; the first path varies slowest. A value that is a "
       "mapping may have a `name`, which tables, results and expectations use for it.",
       kNullable},
      {"best_of", later<BestOf>(map, best_of_keys), "{lines: {CAS: [cas, cas-backoff]}}",
       "Locks of which only the best variant counts: figures, conclusions and predictions show it "
       "under the name of the line, and leave the others out.",
       kNullable},
      {"zip", said<Point>(list), "[{locks.count: [1, 10], run.duration: [40ms, 20ms]}]",
       "Each entry is one axis: paths whose lists have equal lengths and change together.",
       kNullable},
  });
  return keys;
}

// One kind of warning; its value is the reason for which the scenario accepts it.
Row<Scenario> allowed(WarningKind kind, const char* name, const char* says) {
  const auto read = [kind](const Given& given, Scenario& scenario) {
    const std::string& reason = scalar(given.node, given.path, "a reason");
    if (reason.empty()) reject(given.node.place, "{} is empty; expected a reason", given.path);
    scenario.allowed.push_back({kind, reason});
  };
  const auto write = [](const ScenarioKey&, const Scenario&) { return YamlNode(); };
  return {name, value_of<Scenario>({}, read, write), "no client crashes", says};
}

Value<Point> protocol() {
  Value<Point> value = read_later(nested(&Point::protocol, protocol_keys));
  value.key.write = [](const ScenarioKey&, const void* point) {
    return write_protocol(static_cast<const Point*>(point)->protocol);
  };
  return value;
}

}  // namespace

const Keys& best_of_keys() {
  static const Keys keys = rows<BestOf>({
      {"lines", said<BestOf>(map), "{CAS: [cas, cas-backoff]}",
       "Names of lines, each with the labels of its variants. At each point of the sweep the best "
       "one is chosen anew.",
       kRequired},
      {"metric", line(&BestOf::metric), "goodput_ops_s",
       "The metric that decides; it must be one of which higher or lower values are better."},
  });
  return keys;
}

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
       "Simulated time before the measured window. auto: until goodput is steady by MSER-5, at "
       "least half of `duration` and ten adaptation periods of the lock; if goodput still changes "
       "within the window, a later window is measured, the last one ten durations after the start. "
       "The result of each repeat contains the warm-up that was found. On hardware, with faults "
       "and with scripted arrivals auto is half of `duration`."},
      {"duration", number(duration, &Run::duration, "1us", "3600s"), "100ms",
       "Length of the measured window, [warmup, warmup + duration)."},
      {"acquisitions", acquisitions, "1M", "Number of acquisitions, in place of a duration.",
       kNullable | kUnsupported},
      {"seed", number(count, &Run::seed, "0", "9223372036854775807", Form::plain), "7",
       "Determines all random draws: equal seeds give byte-identical results."},
      {"repeats", number(count, &Run::repeats, "1", "1k"), "3",
       "Runs of each point, each with its own seed; with three or more, results have 95% "
       "confidence intervals."},
      {"precision", number(ratio, &Run::precision_ppb, "0.01%", "100%"), "2%",
       "Adds repeats, at least three in all, until half the width of the 95% confidence interval "
       "of `precision_of` is at most this share of its mean; null: adds none.",
       kNullable},
      {"precision_of", line(&Run::precision_of), "acquire_ns.p99",
       "The metric to which `precision` applies, a path in results.json."},
      {"most_repeats", number(count, &Run::most_repeats, "3", "1k"), "100",
       "The number of repeats at which `precision` stops."},
      {"guard", words({"off", "sampled", "on"}, &Run::guard), "sampled",
       "Checks mutual exclusion by two FETCH_ADDs around each use of a lock. They count in all "
       "times, but in no number of verbs. on: all locks; sampled: one lock in 16, drawn from the "
       "seed, for all clients. A simulation detects violations without it; on hardware only the "
       "guard does."},
      {"on_violation", words({"stop", "record"}, &Run::on_violation), "record",
       "What happens at a violation of mutual exclusion: stop: the point ends; record: the "
       "violation is counted and the run goes on. The point is UNSAFE in both cases."},
      {"series", number(duration, &Run::series, "1us", "3600s"), "1ms",
       "Length of intervals for which results.json also has goodput and mean acquisition time, per "
       "repeat, at most 10000 intervals; null: none.",
       kNullable},
      {"hottest_lock", number(boolean, &Run::hottest_lock), "true",
       "Also measures the acquisitions of the most popular lock: the most probable one of the "
       "distribution, the first if several are equal."},
      {"by_group",
       number<Run>(
           boolean, [](const Run& run) { return run.by_group ? number_of(true) : std::nullopt; },
           [](Run& run, std::int64_t value) { assign(run.by_group, value); }),
       "true",
       "Also measures goodput and cycles of each group of clients: those of `groups`; without, the "
       "roles of workload.files, or the clients of each of workload.sizes."},
  });
  return keys;
}

const Keys& report_keys() {
  static const Keys keys = rows<Report>({
      {"figures", items(&Report::figures, figure_keys, 10'000), "[{x: label, y: goodput_ops_s}]",
       "Figures, each with one curve per series: y over x."},
  });
  return keys;
}

const Keys& allow_keys() {
  using enum WarningKind;
  static const Keys keys = rows<Scenario>({
      allowed(short_warmup, "short_warmup",
              "run.warmup is shorter than ten adaptation periods of a lock."),
      allowed(short_duration, "short_duration",
              "run.duration is shorter than three of the longest timeouts of a lock."),
      allowed(late_fault, "late_fault", "A fault is after the end of the run."),
      allowed(units, "units", "A lock's units differ from those of the workload."),
      allowed(flat_curve, "flat_curve", "A swept parameter is none of a swept lock's."),
      allowed(server_return, "server_return",
              "A server returns without its memory, and sections of several locks keep theirs."),
      allowed(timeout_off, "timeout_off",
              "Clients crash, and the timeout by which a lock detects that is off."),
      allowed(cut_sections, "cut_sections", "Sections take longer than a grant is valid."),
      allowed(few_repeats, "few_repeats", "An order is expected of fewer than three repeats."),
      allowed(left_out, "left_out", "--set removes points that expectations name."),
      allowed(advice, "advice", "A lock's own advice for this run."),
      allowed(never_granted, "never_granted", "A client that is alone acquires no lock."),
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

void check_groups_apart(const YamlNode* run, const Point& point) {
  if (!point.run.by_group || client_groups(point).names.size() > 1) return;
  reject(run->find("by_group")->place,
         "run.by_group measures groups of clients apart, and there are none; set groups, or "
         "workload.files.roles, or several workload.sizes that clients have in turn, or remove the "
         "key");
}

const Keys& top_keys() {
  static const Keys keys = rows<Point>({
      {"schema", {quantity(count, "1", "1")}, "1", "Version of this format.", kRequired},
      {"name", said<Point>(text), "quickstart",
       "Names the results: 1 to 64 letters, digits, '-', '_' or '.'.", kRequired},
      {"description", said<Point>(text), "Four locks in a growing crowd",
       "One line that says what the scenario shows.", kNullable},
      {"platform", nested(&Point::platform, platform_keys),
       "{servers: 1, client_nodes: 5, clients_per_node: 48}",
       "The nodes, their NICs and the network between them."},
      {"locks", nested(&Point::locks, lock_keys), "{count: 10M}",
       "The lock table; it begins on a 4-KiB boundary of each server."},
      {"workload", nested(&Point::workload, workload_keys), "{read_ratio: 50%}",
       "What each client repeats: draw a lock and a mode, acquire, hold, release, think."},
      {"groups", read_later(items(&Point::groups, group_keys, 0)),
       "[{name: readers, nodes: 2, workload: {read_ratio: 100%}}, {name: writers}]",
       "Classes of clients, in place of platform.client_nodes and clients_per_node; their nodes "
       "and clients are numbered in this order.",
       kNullable},
      {"protocol", protocol(), "{name: shiftlock}",
       "The lock to study: its name and parameters, or the name alone. Required, unless the sweep "
       "varies `protocol`."},
      {"faults", items(&Point::faults, fault_keys, 1'000),
       "[{kind: client_crash, at: 30ms, client: 0}]",
       "Faults injected during a run, at most 1000 entries."},
      {"run", nested(&Point::run, run_keys), "{warmup: 20ms, duration: 40ms}",
       "How long a point runs and how often it is repeated."},
      {"sweep", later<Point>(map, sweep_keys), "{grid: {platform.clients_per_node: [1, 4, 16]}}",
       "Values that vary between points: one point for each combination, at most 10000. A path "
       "begins with platform, locks, workload, protocol, faults or run.",
       kNullable},
      {"expect", later<Expectation>(list, expect_keys),
       "[{id: order, kind: order, metric: goodput_ops_s, over: label, order: [cas, mcs], use: "
       "validation, source: none}]",
       "Published values for these points, which are compared and scored after the run.",
       kNullable},
      {"known", later<KnownVerdict>(list, known_keys),
       "[{where: {label: cas}, verdict: no progress, why: it can hang}]",
       "Expected verdicts, each with a reason: a point that has the verdict is shown as known and "
       "does not cause exit code 1. A point with another verdict is treated as usual.",
       kNullable},
      {"allow", later<Scenario>(map, allow_keys), "{short_duration: no client crashes}",
       "Kinds of warnings that `check` and `run` leave out, each with the reason. In "
       "scenarios/papers `check` refuses a scenario with any other warning.",
       kNullable},
      {"report", later<Report>(map, report_keys), "{figures: [{x: label, y: goodput_ops_s}]}",
       "The figures to draw.", kNullable},
  });
  return keys;
}

}  // namespace latchlab
