// Terms of the field as this project uses them.

#include <fmt/format.h>

#include "tools/latchlab/explain/topics.h"

namespace latchlab::tool {

namespace {

constexpr std::pair<const char*, const char*> kTerms[] = {
    {"acquisition", "One successful call of acquire, from the call to the grant."},
    {"artifact",
     "Of ShiftLock's experiments: the code that was published with the paper, as it is. It and the "
     "paper differ, and neither says which was measured (scenarios/papers/shiftlock/README.md)."},
    {"atomic",
     "A verb that reads and changes one word of remote memory in a single step: CAS, FAA "
     "and their masked forms. Atomic among verbs of one NIC; against the server's CPU "
     "only where the NIC says so."},
    {"backoff",
     "A pause between tries that grows while tries fail, so that fewer verbs are wasted "
     "when a lock is contended."},
    {"batch", "Several verbs posted with one doorbell on one QP."},
    {"bypass",
     "A client gets a lock before another one whose request took effect earlier and "
     "conflicts with it."},
    {"calibration",
     "Fitting constants of a NIC model to published measurements. Figures used for "
     "it say nothing about how well the model predicts."},
    {"CAS",
     "Compare-and-swap: writes a new value if the word holds the expected one, and returns "
     "what it held."},
    {"closed loop",
     "Each client begins its next cycle when the last one is over, so that the "
     "number of requests in the system never exceeds the number of clients."},
    {"confidence interval",
     "Where the mean over all possible seeds lies, with 95% confidence, from three repeats or "
     "more: the bands and whiskers of figures. It says nothing about how well the model fits."},
    {"cohort", "Clients of one node that pass a lock among themselves before it leaves the node."},
    {"CQ", "Completion queue: where an RNIC reports that verbs are done."},
    {"critical section", "What a client does while it holds a lock."},
    {"cycle", "From a client's call of acquire to its next one: acquire, hold, release, think."},
    {"DC",
     "Dynamically connected transport: one queue that turns from target to target, instead "
     "of a connection for each."},
    {"DCT", "The receiving end of DC, a target whose address fits in a lock word."},
    {"doorbell", "The write by which a CPU tells its RNIC that there is work."},
    {"DSLR",
     "Decentralised and starvation-free lock management with RDMA (SIGMOD 2018): tickets "
     "for readers and writers in one word."},
    {"emulated",
     "Of a verb: done by other means, because the device or model lacks it. Of a point: it used "
     "such "
     "verbs, or ran on a device that is software; it validates behaviour, never speed."},
    {"exhausted",
     "Of a search: every order of events within its bounds was looked at, nothing was "
     "cut."},
    {"FAA", "Fetch-and-add: adds to a word and returns what it held."},
    {"extent", "What of an object a lock is asked for: units in a row, or the whole."},
    {"fence", "A verb with a fence waits until earlier READs and atomics of its QP have returned."},
    {"finding", "One sentence on a run, of the last surroundings of its sweep."},
    {"fingerprint of a run", "A hash of all that happened in it; equal runs have equal ones."},
    {"grant", "The right to use what a lock guards, perhaps until a date."},
    {"handover",
     "A holder gives its lock to a waiting client directly, by a message or a write, "
     "without the lock becoming free."},
    {"hot lock", "A lock that many clients want at the same time."},
    {"label", "Names a series in tables and figures: a protocol with its parameters."},
    {"lease", "A bound on how long a lock is held, after which others may take it away."},
    {"masked atomics",
     "CAS and FAA on fields of a word, up to 16 bytes wide: bits outside of the "
     "mask are neither compared nor changed, and no carry crosses a field's "
     "border."},
    {"MCS",
     "A queue lock (Mellor-Crummey and Scott, 1991): each client waits for its predecessor, "
     "and one word holds the tail of the queue."},
    {"NIC model",
     "What is believed about an RNIC: constants with unit, source and status, in "
     "models/nics."},
    {"no-tries",
     "Of ShiftLock's experiments: `artifact` without the two tries before queueing, with which the "
     "paper's 2.01 atomics per cycle cannot be; it is the one that is calibrated."},
    {"placement", "Which server holds which lock."},
    {"point", "One combination of a sweep's values: a row of the table."},
    {"printed",
     "Of ShiftLock's experiments: the algorithm as the paper prints it, the profile `paper` of the "
     "lock. The words of the paper, not its results: the printed ShiftLock can hang."},
    {"profile of a lock", "A named set of parameters, such as those of a paper or its artifact."},
    {"QP",
     "Queue pair: a connection's send and receive queues. Verbs of one QP are executed in "
     "order at the responder."},
    {"range lock",
     "A lock for parts of an object: extents that have no unit in common may be held at once. "
     "CITRON (FAST 2023) is one, and segments with a lock each are another."},
    {"RC", "Reliable connection: the transport in which one-sided verbs are defined."},
    {"recovery", "What a lock does about a holder that has vanished."},
    {"RECV", "A buffer posted for one message; without any, messages meet RNR."},
    {"repeat", "One run of a point with a seed of its own."},
    {"repaired",
     "Of ShiftLock's experiments: the printed algorithm with one change for each way in which it "
     "fails."},
    {"RNIC", "A network card that serves verbs on its host's memory without the host's CPU."},
    {"RNR",
     "Receiver not ready: a message found no RECV. It is sent again after a timer, and fails "
     "after some tries."},
    {"score", "How many of the published figures of a set-up are within their tolerance."},
    {"sensitivity",
     "On which constants of the model the order of locks hangs: each that is not published is set "
     "to both ends of its range (`latchlab run --sensitivity`)."},
    {"shared mode", "Several readers may hold the lock at once."},
    {"ShiftLock",
     "A queue lock of writers with shared readers, over one 16-byte word (FAST 2025)."},
    {"small model",
     "Parameters under which rare paths (overflow, thresholds, leases) are reached "
     "in small runs, for searches of every order of events."},
    {"slot",
     "Atomics whose addresses agree in some bits take turns, one at a time, in one slot of "
     "the RNIC."},
    {"starvation", "A client waits without bound while others get the lock."},
    {"sweep of a study", "The values that vary between points; their combinations are the points."},
    {"think time", "A client's pause between release and its next acquisition."},
    {"ticket", "A number drawn on arrival; the lock serves numbers in order."},
    {"unit",
     "The smallest part of an object that a range lock tells from others: of a file so many bytes "
     "(workload.files.unit)."},
    {"validation",
     "A published figure that was not used for calibration, and is compared to see "
     "what the model is worth."},
    {"verb", "One operation of an RNIC: READ, WRITE, an atomic, SEND."},
    {"warm-up", "Simulated time before the window, in which nothing is counted."},
    {"window",
     "The time in which cycles are counted, by where they end: [warmup, warmup + "
     "duration). Of atomics: how many an RNIC admits at once (atomic.window)."},
    {"Zipf",
     "A distribution in which the k-th most popular lock is drawn with a probability "
     "~ k^-theta; 0.99 is the customary skew."},
};

}  // namespace

Topics glossary_topics() {
  Topics topics;
  for (const auto& [name, says] : kTerms) topics.push_back({name, "term", says});
  return topics;
}

std::string glossary_page() {
  std::string page =
      "# Glossary\n\nWritten by `latchlab explain --glossary`; do not edit. Terms of the field as "
      "this project uses\nthem. Metrics, constants, parameters and keys: `latchlab explain NAME`, "
      "and\n[the scenario reference](scenario-reference.md).\n";
  for (const auto& [name, says] : kTerms) page += fmt::format("\n**{}**: {}\n", name, says);
  return page;
}

}  // namespace latchlab::tool
