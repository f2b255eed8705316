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

// The same of the page's table.
constexpr std::pair<const char*, const char*> kPageColumns[] = {
    {"p99.9", "acquire_ns.p999"},
    {"mean", "acquire_ns.mean"},
    {"max", "acquire_ns.max"},
    {"release p50", "release_ns.p50"},
    {"writes", "verbs_per_cycle.write"},
    {"calls", "verbs_per_cycle.call"},
    {"bypassed", "fairness.max_bypassed"},
    {"steady", "stationary"},
    {"given up", "aborted_acquisitions"},
    {"cut", "cut_sections"},
};

Topics column_topics() {
  Topics topics = {
      {"lock", "column", "Label of the protocol, which names its series.", {}, {"protocol.label"}},
      {"clients",
       "column",
       "Number of clients on all client nodes.",
       {},
       {"platform.clients_per_node", "platform.client_nodes"}},
      {"verdict",
       "column",
       "Outcome of the point: the worst verdict of its repeats.",
       {},
       {"ok", "unchecked", "emulated", "client-bound", "starved", "window too short",
        "cut sections", "expired holds", "late effects", "UNSAFE", "DEADLOCK", "NO PROGRESS",
        "not settled", "known", "FAILED", "UNAVAILABLE", "interrupted"}},
      {"+- 95%",
       "column",
       "Half the width of the 95% confidence interval of the goodput (Student t over the repeats), "
       "in the unit of the goodput beside it. It needs three repeats or more.",
       {},
       {"goodput_ops_s", "run.repeats", "run.precision"}},
  };
  for (const auto& [column, metric] : kMetricColumns)
    topics.push_back({column, "column", metric_doc(metric)->says, {{"metric", metric}}, {metric}});
  for (const auto& [column, metric] : kPageColumns)
    topics.push_back(
        {column, "column of the page", metric_doc(metric)->says, {{"metric", metric}}, {metric}});
  return topics;
}

Topics verdict_topics() {
  return {
      {"ok", "verdict", "No check failed and no warning applies."},
      {"starved",
       "verdict",
       "At least one client waited for one lock through the whole measured window. A warning, not "
       "a failure: the lock may guarantee no more.",
       {},
       {"jain", "fairness.max_bypassed"}},
      {"window too short",
       "verdict",
       "No cycle ended in the measured window, but some did when the run was continued: nothing "
       "was measured. The message names a run.duration that is long enough. A warning, not a "
       "failure.",
       {},
       {"run.duration", "NO PROGRESS"}},
      {"not settled",
       "verdict",
       "Goodput still rose or fell within the measured window, so that its mean depends on the "
       "window's length. A warning, not a failure; conclusions do not use such a point. Increase "
       "run.duration, or set run.warmup to auto.",
       {},
       {"stationary", "window.settled", "run.warmup", "run.duration"}},
      {"UNSAFE",
       "verdict",
       "Two live clients had valid conflicting grants at the same time: mutual exclusion is "
       "violated. The exit code is 1.",
       {},
       {"mutual_exclusion", "run.on_violation"}},
      {"DEADLOCK",
       "verdict",
       "Clients wait, and no event can ever occur again; this is certain. The exit code is 1.",
       {},
       {"deadlock", "NO PROGRESS"}},
      {"NO PROGRESS",
       "verdict",
       "Every live client waited for one lock through the whole measured window, but events could "
       "still occur: either the clients poll for ever, or a cycle takes longer than the window; a "
       "longer run.duration shows which. The exit code is 1.",
       {},
       {"DEADLOCK", "starved"}},
      {"known",
       "verdict",
       "Shown beside another verdict, which the scenario declares as expected, with a reason (key "
       "`known`); it does not cause exit code 1.",
       {},
       {"known.verdict"}},
      {"unchecked",
       "verdict",
       "No check failed, but mutual exclusion was not checked.",
       {},
       {"run.guard"}},
      {"client-bound",
       "verdict",
       "The cores that clients share (`platform.cores`), or on hardware a client thread, had no "
       "idle time: the point measures them, and would not show a faster lock. It cannot win a "
       "comparison, and curves leave it out.",
       {},
       {"client_cpu.utilisation", "platform.cores", "workers.busiest"}},
      {"cut sections",
       "verdict",
       "In more than 0.1% of the cycles a grant ended before the work of the section was done. "
       "Such a section does not count in goodput; the point is not compared with others, and "
       "curves leave it out.",
       {},
       {"cut_sections", "goodput_ops_s"}},
      {"expired holds",
       "verdict",
       "A lock was granted while a client whose own grant had ended still used it: two clients "
       "used the lock at once. The holder exceeded its grant (it stalled, or its clock is wrong), "
       "and the lock behaved as specified: this is not a violation, and the exit code is 0.",
       {},
       {"safety.expired_holds", "UNSAFE"}},
      {"late effects",
       "verdict",
       "A release, an upgrade or an extension of a grant that had ended took effect after the lock "
       "had been granted to another client. The exit code is 0.",
       {},
       {"safety.late_effects", "expired holds"}},
      {"FAILED", "verdict",
       "The run of a repeat ended early, or its input was rejected after the start. The message "
       "says why."},
      {"UNAVAILABLE",
       "verdict",
       "The backend lacks a capability that the lock needs, such as masked atomics of 16 bytes, or "
       "the point exceeds a limit of the lock: clients, client nodes, locks, or locks that a "
       "section holds at once. The point does not run; the other points do. The exit code is 3.",
       {},
       {"atomic.masked"}},
      {"interrupted", "verdict", "Not all repeats were finished when the run was interrupted."},
  };
}

