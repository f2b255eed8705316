#include <fmt/format.h>

#include <algorithm>

#include "core/base/json.h"
#include "core/scenario/input_error.h"
#include "core/scenario/suggestions.h"
#include "tools/latchlab/explain/topics.h"
#include "tools/latchlab/list.h"
#include "tools/latchlab/load.h"

namespace latchlab::tool {

namespace {
constexpr std::size_t kColumns = 96;
constexpr std::size_t kMostInFull = 6;

// Words in lines, each after so many spaces.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column == 0 || column + 1 + (end - at) > kColumns) {
      out += (column == 0 ? "" : "\n") + std::string(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += text.substr(at, end - at);
    column += end - at;
    at = end + 1;
  }
  return out + "\n";
}

std::string told(const Topic& topic) {
  std::string text = fmt::format("{} ({})\n", topic.name, topic.group) + wrapped(topic.says, 2);
  for (const auto& [name, value] : topic.facts) text += wrapped(name + ": " + value, 4);
  if (!topic.see.empty()) text += wrapped("see: " + joined(topic.see), 4);
  return text;
}

Json as_json(const Topics& topics) {
  Json all = Json::array();
  for (const Topic& topic : topics) {
    Json facts = Json::object();
    for (const auto& [name, value] : topic.facts) facts[name] = value;
    all.push_back({{"name", topic.name},
                   {"group", topic.group},
                   {"says", topic.says},
                   {"facts", facts},
                   {"see", topic.see}});
  }
  return all;
}

std::string contents(const Topics& topics) {
  std::string text;
  for (std::size_t i = 0; i < topics.size();) {
    std::vector<std::string> names;
    const std::string& group = topics[i].group;
    std::size_t end = i;
    for (; end < topics.size() && topics[end].group == group; ++end)
      if (names.empty() || names.back() != topics[end].name) names.push_back(topics[end].name);
    text += group + ":\n" + wrapped(joined(names), 2);
    i = end;
  }
  return text + "\nlatchlab explain NAME explains one of them.\n";
}

Error unknown(const Topics& topics, const std::string& name) {
  std::vector<std::string> names;
  for (const Topic& topic : topics) {
    names.push_back(topic.name);
    const std::size_t dot = topic.name.rfind('.');
    if (dot != std::string::npos) names.push_back(topic.name.substr(dot + 1));
  }
  const std::string near = nearest(name, names);
  return {fmt::format("there is nothing called {} to explain; {}", latchlab::in_quotes(name),
                      near.empty() ? "latchlab explain lists what there is"
                                   : "did you mean " + latchlab::in_quotes(near) + "?"),
          {}};
}

}  // namespace

int explain(const ExplainArguments& arguments) {
  if (arguments.glossary) {
    fmt::print("{}", glossary_page());
    return kFine;
  }
  const Result<NicModel> nic = load_nic(arguments.nic, ".", data_dirs(arguments.data));
  if (!nic) return complain(nic.error());
  const Topics topics = all_topics(nic.value());
  const bool all = arguments.name.empty();
  const Topics found = all ? topics : find_topics(topics, arguments.name);
  if (found.empty()) return complain(unknown(topics, arguments.name));
  if (arguments.json) {
    fmt::print("{}\n", dump_json(as_json(found), 1));
  } else if (all) {
    fmt::print("{}", contents(topics));
  } else {
    for (std::size_t i = 0; i < found.size(); ++i)
      fmt::print("{}{}", i == 0 ? "" : "\n",
                 found.size() <= kMostInFull
                     ? told(found[i])
                     : fmt::format("{} ({})\n", found[i].name, found[i].group) +
                           wrapped(found[i].says, 2));
  }
  return kFine;
}

// Terms of the field as this project uses them.

