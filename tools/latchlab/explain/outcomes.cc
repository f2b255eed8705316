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
       {"ok", "unchecked", "emulated", "client-bound", "starved", "window too short",
        "cut sections", "expired holds", "late effects", "UNSAFE", "DEADLOCK", "NO PROGRESS",
        "not settled", "known", "FAILED", "UNAVAILABLE", "interrupted"}},
      {"+- 95%",
       "column",
       "Half the width of the 95% confidence interval of the goodput (Student t over the repeats), "
       "in "
       "the unit of the goodput beside it. It is there from three repeats on.",
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
      {"ok", "verdict", "Nothing went wrong."},
      {"starved",
       "verdict",
       "Some clients waited for one lock through the whole measured window. A warning, no failure: "
       "the lock may promise no more.",
       {},
       {"jain", "fairness.max_bypassed"}},
      {"window too short",
       "verdict",
       "No cycle ended in the measured window, and some did when the run went on: nothing was "
       "measured. The message names a run.duration that would do. A warning, no failure.",
       {},
       {"run.duration", "NO PROGRESS"}},
      {"not settled",
       "verdict",
       "Goodput still rose or fell within the measured window, so that its mean depends on the "
       "window's length. A warning, no failure: a conclusion names no winner by such a point. "
       "Lengthen run.duration, or leave run.warmup to be found (auto).",
       {},
       {"stationary", "window.settled", "run.warmup", "run.duration"}},
      {"UNSAFE",
       "verdict",
       "Two live clients were inside the validity of conflicting grants at once: mutual exclusion "
       "is broken. The exit code is 1.",
       {},
       {"mutual_exclusion", "run.on_violation"}},
      {"DEADLOCK",
       "verdict",
       "Clients wait, and nothing can ever happen again: it is sure. The exit code is 1.",
       {},
       {"deadlock", "NO PROGRESS"}},
      {"NO PROGRESS",
       "verdict",
       "Every live client waited for one lock through the whole measured window, and something "
       "could still happen: a lock whose clients poll for ever, or one whose cycle takes longer "
       "than the window, which a longer run.duration tells. The exit code is 1.",
       {},
       {"DEADLOCK", "starved"}},
      {"known",
       "verdict",
       "Beside another verdict: the scenario says that this is no news, and why (its key `known`); "
       "the exit code is not 1 because of it.",
       {},
       {"known.verdict"}},
      {"unchecked",
       "verdict",
       "Nothing went wrong, but nobody watched mutual exclusion.",
       {},
       {"run.guard"}},
      {"client-bound",
       "verdict",
       "The cores that clients share (`platform.cores`), or on hardware a thread of theirs, had no "
       "time left: the point measures them, and a faster lock would not show. It is no winner and "
       "joins no line.",
       {},
       {"client_cpu.utilisation", "platform.cores", "workers.busiest"}},
      {"cut sections",
       "verdict",
       "In more than 0.1% of the cycles a grant ended before the work of the section was done. "
       "Such "
       "a section counts in no goodput; the point is compared with no other and joins no line.",
       {},
       {"cut_sections", "goodput_ops_s"}},
      {"expired holds",
       "verdict",
       "A lock was granted while a client whose own grant had ended still used it: two clients "
       "used "
       "the lock at once. The holder did not keep to its grant (it stood still, or its clock is "
       "wrong), the lock kept its promise: no violation, and the exit code stays 0.",
       {},
       {"safety.expired_holds", "UNSAFE"}},
      {"late effects",
       "verdict",
       "A release, an upgrade or an extension of a grant that had ended was carried out after the "
       "lock had been given to another client. The exit code stays 0.",
       {},
       {"safety.late_effects", "expired holds"}},
      {"FAILED", "verdict",
       "The run of a repeat ended early, or its input was refused late. The "
       "message says why."},
      {"UNAVAILABLE",
       "verdict",
       "The backend lacks what the lock needs, such as masked atomics of 16 bytes, or the point is "
       "beyond a limit of the lock: clients, client nodes, locks, or locks that a section holds at "
       "once. The point does not run; the other points do. The exit code is 3.",
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
       "The share of the acquisitions that took at most the time on the x axis; the steeper, the "
       "more predictable.",
       {},
       {"acquire_ns", "open.count"}},
      {"Where the time goes",
       "figure",
       "The mean time of each phase, over all operations of a kind, or over those that waited.",
       {},
       {"phases_ns.write", "phases_waited_ns.write"}},
      {"Verbs per cycle",
       "figure",
       "What a cycle costs the network and the server, retries included.",
       {},
       {"reads", "atomics", "sends", "background_verbs_s"}},
      {"How busy the RNIC was",
       "figure",
       "The share of the window in which a part of the busiest server's RNIC was occupied.",
       {},
       {"nic busy", "hottest_slot", "atomic.window"}},
  };
}

// What becomes of a published figure, and what it is good for.
Topics score_topics() {
  return {
      {"off", "verdict of a figure",
       "Measured, and further from what was published than tolerated."},
      {"undecided", "verdict of a figure",
       "Nothing was measured, or the differences of an order are within their intervals."},
      {"regression", "use of a figure",
       "Not published, but what this model gave before: a miss ends with exit code 1."},
      {"inferred", "use of a figure",
       "The model's form was inferred from it, so that it confirms nothing: scored apart."},
      {"published", "status of a constant", "From a publication."},
      {"fitted", "status of a constant", "Adjusted until the model gives published measurements."},
      {"assumed", "status of a constant",
       "A guess within a range; conclusions that hang on it are weak (--sensitivity)."},
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
       "that must hold was missed. Expired holds and late effects are not violations: they are "
       "verdicts and warnings, and the exit code is 0.",
       {},
       {"UNSAFE", "DEADLOCK", "NO PROGRESS", "expired holds"}},
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
  for (const Topics& part : {column_topics(), verdict_topics(), figure_topics(), score_topics(),
                             check_topics(), fault_topics(), exit_topics()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace latchlab::tool