// What the page calls a picture, and what is on it.
Topics figure_topics() {
  return {
      {"How long acquisitions take",
       "figure",
       "Share of the acquisitions that took at most the time on the x axis; a steeper curve means "
       "more predictable times.",
       {},
       {"acquire_ns", "open.count"}},
      {"Where the time goes",
       "figure",
       "Mean time of each phase, over all operations of a kind, or over those that waited.",
       {},
       {"phases_ns.write", "phases_waited_ns.write"}},
      {"Verbs per cycle",
       "figure",
       "Cost of a cycle for the network and the server, including retries.",
       {},
       {"reads", "atomics", "sends", "background_verbs_s"}},
      {"How busy the RNIC was",
       "figure",
       "Share of the window in which each part of the busiest server's RNIC was occupied.",
       {},
       {"nic busy", "hottest_slot", "atomic.window"}},
  };
}

// What becomes of a published figure, and what it is good for.
Topics score_topics() {
  return {
      {"off", "verdict of a figure",
       "Measured, and further from the published value than the tolerance allows."},
      {"undecided", "verdict of a comparison",
       "Two values cannot be ranked: the interval of their ratio contains 1 (more repeats or a "
       "longer run.duration narrow it), they differ by less than 1%, or a point is starved or not "
       "settled (a longer run.duration, run.warmup: auto). With fewer than three repeats, goodput "
       "is compared by the parts of its windows, and other metrics are undecided. Of a published "
       "figure: nothing was measured; of a published order: a difference of neighbours does not "
       "exceed its interval, however small it is."},
      {"regression", "use of a figure",
       "Not a published value but an earlier result of this model: a miss sets exit code 1."},
      {"inferred", "use of a figure",
       "The model's form was inferred from it, so that agreement confirms nothing; it is scored "
       "separately."},
      {"published", "status of a constant", "The value is from a publication."},
      {"fitted", "status of a constant",
       "The value was adjusted until the model reproduced published measurements."},
      {"assumed", "status of a constant",
       "The value is a guess within a range; conclusions that depend on it are weak "
       "(--sensitivity)."},
  };
}

Topics check_topics() {
  return {
      {"mutual_exclusion",
       "check",
       "No two live clients have valid conflicting grants at the same time.",
       {},
       {"safety.violations"}},
      {"expired_holds",
       "check",
       "Counts grants given while an earlier holder still used the lock after its grant had "
       "expired.",
       {},
       {"safety.expired_holds"}},
      {"late_effects",
       "check",
       "Counts releases that took effect after the lock had been granted to another client.",
       {},
       {"safety.late_effects"}},
      {"deadlock",
       "check",
       "Detects that clients wait and no event can ever occur again.",
       {},
       {"DEADLOCK"}},
      {"window_law", "check", "Counted cycles and ages add up exactly to clients x duration."},
      {"census", "check", "Verbs posted = executed + failed + in flight."},
  };
}

Topics fault_topics() {
  return {
      {"skip_release",
       "fault",
       "A client does not release its lock, with a given probability for each acquisition.",
       {},
       {"faults.probability"}},
      {"client_crash", "fault",
       "A client dies; its endpoint stays and discards messages. Verbs that the client posted "
       "still take effect."},
      {"process_crash", "fault", "A client dies together with its QPs; messages to it fail."},
      {"node_crash", "fault", "A node dies, with its memory and all programs on it."},
      {"link_down",
       "fault",
       "A port, or the path between two nodes, is down, for a given time or for ever.",
       {},
       {"faults.to", "faults.for"}},
      {"pause",
       "fault",
       "A CPU stalls; verbs posted before still take effect. Once, or at random times.",
       {},
       {"faults.rate", "faults.length"}},
      {"slow_client", "fault", "A client's CPU time is multiplied.", {}, {"faults.factor"}},
      {"drift",
       "fault",
       "A node's clock jumps, or runs fast or slow from then on.",
       {},
       {"faults.jump", "faults.drift"}},
  };
}

Topics exit_topics() {
  return {
      {"exit 0", "exit code", "Success."},
      {"exit 1",
       "exit code",
       "A lock failed a check, a point failed, or a published value that must hold was missed. "
       "Expired holds and late effects are not violations: they are verdicts and warnings, and the "
       "exit code is 0.",
       {},
       {"UNSAFE", "DEADLOCK", "NO PROGRESS", "expired holds"}},
      {"exit 2", "exit code",
       "Bad input: one message with file and line, the expected value and the fix."},
      {"exit 3", "exit code", "This build or machine lacks something that is needed."},
      {"exit 130", "exit code", "Interrupted; finished points are kept."},
  };
}

}  // namespace

Topics outcome_topics() {
  Topics all;
  for (const Topics& part : {column_topics(), verdict_topics(), figure_topics(), score_topics(),
                             check_topics(), fault_topics(), exit_topics()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace latchlab::tool