namespace {

constexpr std::pair<const char*, const char*> kTerms[] = {
    {"acquisition", "One successful call of acquire, from the call to the grant."},
    {"artifact",
     "In ShiftLock's experiments: the code that was published with the paper, unchanged. The "
     "code and the paper differ, and neither says which of the two was measured "
     "(scenarios/papers/shiftlock/README.md)."},
    {"atomic",
     "A verb that reads and changes one word of remote memory in one step: CAS, FAA and their "
     "masked forms. It is atomic with respect to the verbs of the same NIC; with respect to the "
     "server's CPU only if the NIC says so."},
    {"backoff",
     "A pause between attempts that grows while attempts fail, so that fewer verbs are wasted "
     "on a contended lock."},
    {"batch", "Several verbs posted with one doorbell on one QP."},
    {"bypass",
     "A client acquires a lock before another client whose conflicting request took effect "
     "earlier."},
    {"calibration",
     "Fitting constants of a NIC model to published measurements. Agreement with these "
     "measurements says nothing about how well the model predicts."},
    {"CAS",
     "Compare-and-swap: writes a new value if the word has the expected value, and returns the "
     "previous value."},
    {"closed loop",
     "Each client begins its next cycle when its previous cycle has ended, so that the number "
     "of requests in the system never exceeds the number of clients."},
    {"cohort",
     "Clients of one node that hand a lock over to each other before it leaves the node."},
    {"conclusion of a run",
     "One sentence on the last configuration of the sweep: the lock with the highest goodput, "
     "locks "
     "whose goodput is the same within 1%, or why neither is certain."},
    {"confidence interval",
     "The range in which the mean over all possible seeds lies with 95% confidence, given how much "
     "repeats differ (Student's t). It needs three repeats or more; figures show it as bands and "
     "whiskers. With fewer, goodput has an interval from the parts of its windows, which does not "
     "show how much seeds differ. Of a ratio: the ratio is undecided if the interval contains 1. "
     "It "
     "says nothing about how well the model fits hardware."},
    {"CQ", "Completion queue: where an RNIC reports which verbs have completed."},
    {"crash",
     "The end of a client alone (its endpoint stays, and its messages are not read), of its "
     "process (messages and verbs to it fail), or of its node with all clients and memory."},
    {"critical section", "What a client does while it holds a lock."},
    {"cycle", "From a client's call of acquire to its next one: acquire, hold, release, think."},
    {"DC",
     "Dynamically connected transport: one queue reaches many targets, one after the other, "
     "instead of one connection for each target."},
    {"DCT", "The receiving end of DC, a target whose address fits in a lock word."},
    {"doorbell", "The write by which a CPU tells its RNIC that verbs are posted."},
    {"DSLR",
     "Decentralised and starvation-free lock management with RDMA (SIGMOD 2018): a lock with "
     "tickets for readers and writers in one word."},
    {"emulated",
     "Of a verb: executed by other means, because the device or the model does not support it. "
     "Of a point: it used such verbs, or ran on a software device; it validates behaviour and "
     "says nothing about speed."},
    {"endpoint", "Where a client receives messages: a QP with posted RECVs."},
    {"exhausted",
     "Of a search: it examined every order of events within its bounds and cut none short."},
    {"extent",
     "The part of an object for which a lock is requested: consecutive units, or the whole "
     "object."},
    {"FAA", "Fetch-and-add: adds to a word and returns the previous value."},
    {"fence", "A verb with a fence waits until earlier READs and atomics of its QP have returned."},
    {"fingerprint of a run",
     "A hash of all events of the run; equal runs have equal fingerprints."},
    {"first effect",
     "Of a request: the first of its verbs that takes effect at the responder. From then on other "
     "clients can tell that it waits."},
    {"grant", "The right to use what a lock protects. A grant may expire at a set time."},
    {"handover",
     "The holder passes its lock directly to a waiting client, by a message or a write; the "
     "lock does not become free in between."},
    {"hot lock", "A lock that many clients want at the same time."},
    {"Kendall's tau", "How far two rankings agree: 1, the same order; -1, the reverse."},
    {"label", "The name of a series in tables and figures: a protocol with its parameters."},
    {"lease",
     "A bound on how long a client holds a lock; afterwards other clients may take the lock "
     "away."},
    {"masked atomics",
     "CAS and FAA on fields of a word, up to 16 bytes wide: bits outside of the mask are "
     "neither compared nor changed, and no carry crosses a field's border."},
    {"MCS",
     "A queue lock (Mellor-Crummey and Scott, 1991): each client waits for its predecessor, and "
     "one word stores the tail of the queue."},
    {"NIC model",
     "What the simulator assumes about an RNIC: constants with unit, source and status, in "
     "models/nics."},
    {"no-tries",
     "In ShiftLock's experiments: `artifact` without the two attempts before queueing, which "
     "contradict the paper's 2.01 atomics per cycle. This variant is used for calibration."},
    {"paired comparison",
     "Of two locks or runs, the differences between repeats with equal seeds: chance that both "
     "share cancels out."},
    {"placement", "Which server stores which lock."},
    {"point", "One combination of a sweep's values: a row of the table."},
    {"printed",
     "In ShiftLock's experiments: the algorithm as the paper prints it, which is the lock's "
     "profile `paper`. It reproduces the text of the paper, not its results: the printed "
     "ShiftLock can hang."},
    {"profile of a lock", "A named set of parameters, such as those of a paper or its artifact."},
    {"QP",
     "Queue pair: a connection's send and receive queues. The responder executes the verbs of "
     "one QP in order."},
    {"range lock",
     "A lock for parts of an object: extents that have no unit in common may be held at the "
     "same time. Examples are CITRON (FAST 2023), and an object divided into segments with a "
     "lock each."},
    {"RC", "Reliable connection: the transport for which one-sided verbs are defined."},
    {"recovery", "How a lock handles a holder that has disappeared."},
    {"RECV", "A buffer posted to receive one message. A message that finds no RECV causes RNR."},
    {"repaired",
     "In ShiftLock's experiments: the printed algorithm with one change for each way in which "
     "it fails."},
    {"repeat", "One run of a point with its own seed."},
    {"RNIC", "A network card that executes verbs on its host's memory without the host's CPU."},
    {"RNR",
     "Receiver not ready: a message found no RECV. It is sent again after a timer, and fails "
     "after a number of retries."},
    {"score", "How many of the published figures of a set-up are within their tolerance."},
    {"SEND", "A verb that carries a message to an endpoint, where it needs a RECV."},
    {"sensitivity",
     "Which constants of the model determine the order of the locks: each constant that is not "
     "published is set to both ends of its range (`latchlab run --sensitivity`)."},
    {"shared mode", "The mode in which several readers may hold a lock at the same time."},
    {"ShiftLock",
     "A lock with a queue of writers and with shared readers, over one 16-byte word (FAST 2025)."},
    {"slot",
     "The part of the RNIC that executes atomics one at a time. Atomics whose addresses agree "
     "in some bits share a slot."},
    {"small model",
     "Parameters that make rare paths (overflow, thresholds, leases) reachable in small runs, "
     "for searches of every order of events."},
    {"starvation", "A client waits without bound while other clients acquire the lock."},
    {"steady state",
     "The goodput neither rises nor falls any more. With run.warmup: auto the window begins there "
     "(by the rule MSER-5)."},
    {"sweep of a study", "The values that vary between points; their combinations are the points."},
    {"think time", "A client's pause between its release and its next acquisition."},
    {"ticket", "A number drawn on arrival; the lock is granted in the order of the numbers."},
    {"unit",
     "The smallest part of an object that a range lock distinguishes; in a file, a number of "
     "bytes (workload.files.unit)."},
    {"validation",
     "A published figure that was not used for calibration; it is compared with the prediction "
     "to show how accurate the model is."},
    {"verb", "One operation of an RNIC: READ, WRITE, an atomic, SEND."},
    {"warm-up",
     "Simulated time before the window. No cycle is counted in it; checks, bypasses and the "
     "engine's counts cover the whole run."},
    {"window",
     "The interval in which cycles are counted, by the time at which they end: [warmup, warmup "
     "+ duration). Of atomics: how many an RNIC admits at once (atomic.window)."},
    {"Zipf",
     "A distribution that draws the k-th most popular lock with a probability proportional to "
     "k^-theta; 0.99 is the customary skew."},
};

}  // namespace

Topics glossary_topics() {
  Topics topics;
  for (const auto& [name, says] : kTerms) topics.push_back({name, "term", says});
  return topics;
}

std::string glossary_page() {
  std::string page =
      "# Glossary\n\nGenerated by `latchlab explain --glossary`; do not edit. Terms of the field "
      "as this project uses\nthem. Metrics, constants, parameters and keys are explained by "
      "`latchlab explain NAME`; keys and\nconstants are also in [the scenario "
      "reference](scenario-reference.md), metrics in `latchlab list metrics`.\n";
  for (const auto& [name, says] : kTerms) page += fmt::format("\n**{}**: {}\n", name, says);
  return page;
}

}  // namespace latchlab::tool
