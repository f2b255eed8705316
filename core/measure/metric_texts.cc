// The texts of metric_docs().

#include "core/measure/metric_docs.h"

namespace latchlab {

const std::vector<MetricDoc>& metric_docs() {
  static const std::vector<MetricDoc> docs = {
      {"goodput_ops_s", "1/s", "goodput",
       "Cycles (acquire, hold, release, think) that ended inside the measured window, of all "
       "clients together, per simulated second. Without those whose section was cut at the end of "
       "its grant (cut_sections): these have not done their work.",
       "Higher is better. With zero hold and think time it is what the lock can take."},
      {"cycle_ns", "ns", "cycle",
       "Length of a cycle: from a client's call of acquire to its next one. A cycle counts where "
       "it ends, with its whole length. Where a section takes several locks, all of them are one "
       "cycle. In an open loop it runs from the arrival of the section.",
       "Lower is better; in a closed loop clients / mean cycle is the goodput, with what was cut."},
      {"acquire_ns", "ns", "acquire",
       "Time from the call of acquire until the lock is held, over acquisitions that ended inside "
       "the window, shared and exclusive alike; of a section with several locks each counts. An "
       "upgrade is no acquisition: its verbs count in the cycle, its time is in no histogram.",
       "Lower is better. The best possible is one round trip of the lock's atomic; p99 far above "
       "p50 means that some wait much longer than others."},
      {"acquire_read_ns", "ns", "acquire for reading", "As acquire_ns, of shared requests only.",
       "Lower is better."},
      {"acquire_write_ns", "ns", "acquire for writing",
       "As acquire_ns, of requests for exclusive and for update.", "Lower is better."},
      {"release_ns", "ns", "release",
       "Time from the call of release until it returns. A lock may let its successor go on earlier "
       "than that.",
       "Lower is better."},
      {"open.count", "1", "open cycles", "Cycles that were still open when the window ended."},
      {"open.age_mean_ns", "ns", "mean age of open cycles",
       "How long cycles that were open at the end of the window had lasted by then, on average.",
       "Far above the mean cycle it says that waiting requests are missing in the latencies."},
      {"open.age_max_ns", "ns", "oldest open cycle",
       "Age of the oldest cycle that was open at the end of the window.",
       "As long as the window or longer: somebody starved."},
      {"verbs_per_cycle.read", "1", "READs per cycle",
       "READs tagged with counted cycles, over counted cycles.", "Fewer load the server less."},
      {"verbs_per_cycle.write", "1", "WRITEs per cycle",
       "WRITEs tagged with counted cycles, over counted cycles.", "Fewer load the server less."},
      {"verbs_per_cycle.atomic", "1", "atomics per cycle",
       "Atomics (CAS, FAA and their masked forms) tagged with counted cycles, over counted cycles.",
       "2 is the least of a lock with one atomic to acquire and one to release; more are retries."},
      {"verbs_per_cycle.send", "1", "messages per cycle",
       "SENDs between clients tagged with counted cycles, over counted cycles.",
       "They do not load the lock's server: a handover by message takes work away from it."},
      {"verbs_per_cycle.call", "1", "calls per cycle",
       "Requests answered by a server's CPU, over counted cycles."},
      {"verbs_per_cycle_detail", "1", "verbs per cycle",
       "The same by verb and width: cas_8 are CAS of 8 bytes, masked_faa_16 masked FAA of 16 "
       "bytes, read_long READs beyond 16 bytes."},
      {"background_verbs_s", "1/s", "background verbs",
       "Verbs of node and server parts (leases, recovery, dispatch), which belong to no cycle, per "
       "simulated second."},
      {"retry_share", "share", "retries",
       "(CAS that did not match + READs that had to be repeated) / (atomics + READs that wait for "
       "something), over counted cycles.",
       "Near 0 is good. Near 1 the NIC is busy with verbs that achieve nothing."},
      {"retry_share_acquire", "share", "retries in acquire",
       "CAS that did not match / atomics, inside acquire alone.", "Near 0 is good."},
      {"phases_ns.read", "ns", "phases of reading",
       "Where the time of a shared acquisition goes: the mean of each phase over all of them, "
       "zeros "
       "included, so that the phases add up to the mean latency exactly. The phases are those of "
       "ShiftLock's Table 2."},
      {"phases_ns.write", "ns", "phases of writing", "The same of exclusive acquisitions."},
      {"phases_ns.release", "ns", "phases of releasing", "The same of releases."},
      {"phases_waited_ns.read", "ns", "phases of reading, of those who waited",
       "As phases_ns.read, over shared acquisitions that spent time in a phase other than IA and "
       "`other`: whose first atomic did not do. Some published tables print these alone.",
       "How many they are is waited_share.read."},
      {"phases_waited_ns.write", "ns", "phases of writing, of those who waited",
       "The same of exclusive acquisitions.", "How many they are is waited_share.write."},
      {"waited_share.read", "share", "readers who waited",
       "Shared acquisitions that waited, over all of them.",
       "Near 0 is good: most readers had the lock after one atomic."},
      {"waited_share.write", "share", "writers who waited", "The same of exclusive acquisitions."},
      {"server_nic.verbs_s", "1/s", "verbs at the server",
       "Verbs that the busiest server's RNIC has served in the window, per simulated second."},
      {"server_nic.utilisation.pipeline", "share", "nic busy",
       "How much of the window the inbound pipeline of the busiest server's RNIC was occupied.",
       "Near 1 the RNIC is what limits; a lock with fewer verbs per cycle then wins."},
      {"server_nic.utilisation.hottest_slot", "share", "hottest slot busy",
       "How much of the window the busiest atomic slot was held: atomics on one address (and on "
       "addresses that share its slot) take turns.",
       "Near 1 one lock word is what limits, however idle the RNIC is otherwise."},
      {"server_nic.utilisation.window", "share", "atomic window full",
       "How much of the time as many atomics were admitted as the RNIC takes at once; further "
       "ones then wait, whatever their address.",
       "Above 0 hot words slow cold ones down."},
      {"server_nic.utilisation.link", "share", "link busy",
       "How much of the window the busiest server's link was occupied by payloads."},
      {"server_nic.slot_wait_ns", "ns", "wait for a slot",
       "How long an atomic waited at the server before it got its slot, on average over atomics "
       "that took one."},
      {"server_cpu.utilisation", "share", "server cpu busy",
       "How much of the window the cores of the busiest server part were occupied by calls and "
       "what "
       "it computes. Null: the lock has no server part, or the run was on hardware.",
       "Near 1 the server's CPU is what limits: more cores (`platform.server_cpu.cores`), or a "
       "lock "
       "that leaves servers passive."},
      {"server_cpu.queue_ns", "ns", "wait for a server core",
       "How long a call that came in, or a handler that could go on, waited for a core of that "
       "server part, on average."},
      {"fairness.jain", "1", "jain",
       "Jain's index over the cycles that each client finished in the window, without those that "
       "were cut: (sum)^2 / (clients x sum of squares).",
       "1: all got the same; 1/clients: one got everything. Clients on different locks may differ "
       "without any being treated badly."},
      {"fairness.max_bypassed", "1", "most bypassed",
       "The most conflicting grants that any one acquisition saw given to requests whose first "
       "verb "
       "took effect after its own. Aborted tries and their retries are one acquisition, which ends "
       "when it is granted, when the client gives up at its deadline, or when it gives back what "
       "else it holds.",
       "0 is first come, first served; without a bound a client may starve."},
      {"safety.checks", "1", "checks",
       "Grants that were compared with all others: by the monitor, or, where nobody sees all "
       "clients, by guard words (`run.guard`). Null without either."},
      {"safety.violations", "1", "violations",
       "Times that two live clients were inside the validity of conflicting grants at once.",
       "Anything but 0 is a broken lock: the point is UNSAFE and the exit code 1."},
      {"safety.expired_holds", "1", "expired holds",
       "Grants given while an earlier holder was still inside, past its own validity: the holder's "
       "fault, not the lock's.",
       "0, unless clients stall, pause or crash. Guard words count here what they saw of locks on "
       "which somebody overstayed or died."},
      {"safety.late_effects", "1", "late effects",
       "Releases carried out after recovery had given the lock away.",
       "0, unless clients stall, pause or crash."},
      {"recoveries", "1", "recoveries",
       "How often a client repaired a lock whose holder had vanished, inside the window."},
      {"aborted_acquisitions", "1", "aborted acquisitions",
       "Acquisitions and upgrades inside the window that ended without the lock (recovered under "
       "the waiter, too many tickets). The client tries again, and its time goes on, or gives back "
       "what else it holds."},
      {"cut_sections", "1", "cut sections",
       "Cycles that ended inside the window and whose section was cut: a grant ended before the "
       "section's work was done, and no work goes on after it. They count in cycle_ns, in the "
       "verbs "
       "per cycle and in the law of the window, and in no goodput. Null: the run is of a version "
       "that did not tell them apart.",
       "0. Beyond 0.1% of the cycles the point is marked, and is compared with no other: use a "
       "longer lease, or shorter sections."},
      {"shared_as_exclusive", "1", "reads taken exclusively",
       "Shared requests that a lock without shared mode has granted exclusively.",
       "Above 0 readers exclude each other: compare such a lock's reads with care."},
      {"stationary", "1", "second half over first",
       "Goodput of the window's second half over that of its first.",
       "Within 5% of 1 the run was warm; else lengthen run.warmup or run.duration."},
      {"window.warmup_ns", "ns", "warm-up",
       "Simulated time before the measured window: run.warmup, or what was found with auto."},
      {"window.settled", "1", "settled",
       "1, or 0 where the two halves of the window differ by more than 5% and more than chance "
       "makes "
       "of it (the 95% interval of the difference, from twenty parts of the window), or where "
       "nothing was counted.",
       "At 0 the goodput tells of a transient: it is compared with nothing."},
      {"window.batches", "1/s", "goodput by part",
       "The goodput of each of twenty parts of the window, in order; in results.json, per repeat."},
      {"engine.verbs", "1", "verbs simulated", "Verbs posted in the whole run, warm-up included."},
      {"engine.events", "1", "events simulated", "Events of the simulator in the whole run."},
      {"engine.simulated_s", "s", "simulated time", "How much time the run has simulated."},
      {"hottest_lock.acquire_ns", "ns", "acquire the hottest lock",
       "As acquire_ns, of the most popular lock alone. There if run.hottest_lock asks for it.",
       "Lower is better; against acquire_ns it says what skew costs those who meet at one lock."},
      {"update_as_exclusive", "1", "updates taken exclusively",
       "Requests for update that a lock without update mode has granted exclusively. There if "
       "workload.update_ratio is above 0, or a script asks for update."},
      {"ranges_as_whole", "1", "ranges taken whole",
       "Requests for a part of an object that a lock without ranges has granted as the whole. "
       "There if workload.kind is range or file_io.",
       "Above 0 ranges that have nothing in common exclude each other: compare such a lock with "
       "care."},
      {"aborted_share", "share", "share of aborted tries",
       "aborted_acquisitions over these and the ranges of the counted cycles: how often a try for "
       "a range ends without it (CITRON 4.7's abort rate). There if workload.kind is range or "
       "file_io.",
       "Lower is better: each is done again."},
      {"false_conflict_share", "share", "share of false conflicts",
       "Ranges for which a client has waited though nobody who asked for units of them, in a mode "
       "that excludes its own, wanted or had them meanwhile, over all ranges (CITRON 3.5.1). There "
       "if workload.kind is range or file_io; null: nobody saw all clients.",
       "Lower is better: the lock takes more than it is asked for, or has others behind one who "
       "waits."},
      {"client_cpu.utilisation", "share", "client cpu busy",
       "How much of the window the cores that clients share were busy, on average over the cores. "
       "There if platform.cores is set; null: the run was on hardware.",
       "At 98% and above the point is `client-bound`: faster locks would not show."},
      {"workers.busy", "share", "workers busy",
       "How much of the window each thread of clients and servers spent in turns of its loop that "
       "did something, or waiting for a core that others had, node by node; the rest it polled in "
       "vain. There on hardware, and so below; this in results.json alone."},
      {"workers.turn_max_ns", "ns", "longest turns",
       "From one look at its completion queue to the next: the longest such turn of each thread in "
       "the window, sleeps without clients left out. In results.json alone."},
      {"workers.busiest", "share", "busiest worker",
       "workers.busy of the busiest thread that has clients.",
       "At 90% and above the point is `client-bound`: its CPU, not the RNIC or the lock, was "
       "measured. Add --workers, or have fewer clients on a node."},
      {"workers.longest_turn_ns", "ns", "longest turn",
       "The longest turn of all threads in the window: what came meanwhile waited so long to be "
       "seen.",
       "Far above the tails that are measured, or those are the thread's and not the lock's; "
       "milliseconds say that others had its core."},
      {"clocks.start_skew_ns", "ns", "start skew",
       "How far apart the processes of the run began, the first from the last, as their clocks "
       "say.",
       "Small against the warm-up and the window, or these are not the same time everywhere."},
      {"clocks.error_ns", "ns", "clock error",
       "How wrong dates of two processes may be against each other: half the shortest of many "
       "round trips between each and the first node, of the two worst. 0: one machine, one "
       "clock."},
      {"transaction_ns", "ns", "transaction",
       "From a transaction's first acquire call to the end of its work, tries that were given back "
       "included and releases not. There if workload.kind is transactions or trace, and so below."},
      {"commits_s", "1/s", "commits",
       "Transactions that did their work while all that they held was theirs, per simulated second "
       "of the window."},
      {"aborts_s", "1/s", "aborts",
       "Transactions that gave back what they held before their work, to start over or for good, "
       "or whose work outlasted a lease, which ends them, per simulated second of the window.",
       "Lower is better: what was done until then is done again."},
      {"open_loop.offered_s", "1/s", "offered load",
       "Sections that arrived in the window, per simulated second. There in an open loop, and so "
       "below.",
       "The goodput of a load that is carried is the same."},
      {"open_loop.backlog_max", "1", "longest queue",
       "The most sections that waited for one client at once, in the whole run."},
      {"open_loop.carried", "1", "carried",
       "1, or 0 where on average more arrivals waited in the second half of the window than in "
       "the first: by more than 2% of those that arrived in half the window, and three times the "
       "square root of their number, which is what chance makes of it.",
       "At 0 the queues grow, and latencies say how long the run was."},
      {"group_goodput_ops_s", "1/s", "goodput of groups",
       "The goodput of each group of clients; together they are goodput_ops_s. There if the "
       "scenario has groups."},
      {"series.goodput_ops_s", "1/s", "goodput by interval",
       "The goodput of each interval of the window, in order. There if run.series asks for it, in "
       "results.json alone.",
       "A ramp says that the run was not warm; a dip shows a fault and how long it lasts."},
      {"series.acquire_ns", "ns", "acquire by interval",
       "The mean acquisition among those that ended in each interval; null: none did."},
      {"window_law", "ps", "law of the window",
       "The integers of an exact identity that every run must satisfy: counted lengths = clients x "
       "duration + ages at start - ages at end - idle."},
      {"fingerprint", "text", "fingerprint",
       "A hash of everything that happened (time, client, verb, address, operands, result, "
       "messages, grants, releases).",
       "Equal for equal scenario and seed, on every compiler and CPU."},
  };
  return docs;
}

const std::vector<MetricDoc>& phase_docs() {
  static const std::vector<MetricDoc> docs = {
      {"IA", "ns", "initial atomic",
       "The first atomic of an acquisition, or the atomic of a release."},
      {"RT", "ns", "retries", "Retries after the first atomic, pauses of the backoff included.",
       "Grows with contention in locks that spin; queues have next to none."},
      {"NP", "ns", "notify predecessor",
       "Sending the message that tells the predecessor who waits."},
      {"WP", "ns", "wait for predecessor", "Waiting for the predecessor to hand the lock over.",
       "Under contention this is the queue itself: it is spent off the server's RNIC."},
      {"WR", "ns", "wait for readers", "A writer waiting for earlier readers to leave."},
      {"WW", "ns", "wait for writers", "A reader waiting for writers."},
      {"NS", "ns", "notify successor",
       "A releaser waiting for its successor to show, and telling "
       "it."},
      {"other", "ns", "other", "What no other phase claims."},
  };
  return docs;
}

}  // namespace latchlab
