// The keys of workload about sections and when they begin, and those of groups.

#include "core/scenario/scenario_keys.h"

namespace latchlab {

std::vector<ScenarioKey> section_keys() {
  return {
      {.path = "workload.locks_per_section",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "1",
       .max = "1k",
       .example = "2",
       .says = "Locks that a client holds at once: distinct ones, all of one mode. One that was "
               "drawn already is drawn again, and after 64 tries the next free one is taken."},
      {.path = "workload.order",
       .kind = KeyKind::choice,
       .fallback = "sorted",
       .choices = {"sorted", "as_asked"},
       .example = "as_asked",
       .says = "In which order they are acquired: sorted by number, which rules deadlocks out, or "
               "as they were drawn."},
      {.path = "workload.on_abort",
       .kind = KeyKind::choice,
       .fallback = "retry",
       .choices = {"retry", "give_back"},
       .example = "give_back",
       .says = "When the lock gives up: retry: ask for the same one again; give_back: release all "
               "that is held and start the section over."},
      {.path = "workload.retry_pause",
       .kind = KeyKind::duration,
       .fallback = "0us",
       .min = "0us",
       .max = "1000s",
       .example = "5us",
       .says = "Pause before it goes on after that."},
      {.path = "workload.update_ratio",
       .kind = KeyKind::ratio,
       .fallback = "0%",
       .min = "0",
       .max = "1",
       .example = "20%",
       .says = "The share of acquisitions for update; with read_ratio at most 100%. A lock without "
               "update mode takes them exclusively, and results then say so in "
               "update_as_exclusive."},
      {.path = "workload.upgrade_ratio",
       .kind = KeyKind::ratio,
       .fallback = "0%",
       .min = "0",
       .max = "1",
       .example = "0%",
       .says = "The share of them that becomes exclusive before the work; needs update_ratio."},
  };
}

std::vector<ScenarioKey> arrival_keys() {
  const char* const list = "workload.arrivals.list";
  return {
      {.path = "workload.arrivals",
       .kind = KeyKind::map,
       .example = "{kind: poisson, rate: 1M}",
       .says = "An open loop: sections begin at these dates, or as soon afterwards as the client "
               "is free, and latencies count from the dates. null: a closed loop.",
       .nullable = true},
      {.path = "workload.arrivals.kind",
       .kind = KeyKind::choice,
       .choices = {"poisson", "script"},
       .example = "poisson",
       .says = "poisson: at random, each client on its own; script: as written.",
       .required = true},
      {.path = "workload.arrivals.rate",
       .kind = KeyKind::count,
       .min = "1",
       .max = "1G",
       .example = "1M",
       .says = "Sections per second, over all clients (of a group: over its own).",
       .when = {"poisson"},
       .required = true},
      {.path = "workload.arrivals.file",
       .example = "arrivals.csv",
       .says = "Lines at,client,lock,mode under a line that says so; a relative path begins at the "
               "scenario. In place of `list`.",
       .when = {"script"}},
      {.path = list,
       .kind = KeyKind::list,
       .example = "[{at: 10us, client: 0, lock: 0, mode: shared}]",
       .says = "The same here: 100000 arrivals at most.",
       .when = {"script"}},
      needed(item_key(list, "at", KeyKind::duration, {}, "10us",
                      "The date since the start of the run, on the client's clock.")),
      needed(item_key(list, "client", KeyKind::count, {}, "0", "Whose section it is, from 0.")),
      needed(item_key(list, "lock", KeyKind::count, {}, "0", "The lock that it is about, from 0.")),
      {.path = "workload.arrivals.list[].mode",
       .kind = KeyKind::choice,
       .fallback = "exclusive",
       .choices = {"exclusive", "shared", "update"},
       .example = "shared",
       .says = "How it is acquired."},
  };
}

std::vector<ScenarioKey> group_keys() {
  return {
      {.path = "groups",
       .kind = KeyKind::list,
       .example = "[{name: readers, nodes: 2, workload: {read_ratio: 100%}}, {name: writers}]",
       .says = "Classes of clients, in place of platform.client_nodes and clients_per_node; their "
               "nodes and clients are numbered in this order.",
       .nullable = true},
      needed(item_key("groups", "name", KeyKind::text, {}, "readers",
                      "Its name, unique: 1 to 64 letters, digits, '-' or '_'.")),
      {.path = "groups[].nodes",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "1",
       .max = "65535",
       .example = "2",
       .says = "Nodes that its clients run on; no other group's do."},
      {.path = "groups[].clients_per_node",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "1",
       .max = "10M",
       .example = "8",
       .says = "Clients on each of them."},
      {.path = "groups[].workload",
       .kind = KeyKind::map,
       .example = "{read_ratio: 100%}",
       .says = "What its clients do: these keys in place of those of `workload`.",
       .nullable = true},
      {.path = "groups[].nic",
       .example = "{base: connectx-5, link.rate: 25Gbps}",
       .says = "The RNIC of its nodes, in place of platform.nic; half of the way between two nodes "
               "is of each one's RNIC.",
       .nullable = true},
      {.path = "groups[].clocks",
       .kind = KeyKind::map,
       .example = "{drift: 100ppm}",
       .says = "How far its clocks are off: these keys in place of those of platform.clocks.",
       .nullable = true},
  };
}

}  // namespace latchlab
