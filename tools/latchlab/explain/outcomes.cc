// What a run prints and what may go wrong in one: columns, verdicts, checks, faults, exit codes.

#include <fmt/format.h>

#include "core/measure/metric_docs.h"
#include "tools/latchlab/explain/topics.h"

namespace latchlab::tool {

namespace {

// Columns that show a metric: what they mean stands with the metric.
constexpr std::pair<const char*, const char*> kMetricColumns[] = {
    {"goodput", "goodput_ops_s"},
    {"p50", "acquire_ns.p50"},
    {"p99", "acquire_ns.p99"},
    {"reads", "verbs_per_cycle.read"},
    {"atomics", "verbs_per_cycle.atomic"},
    {"sends", "verbs_per_cycle.send"},
    {"retries", "retry_share"},
    {"nic busy", "server_nic.utilisation.pipeline"},
    {"jain", "fairness.jain"},
};

Topics column_topics() {
  Topics topics = {
      {"lock",
       "column",
       "The label of the protocol, which names its series.",
       {},
       {"protocol.label"}},
      {"clients",
       "column",
       "How many clients there are on all client nodes.",
       {},
       {"platform.clients_per_node", "platform.client_nodes"}},
      {"verdict",
       "column",
       "What became of the point; the worst of its repeats.",
       {},
       {"ok", "starved", "UNSAFE", "DEADLOCK", "FAILED", "UNAVAILABLE", "interrupted"}},
  };
  for (const auto& [column, metric] : kMetricColumns)
    topics.push_back({column, "column", metric_doc(metric)->says, {{"metric", metric}}, {metric}});
  return topics;
}

Topics verdict_topics() {
  return {
      {"ok", "verdict", "Nothing went wrong."},
      {"starved",
       "verdict",
       "Some clients waited for one lock through the whole measured window. A warning, no failure: "
       "the lock may promise no more.",
       {},
       {"jain", "fairness.max_bypassed"}},
      {"UNSAFE",
       "verdict",
       "Two live clients were inside the validity of conflicting grants at once: mutual exclusion "
       "is broken. The exit code is 1.",
       {},
       {"mutual_exclusion", "run.on_violation"}},
      {"DEADLOCK",
       "verdict",
       "Clients wait, and nothing can ever happen again. The exit code is 1.",
       {},
       {"deadlock"}},
      {"FAILED", "verdict",
       "The run of a repeat ended early, or its input was refused late. The "
       "message says why."},
      {"UNAVAILABLE",
       "verdict",
       "The backend lacks what the lock needs, such as masked atomics of "
       "16 bytes.",
       {},
       {"atomic.masked"}},
      {"interrupted", "verdict", "Not all repeats were finished when the run was interrupted."},
  };
}

Topics check_topics() {
  return {
      {"mutual_exclusion",
       "check",
       "No two live clients inside the validity of conflicting "
       "grants.",
       {},
       {"safety.violations"}},
      {"expired_holds",
       "check",
       "A grant given while a holder was still inside, past its "
       "validity.",
       {},
       {"safety.expired_holds"}},
      {"late_effects",
       "check",
       "A release carried out after its lock had been given away.",
       {},
       {"safety.late_effects"}},
      {"deadlock", "check", "Clients wait, and nothing can ever happen again.", {}, {"DEADLOCK"}},
      {"window_law", "check", "Counted cycles and ages add up to clients x duration, exactly."},
      {"census", "check", "Verbs posted = executed + failed + in flight."},
  };
}

Topics fault_topics() {
  return {
      {"skip_release",
       "fault",
       "A client forgets to release, with some probability for each "
       "acquisition.",
       {},
       {"faults.probability"}},
      {"client_crash", "fault",
       "A client dies; its endpoint stays, and messages to it are taken "
       "unread. What it has posted still lands."},
      {"process_crash", "fault", "A client dies with its QPs: messages to it fail."},
      {"node_crash", "fault", "A node dies with its memory and all that runs on it."},
      {"link_down",
       "fault",
       "A port, or the path between two nodes, carries nothing, for a while "
       "or for ever.",
       {},
       {"faults.to", "faults.for"}},
      {"pause",
       "fault",
       "A CPU stands still; verbs that are posted land meanwhile. Once, or at "
       "random dates.",
       {},
       {"faults.rate", "faults.length"}},
      {"slow_client", "fault", "A client's CPU time is multiplied.", {}, {"faults.factor"}},
      {"drift",
       "fault",
       "A node's clock jumps, or runs too fast or slow from then on.",
       {},
       {"faults.jump", "faults.drift"}},
  };
}

Topics exit_topics() {
  return {
      {"exit 0", "exit code", "All is well."},
      {"exit 1",
       "exit code",
       "A lock broke its promise, a point failed, or a published figure "
       "that must hold was missed.",
       {},
       {"UNSAFE", "DEADLOCK"}},
      {"exit 2", "exit code",
       "The input is wrong: one message with file and line, what was "
       "expected and the fix."},
      {"exit 3", "exit code", "This build or machine cannot: something is missing."},
      {"exit 130", "exit code", "Interrupted; points that were finished are kept."},
  };
}

}  // namespace

Topics outcome_topics() {
  Topics all;
  for (const Topics& part :
       {column_topics(), verdict_topics(), check_topics(), fault_topics(), exit_topics()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace latchlab::tool
