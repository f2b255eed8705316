// The keys of faults, and those of run.

#include "core/scenario/scenario_keys.h"

namespace latchlab {
namespace {

using Kinds = std::vector<std::string>;

ScenarioKey fault(const char* name, KeyKind kind, Kinds when, const char* example,
                  const char* says) {
  return item_key("faults", name, kind, std::move(when), example, says);
}

ScenarioKey within(ScenarioKey key, const char* min, const char* max) {
  key.min = min;
  key.max = max;
  return key;
}

std::vector<ScenarioKey> run_keys() {
  return {
      {.path = "run",
       .kind = KeyKind::map,
       .example = "{warmup: 20ms, duration: 40ms}",
       .says = "How long a point runs and how often it is repeated."},
      {.path = "run.warmup",
       .kind = KeyKind::duration,
       .fallback = "20ms",
       .min = "0us",
       .max = "3600s",
       .example = "100ms",
       .says = "Simulated time before the measured window. `check` warns when it is shorter than "
               "ten adaptation periods of the lock."},
      {.path = "run.duration",
       .kind = KeyKind::duration,
       .fallback = "40ms",
       .min = "1us",
       .max = "3600s",
       .example = "100ms",
       .says = "Length of the measured window, [warmup, warmup + duration)."},
      {.path = "run.acquisitions",
       .kind = KeyKind::count,
       .min = "1",
       .example = "1M",
       .says = "So many acquisitions in place of a duration.",
       .nullable = true,
       .supported = false},
      {.path = "run.seed",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "0",
       .max = "9223372036854775807",
       .example = "7",
       .says = "All that is drawn follows from it: the same seed gives the same bytes."},
      {.path = "run.repeats",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "1",
       .max = "1k",
       .example = "3",
       .says = "Runs of each point, each with a seed of its own; from three on, results carry a "
               "95% confidence interval."},
      {.path = "run.guard",
       .kind = KeyKind::choice,
       .fallback = "off",
       .choices = {"off", "sampled", "on"},
       .example = "sampled",
       .says = "Checks exclusion by two FETCH_ADDs around each use of a lock, which no verb count "
               "includes but every time does: of all locks, or (`sampled`) of one lock in 16, "
               "drawn from the seed, for every client. A simulation sees violations without it; "
               "on hardware nothing else does."},
      {.path = "run.on_violation",
       .kind = KeyKind::choice,
       .fallback = "stop",
       .choices = {"stop", "record"},
       .example = "record",
       .says = "What a violation of mutual exclusion does to its point: stop it, or count it and "
               "go on. Either way the point is UNSAFE."},
      {.path = "run.series",
       .kind = KeyKind::duration,
       .min = "1us",
       .max = "3600s",
       .example = "1ms",
       .says = "Goodput and mean acquisition of each interval of this length, too: in "
               "results.json, per repeat, at most 10000 of them; null: not.",
       .nullable = true},
      {.path = "run.hottest_lock",
       .kind = KeyKind::boolean,
       .fallback = "false",
       .example = "true",
       .says = "Also tells how long acquisitions of the most popular lock took: the one that the "
               "distribution prefers, of equals the first."},
  };
}

}  // namespace

std::vector<ScenarioKey> fault_keys() {
  const Kinds crashes = {"client_crash", "process_crash"};
  const Kinds dated = {"client_crash", "process_crash", "node_crash",
                       "link_down",    "slow_client",   "drift"};
  ScenarioKey client = within(
      fault("client", KeyKind::count, crashes, "0", "Whom, from 0, below the number of clients."),
      "0", "");
  client.fallback = "0";
  ScenarioKey rate =
      fault("rate", KeyKind::count,
            {"skip_release", "client_crash", "process_crash", "node_crash", "link_down"}, "100",
            "So many a second on average.");
  rate.nullable = true;
  rate.supported = false;
  std::vector<ScenarioKey> keys = {
      {.path = "faults",
       .kind = KeyKind::list,
       .example = "[{kind: client_crash, at: 30ms, client: 0}]",
       .says = "What goes wrong during a run, up to 1000 entries."},
      needed({.path = "faults[].kind",
              .kind = KeyKind::choice,
              .choices = {"skip_release", "client_crash", "process_crash", "node_crash",
                          "link_down", "pause", "slow_client", "drift"},
              .example = "client_crash",
              .says = "What happens; each kind has keys of its own."}),
      needed(within(fault("probability", KeyKind::ratio, {"skip_release"}, "0.1%",
                          "So often a client forgets to release."),
                    "0", "1")),
      needed(within(fault("at", KeyKind::duration, dated, "30ms", "When, since the start."), "0us",
                    "3600s")),
      within(fault("at", KeyKind::duration, {"pause"}, "30ms",
                   "When, since the start; in place of `rate`."),
             "0us", "3600s"),
      within(fault("rate", KeyKind::count, {"pause"}, "100",
                   "So many a second on average, at random dates; without `client`, `client_node` "
                   "and `server` each hits some client."),
             "1", "1M"),
      std::move(rate),
      std::move(client),
      needed(within(fault("client", KeyKind::count, {"slow_client"}, "0",
                          "Whom, from 0, below the number of clients."),
                    "0", "")),
      within(fault("client", KeyKind::count, {"pause"}, "0",
                   "Whom, from 0. A pause at a date names a client, a client_node or a server."),
             "0", ""),
      within(fault("client_node", KeyKind::count, {"pause", "drift"}, "0",
                   "All clients of this client node, from 0; of a drift: its clock."),
             "0", ""),
      within(fault("server", KeyKind::count, {"pause", "drift"}, "0",
                   "The CPU of this server, from 0; of a drift: its clock."),
             "0", ""),
      needed(within(fault("node", KeyKind::count, {"node_crash", "link_down"}, "0",
                          "Which node: servers first, then client nodes, from 0."),
                    "0", "")),
      within(fault("to", KeyKind::count, {"link_down"}, "1",
                   "Only the path to this node; without: the node's whole port."),
             "0", ""),
      within(fault("for", KeyKind::duration, {"link_down"}, "5ms",
                   "Comes back after so long; without: never."),
             "1ns", "3600s"),
      needed(
          within(fault("length", KeyKind::duration, {"pause"}, "1ms", "How long it stands still."),
                 "1ps", "3600s")),
      needed(within(fault("factor", KeyKind::ratio, {"slow_client"}, "4",
                          "The client's CPU time is multiplied by this."),
                    "1", "10000")),
      within(fault("jump", KeyKind::signed_duration, {"drift"}, "-10us",
                   "The clock goes on from here; negative: it falls back."),
             "-3600s", "3600s"),
      within(fault("drift", KeyKind::signed_ratio, {"drift"}, "200ppm",
                   "From then on it runs so much too fast; negative: too slow."),
             "-10%", "10%"),
  };
  const std::vector<ScenarioKey> run = run_keys();
  keys.insert(keys.end(), run.begin(), run.end());
  return keys;
}

}  // namespace latchlab
