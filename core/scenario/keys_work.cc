// The keys of locks, workload, groups, protocol and run.

#include "core/scenario/scenario_keys.h"

namespace latchlab {
namespace {

std::vector<ScenarioKey> lock_keys() {
  return {
      {.path = "locks",
       .kind = KeyKind::map,
       .example = "{count: 10M}",
       .says = "The lock table; it begins on a 4-KiB boundary of each server."},
      {.path = "locks.count",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "1",
       .max = "9223372036854775807",
       .example = "10M",
       .says = "How many locks there are, on all servers; memory is taken for those in use only."},
      {.path = "locks.placement",
       .kind = KeyKind::choice,
       .fallback = "round_robin",
       .choices = {"round_robin", "partitioned"},
       .example = "partitioned",
       .says = "On which server lock i lies: round_robin: i mod servers; partitioned: equal parts "
               "in order; {node: N}: all on server N."},
      {.path = "locks.placement.node",
       .kind = KeyKind::count,
       .min = "0",
       .max = "65534",
       .example = "0",
       .says = "The number of the server that holds all locks, from 0.",
       .required = true},
      {.path = "locks.stride",
       .kind = KeyKind::bytes,
       .fallback = "64B",
       .min = "8B",
       .example = "64B",
       .says = "From one lock to the next: a multiple of 8B, at least the protocol's entry; null: "
               "entries side by side. Locks whose addresses agree in bits 3 to 11 share an atomic "
               "slot.",
       .nullable = true},
      {.path = "locks.memory",
       .kind = KeyKind::choice,
       .fallback = "host",
       .choices = {"host", "device"},
       .example = "host",
       .says = "device: the table lies in the memory of the servers' NICs (device_memory.size), "
               "where atomics are faster."},
  };
}

std::vector<ScenarioKey> distribution_keys() {
  return {
      {.path = "workload.distribution",
       .kind = KeyKind::map,
       .example = "{kind: zipf, theta: 0.99}",
       .says = "Which lock a client asks for.",
       .short_for = "kind"},
      {.path = "workload.distribution.kind",
       .kind = KeyKind::choice,
       .fallback = "uniform",
       .choices = {"uniform", "zipf", "power_law", "hotspot"},
       .example = "uniform",
       .says = "uniform: each lock as often. The others prefer some locks.",
       .required = true},
      {.path = "workload.distribution.theta",
       .kind = KeyKind::ratio,
       .fallback = "0.99",
       .min = "0",
       .max = "10",
       .example = "0.99",
       .says = "The k-th most popular lock is drawn with a probability ~ k^-theta.",
       .when = {"zipf"}},
      {.path = "workload.distribution.scramble",
       .kind = KeyKind::boolean,
       .fallback = "false",
       .example = "true",
       .says = "Spreads popular locks over the table by a seeded permutation; else lock 0 is the "
               "most popular.",
       .when = {"zipf"}},
      {.path = "workload.distribution.alpha",
       .kind = KeyKind::ratio,
       .min = "1000000001ppb",
       .max = "20",
       .example = "2",
       .says = "Density ~ x^-alpha, above 1 (DSLR A.4).",
       .when = {"power_law"},
       .required = true},
      {.path = "workload.distribution.locks",
       .kind = KeyKind::ratio,
       .min = "1ppb",
       .max = "1",
       .example = "1%",
       .says = "The share of the locks that is hot.",
       .when = {"hotspot"},
       .required = true},
      {.path = "workload.distribution.accesses",
       .kind = KeyKind::ratio,
       .min = "0",
       .max = "1",
       .example = "90%",
       .says = "The share of the accesses that goes to them.",
       .when = {"hotspot"},
       .required = true},
  };
}

std::vector<ScenarioKey> workload_keys() {
  std::vector<ScenarioKey> keys = {
      {.path = "workload",
       .kind = KeyKind::map,
       .example = "{read_ratio: 50%}",
       .says = "What each client does, again and again: draw a lock and a mode, acquire, hold, "
               "release, think."},
      {.path = "workload.kind",
       .kind = KeyKind::choice,
       .fallback = "micro",
       .choices = {"micro"},
       .example = "micro",
       .says = "micro: locks drawn anew for each section. Other kinds are not in this build."},
  };
  const std::vector<ScenarioKey> distribution = distribution_keys();
  keys.insert(keys.end(), distribution.begin(), distribution.end());
  const std::vector<ScenarioKey> rest = {
      {.path = "workload.read_ratio",
       .kind = KeyKind::ratio,
       .fallback = "0%",
       .min = "0",
       .max = "1",
       .example = "50%",
       .says = "The share of shared acquisitions. A lock without shared mode takes them "
               "exclusively, and results then say so in shared_as_exclusive."},
      {.path = "workload.locality",
       .kind = KeyKind::ratio,
       .min = "0",
       .max = "1",
       .example = "90%",
       .says = "With this probability a lock of the client's own node, else of the other servers, "
               "each as likely; among the locks of a server by the distribution. Needs "
               "platform.colocated and locks on every server; null: wherever the lock lies.",
       .nullable = true},
      {.path = "workload.sizes",
       .kind = KeyKind::list,
       .example = "[1, 16, 256]",
       .says = "Sizes of ranges, of a kind of workload that is not in this build.",
       .nullable = true,
       .supported = false},
      {.path = "workload.critical_section",
       .kind = KeyKind::duration,
       .fallback = "0us",
       .min = "0us",
       .max = "1000s",
       .example = "2us",
       .says = "How long a client holds the lock, or {remote_ops: 1, bytes: 8B}: what it reads or "
               "writes meanwhile."},
      {.path = "workload.critical_section.remote_ops",
       .kind = KeyKind::count,
       .min = "1",
       .max = "1k",
       .example = "1",
       .says = "So many verbs, one after the other, on the object that each lock guards, on the "
               "lock's server: READs when the section is shared, or for update without becoming "
               "exclusive; else WRITEs.",
       .required = true},
      {.path = "workload.critical_section.bytes",
       .kind = KeyKind::bytes,
       .fallback = "8B",
       .min = "8B",
       .example = "64B",
       .says = "The length of the object and of each of them: a multiple of 8B, 16KiB at most."},
      {.path = "workload.think_time",
       .kind = KeyKind::duration,
       .fallback = "0us",
       .min = "0us",
       .max = "1000s",
       .example = "5us",
       .says = "Pause from release to the next acquisition; {kind: exponential, mean: 5us} draws "
               "it."},
      {.path = "workload.think_time.kind",
       .kind = KeyKind::choice,
       .choices = {"exponential"},
       .example = "exponential",
       .says = "How the pause is drawn.",
       .required = true},
      {.path = "workload.think_time.mean",
       .kind = KeyKind::duration,
       .min = "0us",
       .max = "1000s",
       .example = "5us",
       .says = "Its mean.",
       .required = true},
  };
  keys.insert(keys.end(), rest.begin(), rest.end());
  for (const std::vector<ScenarioKey>& part : {section_keys(), arrival_keys(), group_keys()})
    keys.insert(keys.end(), part.begin(), part.end());
  return keys;
}

}  // namespace

std::vector<ScenarioKey> work_keys() {
  std::vector<ScenarioKey> keys = lock_keys();
  const auto add = [&](std::vector<ScenarioKey> part) {
    keys.insert(keys.end(), part.begin(), part.end());
  };
  add(workload_keys());
  add({
      {.path = "protocol",
       .kind = KeyKind::map,
       .example = "{name: shiftlock}",
       .says = "The lock that is studied, with its parameters beside its name. Required, unless "
               "the sweep varies `protocol`."},
      {.path = "protocol.name",
       .example = "shiftlock",
       .says = "See `latchlab list protocols`.",
       .required = true},
      {.path = "protocol.profile",
       .example = "repaired",
       .says = "A named set of parameters, such as those of a paper or of its artifact; each can "
               "be replaced beside it. The first profile of a lock is its default."},
      {.path = "protocol.label",
       .example = "CAS-NB",
       .says = "Names the series, 1 to 64 characters, unique among swept protocols; by default "
               "the name."},
  });
  return keys;
}

}  // namespace latchlab
