#include "core/protocols/citron/citron.h"

#include "core/protocols/citron/client.h"
#include "core/protocols/citron/metadata.h"
#include "core/protocols/citron/poller.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/dslr/protocol.h"
#include "core/protocols/message_names.h"

namespace latchlab {
namespace {

using namespace citron;

constexpr std::uint64_t kHeaderWords = 2;  // spillover mutex and maximizer

class Citron final : public ProtocolOf<Options, Client>, public MessageNames {
 public:
  explicit Citron(const Options& options) : ProtocolOf(options), mutex_(options) {}

  Layout layout(const Shape& /*shape*/) const override {
    Layout layout{.entry_bytes = 8 * (kHeaderWords + nodes_of_height(options_.height))};
    if (options_.tunes()) layout.node_endpoint = {2, Transport::rc_patient};
    return layout;
  }
  // A client may have notified one node for all nodes of its range. A counter tells apart one
  // request less than it has values. The pollers of nodes, at most one for each client, acquire the
  // mutex as well.
  Limits limits() const override {
    const std::uint64_t clients = options_.node.counter_ones() / options_.nodes;
    const std::uint64_t mutex = mutex_.limits().max_clients / (options_.polls() ? 2 : 1);
    return {.max_clients = std::min(clients, mutex),
            .rests_on_time = RestsOnTime::exclusion,
            .clients_alike = !options_.tunes()};
  }
  std::vector<Capability> needs() const override {
    std::vector<Capability> needed = {Capability::masked_atomics_8, Capability::timing};
    if (options_.scales()) {
      needed.push_back(Capability::calls);
      needed.push_back(Capability::allocate);
    }
    if (options_.polls()) needed.push_back(Capability::node_state);
    if (options_.recovers()) {
      needed.push_back(Capability::membership);
      needed.push_back(Capability::evict);
    }
    if (options_.tunes()) {
      needed.push_back(Capability::node_state);
      needed.push_back(Capability::reliable_messages);
    }
    return needed;
  }
  std::unique_ptr<NodePart> make_node(const NodeEnv& env) const override {
    if (options_.polls()) return std::make_unique<Poller>(options_, env);
    if (!options_.tunes()) return nullptr;
    return std::make_unique<Tuner>(options_, env);
  }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& env) const override {
    const bool needed = options_.scales() || options_.tunes() || options_.recovers();
    return needed ? make_server_part(options_, env) : nullptr;
  }
  // Counters keep their values, and the maximizer the right ends of ranges.
  bool is_free(RemoteAddr entry, std::span<const std::uint64_t> words) const override {
    if (!mutex_.is_free(entry, words.subspan(0, 1))) return false;
    const std::uint64_t internal = nodes_of_height(options_.height) - leaves();
    for (std::size_t i = kHeaderWords; i < words.size(); ++i) {
      const Node node = options_.node.unpack(words[i]);
      const bool leaf = i - kHeaderWords >= internal;
      const bool idle = node.occ == 0 && node.t_cnt == node.t_max && node.d_cnt == node.d_max;
      if (leaf ? words[i] != 0 : !idle) return false;
    }
    return true;
  }
  std::string_view message_name(std::uint64_t type) const override {
    return name_in({"Prepare", "Change", "Ready"}, type);
  }
  std::string_view request_name(std::uint64_t type) const override {
    return name_in({"NextChange", "Allocate", "Publish"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    std::string text = "spillover: " + mutex_.decode(words.subspan(0, 1)) +
                       ", maximizer: " + std::to_string(words[1]);
    const std::uint64_t internal = nodes_of_height(options_.height) - leaves();
    for (std::size_t i = kHeaderWords; i < words.size(); ++i)
      if (words[i] != 0)
        text += "; " + std::to_string(i - kHeaderWords + 1) + ": " +
                (i - kHeaderWords < internal ? internal_text(words[i]) : leaf_text(words[i]));
    return text;
  }

 private:
  std::uint64_t leaves() const { return std::uint64_t{1} << (2 * options_.height); }
  std::string internal_text(std::uint64_t word) const {
    const Node node = options_.node.unpack(word);
    return "Exp=" + std::to_string(node.exp) + " Occ=" + std::to_string(node.occ) +
           " TCnt=" + std::to_string(node.t_cnt) + " TMax=" + std::to_string(node.t_max) +
           " DCnt=" + std::to_string(node.d_cnt) + " DMax=" + std::to_string(node.d_max);
  }
  // The units of the leaf that are locked, counted from its first one.
  static std::string leaf_text(std::uint64_t word) {
    std::string text = "units";
    for (unsigned bit = 0; bit < 64; ++bit) {
      const bool begins = (word >> bit & 1) != 0 && (bit == 0 || (word >> (bit - 1) & 1) == 0);
      if (!begins) continue;
      unsigned end = bit;
      while (end < 63 && (word >> (end + 1) & 1) != 0) ++end;
      text += " " + std::to_string(bit) + (end > bit ? "-" + std::to_string(end) : "");
    }
    return text;
  }

  dslr::TicketLock<dslr::Options, dslr::Client> mutex_;
};

std::string contradiction(const Options& options) {
  if (options.height == 0 || TreeNode{0, options.height}.units() != options.units)
    return "units is " + std::to_string(options.units) +
           ", which a tree of 4 children a node and leaves of 64 units has not; use a power of "
           "four "
           "times 64, such as 256, 1024 or 2^28 = 268435456";
  if (options.meet >= 1U << options.exp_bits && options.expansion == Expansion::counted &&
      options.scales())
    return "a node counts as many expansions as it is in the top meet levels, " +
           std::to_string(options.meet) + " at most, and exp_bits is " +
           std::to_string(options.exp_bits) + "; raise exp_bits, or lower meet";
  if (options.scales() && options.tunes())
    return "scale_up_poll and tune_after are both set: who grows a tree tells ancestors as far "
           "apart "
           "as all other clients do, and that must stay as it is; remove one of them";
  return backoff_order_contradiction(options.backoff_first, options.backoff_bound);
}

// A verb that lands late: see `Survives` in citron.h.
Claims claims(const Options& options) {
  const Duration t_wait =
      options.tunes() ? std::min(options.t_wait, options.tune_t_wait) : options.t_wait;
  const Duration slow = slowest(t_wait, 5);
  if (!options.recovers()) {
    Claims claims = never_recovers();
    claims.ways_within = slow;
    return claims;
  }
  if (options.lease < std::max(options.t_wait, options.tune_t_wait) * 2)
    return claims_nothing("lease is so short that T_wait leaves nothing of it");
  Claims claims = recovers_by_leases(options.lease / 4);
  claims.ways_within = slow;
  claims.timeouts = std::int64_t{options.nodes} + 1;
  // A client that stalls for longer than its lease leaves what it has set, as one that died.
  claims.loses(Mishap::pause, Keeps::clean_end);
  claims.loses(Mishap::slow_client, Keeps::clean_end);
  // A scale-up that is cut short blocks the tree.
  for (const Mishap mishap :
       {Mishap::client_crash, Mishap::process_crash, Mishap::node_crash, Mishap::long_cut})
    if (options.scales()) claims.loses(mishap, Keeps::progress);
  return claims;
}

}  // namespace

ProtocolEntry citron_entry() {
  constexpr std::int64_t kMostUnits = std::int64_t{64} << (2 * kMostHeight);
  return make_entry<Citron>(
      {.name = "citron",
       .summary = "range lock: each tree node stands for a range; requests detect conflicts at "
                  "nodes between their own",
       .source = "CITRON (FAST'23) 3",
       .ranges = true,
       .fairness = "first come, first served at an inner node; smaller ranges precede larger ones",
       .handover = "waiters poll",
       .survives = "client crashes",
       .costs = {.free_exclusive = {{16, 0, 0, 4}, {4, 0, 0, 2}},
                 .exclusive_after_exclusive = {{16, 0, 0, 2, true}, {4, 0, 0, 2}}},
       .params =
           {{"units", &Options::units, 256, kMostUnits,
             "N, how many units the tree has initially: 64 times a power of four (4.1: 2^28)"},
            {"nodes", &Options::nodes, 1, kMostNodes,
             "k, the maximum number of nodes that cover a range (3.5.1)"},
            {"meet", &Options::meet, 1, kMostMeet,
             "m: a request notifies every m-th ancestor, and a request above reads the counters of "
             "m levels (3.5.5)"},
            {"t_wait", &Options::t_wait, nanoseconds(1), seconds(1),
             "T_wait: how long a request waits before it reads the counters that requests below "
             "increment (3.5.5)"},
            {"drift_ppm", &Options::drift_ppm, 0, 100'000,
             "bound on the rate error of a clock (3.2)"},
            {"split_time", &Options::split_time, Duration{}, microseconds(100),
             "CPU time to choose the nodes of a range that is not within one leaf (3.5.1: within "
             "0.5 us)"},
            {"batch_search", &Options::batch_search,
             "a request takes a node's ticket and READs the ancestors with one doorbell (3.8)"},
            {"batch_occupy", &Options::batch_occupy,
             "a request occupies a node and notifies its ancestors with one doorbell (3.8)"},
            {"lock_children", &Options::lock_children,
             "a request at a node just above leaves also sets the leaves' bits, and skips T_wait "
             "if all were 0 (3.8)"},
            {"leaf_tries", &Options::leaf_tries, 1, 1'000'000,
             "after so many failed attempts at a leaf, a request locks the parent instead (3.5.4; "
             "assumed)"},
            {"poll_pause", &Options::poll_pause, Duration{}, milliseconds(1),
             "pause between READs of a waiting request (the paper: none)"},
            {"scale_up_poll", &Options::scale_up_poll, Duration{}, seconds(10),
             "least time between two checks of whether the tree must grow; 0: no check (4.5: 10 "
             "ms)"},
            {"scale_up_by", &Options::scale_up_by, "clients|poller",
             "what checks, and makes the tree larger: clients: each client, after a release; "
             "poller: one background thread on each client node (4.5)"},
            {"scale_up_levels", &Options::scale_up_levels, 1, 8,
             "the least number of levels by which the tree grows (3.9: one, or more)"},
            {"allocation_time", &Options::allocation_time, Duration{}, seconds(1),
             "CPU time of the server to allocate memory when a tree grows (assumed)"},
            {"propagation", &Options::propagation, "batched|one_by_one",
             "verbs of a scale-up: 16 with one doorbell, or one after the other as Algorithm 4 "
             "reads"},
            {"tune_after", &Options::tune_after, Duration{}, seconds(1000),
             "when the cluster manager changes m and T_wait (3.5.5); 0: never"},
            {"tune_meet", &Options::tune_meet, 1, kMostMeet, "m from the time tune_after on"},
            {"tune_t_wait", &Options::tune_t_wait, nanoseconds(1), seconds(1),
             "T_wait from the time tune_after on"},
            {"lease", &Options::lease, Duration{}, seconds(60),
             "T_lease, the longest hold of a range; 0: no client is treated as dead (3.10)"},
            {"occupy", &Options::occupy, "cas|faa",
             "how Occ is set: cas: only while the ticket is still the one that is served; faa: "
             "unconditionally (as printed)"},
            {"reread", &Options::reread, "all|above",
             "which ancestors are READ again after a wait: all, or only those above the one waited "
             "for (as printed)"},
            {"patience", &Options::patience, "levels|one_lease",
             "when a stalled client is treated as dead: levels: after a lease for each level of "
             "its node and one more; one_lease: after one lease (as printed)"},
            {"fallback", &Options::fallback, "cover|node",
             "what a parent that is locked instead of a leaf replaces: cover: all nodes of the "
             "range below it; node: that leaf (as printed)"},
            {"between_nodes", &Options::between_nodes, "pass|wait",
             "whether a request that holds one of its nodes waits for an ancestor whose own "
             "request waits for that node: pass: no; wait: yes (as printed)"},
            {"expansion", &Options::expansion, "counted|flag",
             "what Exp is compared with: counted: the number of expansions of the tree that the "
             "client knows; flag: 0 (as printed)"},
            {"out_of_bounds", &Options::out_of_bounds, "looked_at|trusted",
             "whether a request for units beyond the tree READs the root after its wait, to see "
             "whether the tree has grown (looked_at), or does not (trusted)"},
            {"acknowledge", &Options::acknowledge, "when_out|at_once",
             "when a client node acknowledges a change of m: when_out: when none of its clients "
             "uses the old values alone; at_once: immediately (as printed)"},
            {"too_late", &Options::too_late, "pauses|at_once",
             "what a request that notified its ancestors too late does before its next attempt: "
             "pauses: a random backoff (backoff_first, backoff_bound); at_once: nothing (as "
             "printed)"},
            {"leaf_bits", &Options::leaf_bits, "behind|before",
             "lock_children: when the bits of leaves are posted: behind the verbs that notify "
             "ancestors, which must land within T_wait, or before them"},
            {"retry", &Options::retry, "node|range",
             "what a request that notified its ancestors too late gives up: that node alone "
             "(Algorithm 2, line 7), or all of its nodes"},
            {"undo", &Options::undo, "fenced|always",
             "what a request that gives up undoes: fenced: only what no other request can have "
             "repaired by then; always: everything"},
            {"suspects", &Options::suspects, "outwaited|cleared",
             "when bits of a leaf that stay set after the node above was granted are cleared: "
             "outwaited: once no live request can still undo them; cleared: at once (as printed)"},
            {"counter_bits", &Options::counter_bits, 2, 15, "bits of a node's counters (3.4)"},
            {"exp_bits", &Options::exp_bits, 1, 3, "bits of Exp (Figure 3; assumed)"},
            {"ticket_bits", &Options::ticket_bits, 3, 16,
             "bits of each counter of the spillover mutex (DSLR 4.9)"},
            {"omega", &Options::omega, Duration{}, milliseconds(1),
             "spillover mutex: pause between READs of a waiting client, for each ticket ahead "
             "(DSLR 4.6)"},
            {"backoff_first", &Options::backoff_first, Duration{}, seconds(1),
             "R: bound of the first random backoff after a failed acquisition; 0: no backoff (DSLR "
             "A.3)"},
            {"backoff_bound", &Options::backoff_bound, Duration{}, seconds(10),
             "L: the longest backoff (DSLR A.3)"}},
       .profiles = {{"repaired", "the paper, with a repair for each of its gaps"},
                    {"paper",
                     "CITRON (FAST'23) as printed",
                     {{"occupy", "faa"},
                      {"reread", "above"},
                      {"patience", "one_lease"},
                      {"fallback", "node"},
                      {"between_nodes", "wait"},
                      {"expansion", "flag"},
                      {"out_of_bounds", "trusted"},
                      {"acknowledge", "at_once"},
                      {"too_late", "at_once"},
                      {"leaf_bits", "before"},
                      {"undo", "always"},
                      {"suspects", "cleared"},
                      {"propagation", "one_by_one"}}},
                    {"no_fast_path",
                     "the repaired lock without the fast path of 3.8",
                     {{"batch_search", false}, {"batch_occupy", false}, {"lock_children", false}}}},
       .printed = {"occupy=faa", "patience=one_lease", "fallback=node", "between_nodes=wait",
                   "expansion=flag", "out_of_bounds=trusted", "acknowledge=at_once",
                   "too_late=at_once", "leaf_bits=before", "undo=always", "suspects=cleared"},
       .small_model = {{"units", 256},
                       {"nodes", 1},
                       {"meet", 2},
                       {"t_wait", microseconds(20)},
                       {"split_time", Duration{}},
                       {"lease", Duration{}},
                       {"leaf_tries", 2},
                       {"allocation_time", Duration{}},
                       {"ticket_bits", 3},
                       {"omega", microseconds(1)},
                       {"backoff_first", microseconds(1)},
                       {"backoff_bound", microseconds(8)}},
       .claims = claims,
       .longest_timeout =
           [](const Options& options) {
             return options.lease * (std::int64_t{options.height} + 1) + options.lease / 4;
           },
       .longest_grant =
           [](const Options& options) { return options.recovers() ? options.lease : Duration{}; },
       .contradiction = contradiction});
}

}  // namespace latchlab
