// One row for each metric, in the order of results.json; declared in metrics.h, which says what a
// new metric needs.

#include "core/measure/partial_metrics.h"
#include "core/measure/statistics.h"

namespace latchlab {
namespace {

using M = RepeatMetrics;

// at<&M::open, &M::Open::count> is &metrics.open.count.
template <auto... members>
MetricField at(M& metrics) {
  return &(metrics.*....*members);
}

double per_second(std::uint64_t count, const PartialMetrics& all) {
  return static_cast<double>(count) /
         Duration{static_cast<std::int64_t>(all.law.duration_ps)}.seconds();
}

}  // namespace

const std::vector<Metric>& metric_table() {
  static const std::vector<Metric> table = {
      {"goodput_ops_s", "1/s", "goodput", Aggregation::mean, at<&M::goodput_ops_s>,
       "Cycles (acquire, hold, release, think) of all clients that ended inside the measured "
       "window, per simulated second. Cycles whose section was cut at the end of its grant "
       "(cut_sections) do not count, because their work was not done.",
       "Higher is better. With zero hold and think time it is the capacity of the lock."},
      {"cycle_ns", "ns", "cycle", Aggregation::pooled, at<&M::cycle>,
       "Length of a cycle: from a client's call of acquire to its next one. A cycle counts in the "
       "window in which it ends, with its full length. A section with several locks is one cycle. "
       "In an open loop a cycle starts at the arrival of the section.",
       "Lower is better; in a closed loop clients / mean cycle is the goodput plus the rate of cut "
       "cycles."},
      {"acquire_ns", "ns", "acquire", Aggregation::pooled, at<&M::acquire>,
       "Time from the call of acquire until the client holds the lock, over all acquisitions that "
       "ended inside the window, in any mode; in a section with several locks each acquisition "
       "counts. An upgrade is not an acquisition: its verbs count in the cycle, its time is in no "
       "histogram.",
       "Lower is better. The best possible is one round trip of the lock's atomic; p99 far above "
       "p50 means that some acquisitions wait much longer than most."},
      {"acquire_read_ns", "ns", "acquire for reading", Aggregation::pooled, at<&M::acquire_read>,
       "As acquire_ns, for shared requests only.",
       "Lower is better."},
      {"acquire_write_ns", "ns", "acquire for writing", Aggregation::pooled, at<&M::acquire_write>,
       "As acquire_ns, for requests in exclusive and update mode.", "Lower is better."},
      {"release_ns", "ns", "release", Aggregation::pooled, at<&M::release>,
       "Time from the call of release until it returns. The next client may hold the lock before "
       "that.",
       "Lower is better."},
      {"open.count", "1", "open cycles", Aggregation::sum, at<&M::open, &M::Open::count>,
       "Cycles that had not ended when the window ended."},
      {"open.age_mean_ns", "ns", "mean age of open cycles",
       Aggregation::mean, at<&M::open, &M::Open::age_mean_ns>,
       "Mean age, at the end of the window, of the cycles that were open then.",
       "A value far above the mean cycle means that the latencies lack requests that still wait."},
      {"open.age_max_ns", "ns", "oldest open cycle",
       Aggregation::greatest, at<&M::open, &M::Open::age_max_ns>,
       "Age, at the end of the window, of the oldest cycle that was open then.",
       "At or above the length of the window, at least one client starved."},
      {"verbs_per_cycle.read", "1", "READs per cycle",
       Aggregation::mean, at<&M::verbs_per_cycle, &M::VerbsPerCycle::read>,
       "READs of counted cycles, divided by counted cycles.",
       "Lower is better: fewer verbs load the server less."},
      {"verbs_per_cycle.write", "1", "WRITEs per cycle",
       Aggregation::mean, at<&M::verbs_per_cycle, &M::VerbsPerCycle::write>,
       "WRITEs of counted cycles, divided by counted cycles.",
       "Lower is better: fewer verbs load the server less."},
      {"verbs_per_cycle.atomic", "1", "atomics per cycle",
       Aggregation::mean, at<&M::verbs_per_cycle, &M::VerbsPerCycle::atomic>,
       "Atomics (CAS, FAA and their masked forms) of counted cycles, divided by counted cycles.",
       "2 is the minimum of a lock with one atomic to acquire and one to release; more are "
       "retries."},
      {"verbs_per_cycle.send", "1", "messages per cycle",
       Aggregation::mean, at<&M::verbs_per_cycle, &M::VerbsPerCycle::send>,
       "SENDs between clients in counted cycles, divided by counted cycles.",
       "Messages do not load the lock's server: a handover by message reduces the server's load."},
      {"verbs_per_cycle.call", "1", "calls per cycle",
       Aggregation::mean, at<&M::verbs_per_cycle, &M::VerbsPerCycle::call>,
       "Requests that a server's CPU answered in counted cycles, divided by counted cycles."},
      {"verbs_per_cycle_detail", "1", "verbs per cycle",
       Aggregation::mean, at<&M::verbs_per_cycle_detail>,
       "Verbs per cycle by verb and width: cas_8 are CAS of 8 bytes, masked_faa_16 masked FAA of "
       "16 bytes, read_long READs of more than 16 bytes."},
      {"verbs_per_acquire.read", "1", "READs per acquisition",
       Aggregation::mean, at<&M::verbs_per_acquire, &M::VerbsPerAcquire::read>,
       "READs between the call of acquire and the grant, divided by the acquisitions that ended in "
       "the window. Verbs of aborted attempts that the client repeated are in it; those of "
       "releases and of the data that the lock guards are not. The same holds for the next "
       "metrics.",
       "Lower is better: fewer verbs load the server less.", MetricOf::always,
       [](const PartialMetrics& all, M& m) {
         m.verbs_per_acquire.read = ratio(all.reads_in_acquire, m.acquire.count());
       }},
      {"verbs_per_acquire.poll", "1", "polls per acquisition",
       Aggregation::mean, at<&M::verbs_per_acquire, &M::VerbsPerAcquire::poll>,
       "Those of verbs_per_acquire.read with which a client waited for a value, the last one "
       "included.",
       "Lower is better: a lock that hands over by message needs none.", MetricOf::always,
       [](const PartialMetrics& all, M& m) {
         m.verbs_per_acquire.poll = ratio(all.polls_in_acquire, m.acquire.count());
       }},
      {"verbs_per_acquire.write", "1", "WRITEs per acquisition",
       Aggregation::mean, at<&M::verbs_per_acquire, &M::VerbsPerAcquire::write>,
       "As verbs_per_acquire.read, for WRITEs.",
       "Lower is better: fewer verbs load the server less.", MetricOf::always,
       [](const PartialMetrics& all, M& m) {
         m.verbs_per_acquire.write = ratio(all.writes_in_acquire, m.acquire.count());
       }},
      {"verbs_per_acquire.atomic", "1", "atomics per acquisition",
       Aggregation::mean, at<&M::verbs_per_acquire, &M::VerbsPerAcquire::atomic>,
       "As verbs_per_acquire.read, for atomics (CAS, FAA and their masked forms).",
       "1 is the minimum of a lock that is acquired by an atomic; more are retries.",
       MetricOf::always,
       [](const PartialMetrics& all, M& m) {
         m.verbs_per_acquire.atomic = ratio(all.atomics_in_acquire, m.acquire.count());
       }},
      {"verbs_per_acquire.operation", "1", "operations per acquisition",
       Aggregation::mean, at<&M::verbs_per_acquire, &M::VerbsPerAcquire::operation>,
       "Atomics, WRITEs and polls of acquisitions, divided by acquisitions: the count of DecLock's "
       "Figure 13 (right), as in the script of its authors' code. READs for which no client waits "
       "until a value appears, such as prefetches of a queue, are left out.",
       "Lower is better: more than the lock's minimum are retries.", MetricOf::always,
       [](const PartialMetrics& all, M& m) {
         m.verbs_per_acquire.operation =
             ratio(all.atomics_in_acquire + all.writes_in_acquire + all.polls_in_acquire,
                   m.acquire.count());
       }},
      {"rereads_per_release", "1", "re-READs per release",
       Aggregation::mean, at<&M::rereads_per_release>,
       "READs with which a client polled in release, divided by the releases that ended in the "
       "window. For cql and declock these are the READs that a release repeats because an entry of "
       "the queue has not been written yet (DecLock 6.4, Figure 15 left); the READ that each "
       "release makes, and prefetches of waiting clients, are not in it.",
       "Near 0 is good: releases find what they need at once.", MetricOf::always,
       [](const PartialMetrics& all, M& m) {
         m.rereads_per_release = ratio(all.polls_in_release, m.release.count());
       }},
      {"background_verbs_s", "1/s", "background verbs",
       Aggregation::mean, at<&M::background_verbs_s>,
       "Verbs of node and server parts (leases, recovery, dispatch) per simulated second; they "
       "belong to no cycle."},
      {"retry_share", "share", "retries", Aggregation::mean, at<&M::retry_share>,
       "(CASes that did not match + READs that had to be repeated) / (atomics + READs of waiting "
       "clients), over counted cycles.",
       "Near 0 is good. Near 1 the NIC spends most of its time on verbs without effect."},
      {"retry_share_acquire", "share", "retries in acquire",
       Aggregation::mean, at<&M::retry_share_acquire>,
       "CASes that did not match / atomics, in acquire only.", "Near 0 is good."},
      {"phases_ns.read", "ns", "phases of reading",
       Aggregation::mean, at<&M::phases, &M::Phases::read>,
       "Time of a shared acquisition by phase: the mean of each phase over all shared "
       "acquisitions, zeros included, so that the phases add up to the mean latency exactly. The "
       "phases are those of ShiftLock's Table 2."},
      {"phases_ns.write", "ns", "phases of writing",
       Aggregation::mean, at<&M::phases, &M::Phases::write>,
       "As phases_ns.read, for exclusive acquisitions."},
      {"phases_ns.release", "ns", "phases of releasing",
       Aggregation::mean, at<&M::phases, &M::Phases::release>,
       "As phases_ns.read, for releases."},
      {"phases_waited_ns.read", "ns", "phases of reads that waited",
       Aggregation::mean, at<&M::waited, &M::Waited::read>,
       "As phases_ns.read, over shared acquisitions that spent time in a phase other than IA and "
       "`other`: their first atomic did not suffice. Some published tables print only these.",
       "waited_share.read is their share."},
      {"phases_waited_ns.write", "ns", "phases of writes that waited",
       Aggregation::mean, at<&M::waited, &M::Waited::write>,
       "As phases_waited_ns.read, for exclusive acquisitions.",
       "waited_share.write is their share."},
      {"waited_share.read", "share", "reads that waited",
       Aggregation::mean, at<&M::waited, &M::Waited::share_of_reads>,
       "Share of the shared acquisitions that waited.",
       "Near 0 is good: most readers hold the lock after one atomic."},
      {"waited_share.write", "share", "writes that waited",
       Aggregation::mean, at<&M::waited, &M::Waited::share_of_writes>,
       "As waited_share.read, for exclusive acquisitions."},
      {"server_nic.verbs_s", "1/s", "verbs at the server",
       Aggregation::mean, at<&M::server_nic, &M::ServerNic::verbs_s>,
       "Verbs that the busiest server's RNIC served in the window, per simulated second."},
      {"server_nic.utilisation.pipeline", "share", "nic busy",
       Aggregation::mean, at<&M::server_nic, &M::ServerNic::pipeline>,
       "Share of the window in which the inbound pipeline of the busiest server's RNIC was "
       "occupied.",
       "Near 1 the RNIC is the bottleneck; a lock with fewer verbs per cycle then has more "
       "goodput."},
      {"server_nic.utilisation.hottest_slot", "share", "hottest slot busy",
       Aggregation::mean, at<&M::server_nic, &M::ServerNic::hottest_slot>,
       "Share of the window in which the busiest atomic slot was occupied; atomics on one address, "
       "and on addresses that share its slot, execute one at a time.",
       "Near 1 a single lock word is the bottleneck, even if the RNIC is otherwise idle."},
      {"server_nic.utilisation.window", "share", "atomic window full",
       Aggregation::mean, at<&M::server_nic, &M::ServerNic::window>,
       "Share of the time in which the RNIC had admitted as many atomics as it can; further ones "
       "then wait, whatever their address.",
       "Above 0, atomics on hot words delay atomics on other words."},
      {"server_nic.utilisation.link", "share", "link busy",
       Aggregation::mean, at<&M::server_nic, &M::ServerNic::link>,
       "Share of the window in which packets occupied the busier direction of the busiest server's "
       "link."},
      {"server_nic.slot_wait_ns", "ns", "wait for a slot",
       Aggregation::mean, at<&M::server_nic, &M::ServerNic::slot_wait_ns>,
       "Mean time that an atomic waited at the server for its slot, over atomics that used one."},
      {"server_cpu.utilisation", "share", "server cpu busy",
       Aggregation::mean, at<&M::server_cpu, &M::ServerCpu::utilisation>,
       "Share of the window in which calls, and the work of their handlers, occupied the cores of "
       "the busiest server part. Null: the lock has no server part, or the run was on hardware.",
       "Near 1 the server's CPU is the bottleneck: use more cores (`platform.server_cpu.cores`), "
       "or a lock without a server part."},
      {"server_cpu.queue_ns", "ns", "wait for a server core",
       Aggregation::mean, at<&M::server_cpu, &M::ServerCpu::queue_ns>,
       "Mean time that a call that had arrived, or a handler that could continue, waited for a "
       "core of that server part."},
      {"fairness.jain", "1", "jain", Aggregation::mean, at<&M::fairness, &M::Fairness::jain>,
       "Jain's index of the numbers of cycles that clients finished in the window, without cut "
       "ones: (sum)^2 / (clients x sum of squares).",
       "Higher is better. 1: all clients finished the same number; 1/clients: one client "
       "finished all of them. Clients of different locks may differ although each lock is fair."},
      {"fairness.max_bypassed", "1", "most bypassed",
       Aggregation::greatest, at<&M::fairness, &M::Fairness::max_bypassed>,
       "The largest number of conflicting grants that went, during one acquisition, to requests "
       "whose first verb took effect after that of the acquisition. Aborted attempts and their "
       "retries are one acquisition, which ends when it is granted, when the client gives up at "
       "its deadline, or when the client releases the other locks that it holds. Of the whole run, "
       "warm-up included.",
       "0 is first come, first served. A lock without a bound may starve a client."},
      {"safety.checks", "1", "checks", Aggregation::sum, at<&M::safety, &M::Safety::checks>,
       "Grants that were checked against all other grants: by the monitor, or, if no process sees "
       "all clients, by guard words (`run.guard`). Null without either."},
      {"safety.violations", "1", "violations",
       Aggregation::sum, at<&M::safety, &M::Safety::violations>,
       "How often two live clients had valid conflicting grants at the same time.",
       "Any value except 0 means that the lock is broken: the point is UNSAFE and the exit code is "
       "1."},
      {"safety.expired_holds", "1", "expired holds",
       Aggregation::sum, at<&M::safety, &M::Safety::expired_holds>,
       "Grants given while an earlier holder still used the lock after its own grant had expired. "
       "The holder caused this, not the lock.",
       "0, unless clients stall, pause or crash. Guard words count here the overlaps on locks on "
       "which a client held beyond its grant or died."},
      {"safety.late_effects", "1", "late effects",
       Aggregation::sum, at<&M::safety, &M::Safety::late_effects>,
       "Releases that took effect after recovery had granted the lock to another client.",
       "0, unless clients stall, pause or crash."},
      {"recoveries", "1", "recoveries", Aggregation::sum, at<&M::recoveries>,
       "How often clients recovered a lock whose holder had disappeared, inside the window.",
       "", MetricOf::always,
       [](const PartialMetrics& all, M& m) { m.recoveries = all.recoveries; }},
      {"recovery_ns", "ns", "recovery", Aggregation::pooled, at<&M::recovery>,
       "Duration of recoveries of a lock that ended inside the window: of cql and declock, from "
       "the atomic that set the reset ID in the header until the header was free again. The wait "
       "before it, for example for a timeout, is not in it; nor is the wait for all nodes after a "
       "server has returned. Empty for locks that do not report it.",
       "Lower is better: the lock cannot be acquired meanwhile.", MetricOf::always,
       [](const PartialMetrics& all, M& m) { m.recovery = all.recovery; }},
      {"aborted_acquisitions", "1", "aborted acquisitions",
       Aggregation::sum, at<&M::aborted_acquisitions>,
       "Acquisitions and upgrades inside the window that ended without the lock (for example "
       "because it was recovered while the client waited, or had too many tickets). The client "
       "retries, and the time of the acquisition continues, or it releases the other locks that it "
       "holds.",
       "", MetricOf::always,
       [](const PartialMetrics& all, M& m) { m.aborted_acquisitions = all.aborted; }},
      {"cut_sections", "1", "cut sections", Aggregation::sum, at<&M::cut_sections>,
       "Cycles that ended inside the window and whose section was cut: a grant ended before the "
       "section's work was done, and the work stops there. They count in cycle_ns, in the verbs "
       "per cycle and in the law of the window, but not in goodput. Null: an older version, which "
       "did not distinguish them, wrote the result.",
       "0 is good. Above 0.1% of the cycles the point is marked and is not compared with others: "
       "use a longer lease, or shorter sections.", MetricOf::always,
       [](const PartialMetrics& all, M& m) { m.cut_sections = all.cut; }},
      {"shared_as_exclusive", "1", "reads taken exclusively",
       Aggregation::sum, at<&M::shared_as_exclusive>,
       "Shared requests that a lock without shared mode granted exclusively.",
       "Above 0 readers exclude each other: compare such a lock's reads with care.",
       MetricOf::always,
       [](const PartialMetrics& all, M& m) { m.shared_as_exclusive = all.shared_as_exclusive; }},
      {"stationary", "1", "second half over first", Aggregation::mean, at<&M::stationary>,
       "Goodput of the window's second half divided by that of its first half.",
       "Within 5% of 1 the run was in steady state; otherwise increase run.warmup or "
       "run.duration."},
      {"window.warmup_ns", "ns", "warm-up",
       Aggregation::mean, at<&M::window, &M::Window::warmup_ns>,
       "Simulated time before the measured window: run.warmup, or the time that auto found."},
      {"window.settled", "1", "settled", Aggregation::least, at<&M::window, &M::Window::settled>,
       "0 if the goodput of the window's two halves differs by more than 5% and by more than "
       "chance explains (the 95% confidence interval of the difference, from twenty parts of the "
       "window), or if no cycle was counted; 1 otherwise.",
       "At 0 the goodput is that of a transient; it is not compared."},
      {"window.batches", "1/s", "goodput by part",
       Aggregation::dropped, at<&M::window, &M::Window::batches>,
       "Goodput of each of twenty equal parts of the window, in order; in results.json, per "
       "repeat."},
      {"engine.verbs", "1", "verbs simulated", Aggregation::sum, at<&M::engine, &M::Engine::verbs>,
       "Verbs posted in the whole run, warm-up included."},
      {"engine.events", "1", "events simulated",
       Aggregation::sum, at<&M::engine, &M::Engine::events>,
       "Events of the simulator in the whole run."},
      {"engine.simulated_s", "s", "simulated time",
       Aggregation::sum, at<&M::engine, &M::Engine::simulated_s>,
       "Simulated time of the whole run."},
      {"hottest_lock.acquire_ns", "ns", "acquire the hottest lock",
       Aggregation::pooled, at<&M::hottest_lock, &M::HottestLock::acquire>,
       "As acquire_ns, for the most popular lock only. Present if run.hottest_lock is true.",
       "Lower is better; compared with acquire_ns it shows what skew costs the clients of the "
       "hottest lock."},
      {"update_as_exclusive", "1", "updates taken exclusively",
       Aggregation::sum, at<&M::update_as_exclusive>,
       "Requests for update that a lock without update mode granted exclusively. Present if "
       "workload.update_ratio is above 0, or a script has the mode update.",
       "", MetricOf::update_mode,
       [](const PartialMetrics& all, M& m) { m.update_as_exclusive = all.update_as_exclusive; }},
      {"ranges_as_whole", "1", "ranges taken whole", Aggregation::sum, at<&M::ranges_as_whole>,
       "Requests for a part of an object for which a lock without ranges granted the whole object. "
       "Present if workload.kind is range or file_io.",
       "Above 0, ranges that do not overlap exclude each other: compare such a lock with care.",
       MetricOf::ranges,
       [](const PartialMetrics& all, M& m) { m.ranges_as_whole = all.ranges_as_whole; }},
      {"aborted_share", "share", "share of aborted attempts", Aggregation::mean,
       at<&M::aborted_share>,
       "Attempts that were aborted in the window, divided by these plus the acquisitions that "
       "ended in it (the abort rate of CITRON 4.7). Present if workload.kind is range or file_io.",
       "Lower is better: each aborted attempt is repeated.", MetricOf::ranges,
       [](const PartialMetrics& all, M& m) {
         m.aborted_share = ratio(all.aborted, all.aborted + m.acquire.count());
       }},
      {"false_conflict_share", "share", "share of false conflicts",
       Aggregation::mean, at<&M::false_conflict_share>,
       "Share of the ranges for which a client waited although no other client wanted or held any "
       "of their units in a conflicting mode meanwhile (CITRON 3.5.1). Present if workload.kind is "
       "range or file_io; null: no process saw all clients.",
       "Lower is better: false conflicts arise if the lock acquires more units than requested, or "
       "queues requests behind one that waits.", MetricOf::ranges,
       [](const PartialMetrics& all, M& m) {
         m.false_conflict_share =
             all.saw_everything ? ratio(all.false_conflicts, m.acquire.count()) : std::nullopt;
       }},
      {"file_bytes_s", "B/s", "file bytes", Aggregation::mean, at<&M::file_bytes_s>,
       "Bytes of files that sections read or wrote, per simulated second: the length of each "
       "access whose section ended inside the window with its work done. Present if workload.kind "
       "is file_io, unless files have no data.",
       "Higher is better: it is the bandwidth of the program's I/O.", MetricOf::file_data,
       [](const PartialMetrics& all, M& m) { m.file_bytes_s = per_second(all.file_bytes, all); }},
      {"client_cpu.utilisation", "share", "client cpu busy", Aggregation::mean, at<&M::client_cpu>,
       "Share of the window in which the cores that clients share were busy, averaged over the "
       "cores. Present if platform.cores is set; null: the run was on hardware.",
       "At 98% and above the point is `client-bound`: it would not show a faster lock.",
       MetricOf::shared_cores,
       [](const PartialMetrics& all, M& m) { m.client_cpu = all.client_cpu; }},
      {"workers.busy", "share", "workers busy",
       Aggregation::dropped, at<&M::workers, &M::Workers::busy>,
       "Share of the window that each thread of clients and servers spent in loop iterations with "
       "work, or waiting for a core that another thread had, by node; in the rest its polls found "
       "nothing. This and the next metrics exist on hardware only; this one in results.json only."},
      {"workers.turn_max_ns", "ns", "longest turns",
       Aggregation::dropped, at<&M::workers, &M::Workers::turn_max_ns>,
       "Longest time between two polls of the completion queue, of each thread in the window, "
       "without sleeps in which it had no clients. In results.json only."},
      {"workers.busiest", "share", "busiest worker",
       Aggregation::mean, at<&M::workers, &M::Workers::busiest>,
       "workers.busy of the busiest client thread.",
       "At 90% and above the point is `client-bound`: it measures the thread's CPU, not the RNIC "
       "or the lock. Increase --workers, or use fewer clients per node."},
      {"workers.longest_turn_ns", "ns", "longest turn",
       Aggregation::greatest, at<&M::workers, &M::Workers::longest_turn_ns>,
       "The longest time between two polls, of all threads in the window: a completion may have "
       "waited that long before it was seen.",
       "It should be far below the measured tails; otherwise the tails are those of the thread, "
       "not of the lock. Milliseconds mean that another thread had its core."},
      {"clocks.start_skew_ns", "ns", "start skew",
       Aggregation::greatest, at<&M::clocks, &M::Clocks::start_skew_ns>,
       "Time between the first and the last start of the run's processes, by their clocks.",
       "It should be small against the warm-up and the window; otherwise these are not at the same "
       "time on all nodes."},
      {"clocks.error_ns", "ns", "clock error",
       Aggregation::greatest, at<&M::clocks, &M::Clocks::error_ns>,
       "Bound on the error when times of two processes are compared: half of the shortest of many "
       "round trips to the first node, added for the two worst processes. 0: all processes are on "
       "one machine and share a clock."},
      {"transaction_ns", "ns", "transaction",
       Aggregation::pooled, at<&M::transactions, &M::Transactions::length>,
       "Time from a transaction's first call of acquire to the end of its work, including aborted "
       "attempts, without the releases. This and the next metrics are present if workload.kind is "
       "transactions or trace.",
       "", MetricOf::transactions,
       [](const PartialMetrics& all, M& m) { m.transactions.length = all.transaction; }},
      {"commits_s", "1/s", "commits",
       Aggregation::mean, at<&M::transactions, &M::Transactions::commits_s>,
       "Transactions whose work was done while all their grants were valid, per simulated second "
       "of the window.",
       "Higher is better.", MetricOf::transactions,
       [](const PartialMetrics& all, M& m) {
         m.transactions.commits_s = per_second(all.transaction.count(), all);
       }},
      {"aborts_s", "1/s", "aborts",
       Aggregation::mean, at<&M::transactions, &M::Transactions::aborts_s>,
       "Transactions that released their locks before their work (to retry or to give up), whose "
       "work outlasted a lease, which ends them, or that failed without a release (`commits` of a "
       "fault), per simulated second of the window.",
       "Lower is better: a retry repeats what was done until then.", MetricOf::transactions,
       [](const PartialMetrics& all, M& m) {
         m.transactions.aborts_s = per_second(all.given_back, all);
       }},
      {"transaction_abort_share", "share", "share of aborted transactions",
       Aggregation::mean, at<&M::transactions, &M::Transactions::abort_share>,
       "aborts_s divided by aborts_s plus commits_s: how often an attempt at a transaction was "
       "aborted (DSLR 6.5 and A.6).",
       "Lower is better: an aborted attempt is repeated or lost.", MetricOf::transactions,
       [](const PartialMetrics& all, M& m) {
         m.transactions.abort_share =
             ratio(all.given_back, all.given_back + all.transaction.count());
       }},
      {"open_loop.offered_s", "1/s", "offered load",
       Aggregation::mean, at<&M::open_loop, &M::OpenLoop::offered_s>,
       "Sections that arrived in the window, per simulated second. This and the next metrics are "
       "present in an open loop.",
       "Goodput equals it if the lock carries the load.", MetricOf::open_loop,
       [](const PartialMetrics& all, M& m) {
         m.open_loop.offered_s = per_second(all.open_loop.offered, all);
       }},
      {"open_loop.backlog_max", "1", "longest backlog",
       Aggregation::greatest, at<&M::open_loop, &M::OpenLoop::backlog_max>,
       "The largest number of sections that waited for one client at once, in the whole run.",
       "", MetricOf::open_loop,
       [](const PartialMetrics& all, M& m) {
         m.open_loop.backlog_max = all.open_loop.backlog_max;
       }},
      {"open_loop.carried", "1", "carried",
       Aggregation::least, at<&M::open_loop, &M::OpenLoop::carried>,
       "0 if the mean number of waiting arrivals was higher in the second half of the window than "
       "in the first: by more than 2% of the arrivals in half a window, and by more than three "
       "times the square root of their number, which chance explains; 1 otherwise.",
       "At 0 the queues grow, and latencies depend on the length of the run.", MetricOf::open_loop,
       [](const PartialMetrics& all, M& m) {
         m.open_loop.carried = all.open_loop.carried(all.law.duration_ps) ? 1 : 0;
       }},
      {"group_goodput_ops_s", "1/s", "goodput of groups", Aggregation::mean, at<&M::group_goodput>,
       "Goodput of each group of clients; the sum is goodput_ops_s. Present if the scenario has "
       "groups, or if run.by_group is true.",
       "Higher is better."},
      {"group_cycle_ns", "ns", "cycle of groups", Aggregation::pooled, at<&M::group_cycles>,
       "As cycle_ns, for each group of clients (group_cycle_ns.readers.p99). Present if "
       "run.by_group is true.",
       "Lower is better."},
      {"group_verbs_per_cycle", "1", "verbs of groups", Aggregation::mean, at<&M::group_verbs>,
       "As verbs_per_cycle, for each group of clients (group_verbs_per_cycle.readers.atomic). "
       "Present if run.by_group is true.",
       "Lower is better."},
      {"series.goodput_ops_s", "1/s", "goodput by interval",
       Aggregation::dropped, at<&M::series, &M::Series::goodput_ops_s>,
       "Goodput of each interval of the window, in order. Present if run.series is set, in "
       "results.json only.",
       "A ramp means that the run was not in steady state; a dip shows a fault and its duration."},
      {"series.acquire_ns", "ns", "acquire by interval",
       Aggregation::dropped, at<&M::series, &M::Series::acquire_ns>,
       "Mean time of the acquisitions that ended in each interval; null: none did."},
      {"window_law", "ps", "law of the window", Aggregation::dropped, at<&M::window_law>,
       "The integers of an exact identity that every run must satisfy: counted lengths = clients x "
       "duration + ages at start - ages at end - idle."},
      {"fingerprint", "text", "fingerprint", Aggregation::combined, at<&M::fingerprint>,
       "A hash of all events of the run (time, client, verb, address, operands, result, messages, "
       "grants, releases).",
       "Equal for equal scenario and seed, on every compiler and CPU."},
  };
  return table;
}

}  // namespace latchlab
