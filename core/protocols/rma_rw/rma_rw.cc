// Assembles RMA-RW from its parts. rma_rw.h describes the lock.

#include "core/protocols/rma_rw/rma_rw.h"

#include "core/protocols/common/entry.h"
#include "core/protocols/message_names.h"
#include "core/protocols/rma_rw/client.h"

namespace latchlab {
namespace {

namespace rw = rma_rw;

class RmaRw final : public ProtocolOf<rw::Options, rw::Client>, public MessageNames {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& shape) const override {
    const std::uint64_t entry_bytes = tree() ? rw::kTailBytes : rw::kEntryBytes;
    return {.entry_bytes = entry_bytes,
            .entry_align = entry_bytes,
            .client_bytes = by_words() ? rw::kNodeBytes * options_.max_held : 0,
            .node_lock_bytes = tree() ? rw::Tree::bytes(options_, shape) : 0};
  }
  // ARRIVE counts readers up to the threshold, and beyond it at most one for each client.
  Limits limits() const override {
    return {.max_clients = (1ULL << 24) - 2, .held_at_once = options_.max_held};
  }
  std::vector<Capability> needs() const override {
    return {Capability::masked_atomics_8,
            by_words() ? Capability::local_words : Capability::reliable_messages};
  }
  // Writers queue as in MCS, whose waiters get the lock "in a first-in-first-out (FIFO) order"
  // (ShiftLock, FAST'25, 2.4): the order of their swaps, which are their first verbs. With `words`
  // they first store to their own queue nodes, in another order, and in a tree neighbours come
  // first. The thresholds bound the waits between readers and writers only on average (rma_rw.h).
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t /*acquisitions*/) const override {
    if (waiter == LockMode::shared || winner == LockMode::shared || by_words()) return std::nullopt;
    return 0;
  }
  // The tree's entry shows writers only: its readers are counted on client nodes.
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    if (tree()) return words[0] == 0;
    const rw::Counters counters = rw::unpack_counters(words[1]);
    return words[0] == 0 && !counters.writing() && counters.readers_in() == 0;  // counts remain
  }
  std::string_view message_name(std::uint64_t type) const override {
    return name_in({"Successor", "Turn"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    if (tree())
      return words[0] == 0 ? "no writers"
                           : "tail=element of client node " + std::to_string(words[0] - 1);
    const rw::Counters counters = rw::unpack_counters(words[1]);
    std::string text = counters.writing() ? "writers' mode" : "readers' mode";
    text += " ARRIVE=" + std::to_string(counters.arrive & ~rw::kWriteMode);
    text += " DEPART=" + std::to_string(counters.depart) + " tail=";
    if (words[0] == 0) return text + "none";
    if (by_words()) return text + rw::describe_node(words[0]);
    const EndpointAddr tail = EndpointAddr::unpack(words[0]);
    return text + std::to_string(tail.node.value) + ":" + std::to_string(tail.number);
  }

  static std::string contradiction(const Options& options) {
    if (options.form == rw::Form::flat) return {};
    if (options.notes == rw::Notes::messages)
      return "form is tree and notes is messages: elements have words and no endpoint; set notes "
             "to words";
    if (options.successor_at_grant)
      return "form is tree and successor_known is at_grant: grants do not know who comes next to "
             "their elements; set it to at_release";
    return {};
  }

 private:
  bool tree() const { return options_.form == rw::Form::tree; }
  bool by_words() const { return options_.notes == rw::Notes::words; }
};

}  // namespace

