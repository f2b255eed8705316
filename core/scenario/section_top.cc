// The keys at the top of a scenario, and those of sweep.

#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

const Keys& sweep_keys() {
  static const Keys keys = rows<Point>({
      {"grid", said<Point>(map), "{locks.count: [1, 10], protocol: [{name: cas}, {name: mcs}]}",
       "Paths and their values; the axes are crossed, the first one outermost.", kNullable},
      {"zip", said<Point>(list), "[{locks.count: [1, 10], run.duration: [40ms, 20ms]}]",
       "Each entry is one axis: paths whose lists, of equal lengths, change together.", kNullable},
  });
  return keys;
}

// What is read into an S when its time has come; `keys` stand below it.
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
  Value<Point> value = nested(&Point::protocol, protocol_keys);
  value.key.read = {};
  value.key.write = [](const ScenarioKey&, const void* point) {
    return write_protocol(static_cast<const Point*>(point)->protocol);
  };
  return value;
}

Value<Point> groups() {
  Value<Point> value = items(&Point::groups, group_keys, 0);
  value.key.read = {};
  return value;
}

}  // namespace

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
      {"groups", groups(),
       "[{name: readers, nodes: 2, workload: {read_ratio: 100%}}, {name: writers}]",
       "Classes of clients, in place of platform.client_nodes and clients_per_node; their nodes "
       "and clients are numbered in this order.",
       kNullable},
      {"protocol", protocol(), "{name: shiftlock}",
       "The lock that is studied, with its parameters beside its name. Required, unless the sweep "
       "varies `protocol`."},
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
      {"report", later<Report>(map, report_keys), "{figures: [{x: label, y: goodput_ops_s}]}",
       "What to draw.", kNullable},
  });
  return keys;
}

}  // namespace latchlab