ProtocolEntry rma_rw_entry() {
  using rw::Options;
  return make_entry<RmaRw>(
      {.name = "rma_rw",
       .summary =
           "queue of writers and counter of readers; thresholds switch between the two modes",
       .source =
           "Schmid, Besta, Hoefler: High-Performance Distributed RMA Locks, HPDC 2016, also in the "
           "flat form of ShiftLock's artifact (reconstructed)",
       .shared_mode = true,
       .fairness = "writers first come, first served; thresholds between readers and writers",
       .handover = "a message to the next writer; readers poll",
       .costs = {.free_exclusive = {{4, 0, 0, 8}, {3, 0, 0, 6}},
                 .exclusive_after_exclusive = {{1, 1, 0, 1}, {0, 1, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .shared_after_exclusive = {{4, 0, 0, 6, true}, {3, 0, 0, 6}},
                 .exclusive_after_shared = {{4, 0, 0, 6, true}, {1, 0, 0, 2}}},
       .params =
           {{"form", &Options::form, "flat|tree",
             "flat: one counter and one queue, on the lock's server (ShiftLock artifact); tree: a "
             "counter for every clients_per_counter clients, and a queue for each group of nodes "
             "of the platform (HPDC'16)"},
            {"writer_threshold", &Options::writer_threshold, 1, 1LL << 40,
             "T_W: writers in a row before readers are admitted (ShiftLock artifact: 16); tree: "
             "writers of the root's queue, each of which holds the lock for its whole element"},
            {"reader_threshold", &Options::reader_threshold, 1, 1LL << 30,
             "T_R: readers admitted since the last reset of the counters, before it is a writer's "
             "turn (ShiftLock artifact: 4000)"},
            {"node_threshold", &Options::node_threshold, 0, 1LL << 40,
             "tree: T_L of nodes, how often the lock is handed over within a node before it goes "
             "up a level (a public copy of RMA-MCS: 50)"},
            {"group_threshold", &Options::group_threshold, 0, 1LL << 40,
             "tree: T_L of groups between nodes and root (assumed: as that of nodes)"},
            {"clients_per_counter", &Options::clients_per_counter, 1, 1LL << 24,
             "tree: T_DC, how many clients with consecutive numbers share a counter of readers, on "
             "the node of the first (assumed: 16, as many as ShiftLock runs on a node)"},
            {"notes", &Options::notes, "messages|words",
             "how writers notify each other: by SEND (ShiftLock artifact), or by WRITE to a word "
             "that the receiver polls (HPDC'16)"},
            {"reader_barrier", &Options::barrier, "resettable|at_most|below",
             "until when a reader that was not admitted READs: at_most: until ARRIVE is at most "
             "T_R (ShiftLock artifact); below: until it is below T_R (our reading of HPDC'16: can "
             "hang); resettable: until it is below T_R or can be reset"},
            {"reader_reset", &Options::readers_subtract, "claimed|subtracted",
             "how a reader at T_R resets the counters: subtracted: it subtracts what it READ "
             "(ShiftLock artifact; two readers at once subtract it twice); claimed: it first swaps "
             "the departures for 0, and subtracts what it got"},
            {"successor_known", &Options::successor_at_grant, "at_release|at_grant",
             "a release hands over to a successor that has announced itself by then (HPDC'16), or "
             "that had when the lock was granted (ShiftLock artifact)"},
            {"intra_node_delay", &Options::intra_node_delay, Duration{}, milliseconds(1),
             "delay after receiving a message within a node (ShiftLock 4.1: 1 us; its artifact: "
             "none)"},
            {"max_held", &Options::max_held, 1, 1024,
             "how many locks one client may hold or wait for at once: two RECVs or a queue node "
             "for each"}},
       .profiles =
           {{"repaired", "the artifact, with a change for each counterexample"},
            {"artifact",
             "thustorage/shiftlock bb73bf4, its RMA-RW baseline",
             {{"reader_barrier", "at_most"},
              {"reader_reset", "subtracted"},
              {"successor_known", "at_grant"}}},
            {"hpdc16_flat",
             "HPDC'16 with one counter and one queue (reconstructed)",
             {{"notes", "words"}, {"reader_barrier", "below"}, {"reader_reset", "subtracted"}}},
            {"hpdc16",
             "HPDC'16 with counters and queues for each level of the machine (reconstructed)",
             {{"form", "tree"},
              {"notes", "words"},
              {"reader_barrier", "below"},
              {"reader_reset", "subtracted"}}},
            {"hpdc16_repaired",
             "hpdc16, with a change for each counterexample",
             {{"form", "tree"}, {"notes", "words"}}}},
       .printed = {"reader_barrier=at_most", "reader_barrier=below", "reader_reset=subtracted"},
       .small_model = {{"writer_threshold", 2},
                       {"reader_threshold", 2},
                       {"node_threshold", 1},
                       {"group_threshold", 1},
                       {"clients_per_counter", 1},
                       {"max_held", 1}},
       .contradiction = RmaRw::contradiction});
}

}  // namespace latchlab
