// Puts DecLock's parts together. What it is and why it works: declock.h.

#include "core/protocols/declock/declock.h"

#include "core/protocols/cql/queue_lock.h"
#include "core/protocols/declock/client.h"

namespace latchlab {
namespace {

using declock::Options;

class DecLock final : public cql::QueueLock<Options, declock::Client> {
 public:
  using QueueLock::QueueLock;
  Layout layout(const Shape& shape) const override {
    Layout layout = queue_layout(shape.client_nodes, shape);
    layout.client_bytes = 8;
    layout.server_bytes = 8ULL * shape.client_nodes;
    return layout;
  }
  Limits limits() const override {
    return {.max_clients = cql::kMaxOwners,
            .max_nodes = max_owners(),
            .crash_unit = CrashUnit::node,
            .clients_alike = true};
  }
  std::unique_ptr<NodePart> make_node(const NodeEnv& env) const override {
    return std::make_unique<declock::Node>(options_, env);
  }
};

Params<Options> all_params() {
  Params<Options> params = {
      {"fairness", &Options::fairness, "task_fair|phase_fair",
       "which waiting readers of the node a reader admits, and which client of the node follows a "
       "writer (DecLock 5.3 has both)"},
      {"readers_first", &Options::readers_first, "reacquiring|after_writers|always",
       "phase_fair: when the first waiting reader precedes an earlier writer of the node: after a "
       "writer, to acquire the CQL lock again (DecLock 5.3, and code of its authors); after a "
       "writer, also for a handover within the node; or always, after readers too"},
      {"transfer", &Options::transfer, "timestamp|remote_prefer|local_prefer|local_bound",
       "when the lock stays on the node (DecLock 5.3: timestamp; the other values are for "
       "comparison, 6.3)"},
      {"local_bound", &Options::local_bound, 1, 1'000'000,
       "local_bound: how many clients of a node hold the lock in a row (code of DecLock's authors: "
       "4)"},
      {"bound_counts", &Options::bound_counts, "holders|handovers",
       "what local_bound limits: all clients that hold the lock, readers beside readers included "
       "(code of DecLock's authors), or handovers only"},
      {"late_readers", &Options::late_readers, "looking|known|all",
       "which readers join readers of their node that hold the lock: known: those to which "
       "`transfer` would hand it, by what the node knows of waiting nodes (code of DecLock's "
       "authors); looking: the same, and some of them READ the queue first; all (DecLock 5.2, as "
       "printed)"},
      {"look_after", &Options::look_after, 0, 1'000'000,
       "late_readers: looking: after so many of these readers, the next one READs the queue "
       "(assumed)"},
      {"reset_ends_transfers", &Options::reset_ends_transfers,
       "a node hands over no lock that a reset waits for (DecLock does not say)"},
      {"prefetch", &Options::prefetch, "waiting|unknown|held|never",
       "which clients READ the queue when they begin to wait for clients of their node: all "
       "(DecLock 5.3); those whose node does not yet know that other nodes wait (code of its "
       "authors); those whose node holds the lock; or none"},
      {"notified", &Options::notified, "earliest|next|next_written",
       "which time a notification carries: the earliest in the queue (DecLock 5.3); that of the "
       "next place, or none if that is not written (code of its authors); or that of the next "
       "place that is written"},
      {"time_bits", &Options::time_bits, 2, 16,
       "bits of a timestamp in the queue (DecLock 5.3: 16; code of its authors: 14)"},
      {"time_unit", &Options::time_unit, nanoseconds(1), seconds(1),
       "unit of timestamps (DecLock 5.3: a microsecond)"},
      {"wrap_percent", &Options::wrap_percent, 1, 99,
       "if two timestamps differ by more than this share of their range, the larger one is the "
       "earlier (DecLock 5.3: 50; code of its authors: 90)"},
      {"clock_sync", &Options::clock_sync, Duration{}, seconds(3600),
       "pause between two synchronisations of the nodes' clocks; 0: never (DecLock 5.3: a second)"},
      {"clock_counter", &Options::clock_counter, "living|reset",
       "how nodes synchronise clocks: by a counter that all living nodes increment, or by one that "
       "the last of all nodes sets to 0 (DecLock 5.3)"}};
  const Params<Options> queue = cql::queue_params<Options>();
  params.insert(params.end(), queue.begin(), queue.end());
  return params;
}

Claims declock_claims(const Options& options) {
  Claims claims = never_recovers();
  // See `Fair` in declock.h.
  if (options.transfer == declock::Transfer::timestamp &&
      options.late_readers == declock::LateReaders::looking)
    claims.turns = std::int64_t{options.look_after} + 2;
  if (options.timeout.ps == 0) return claims;
  for (const Mishap mishap : {Mishap::node_crash, Mishap::server_crash, Mishap::long_cut,
                              Mishap::lost_datagram, Mishap::late_datagram})
    claims.keep(mishap, Keeps::exclusion, Keeps::fencing, Keeps::progress);
  return claims;
}

}  // namespace

ProtocolEntry declock_entry() {
  return make_entry<DecLock>(
      {.name = "declock",
       .summary = "nodes queue in a CQL lock, clients of a node in its memory; timestamps decide "
                  "where the lock goes next",
       .source = "DecLock (arXiv 2505.17641)",
       .shared_mode = true,
       .fairness = "approximately in the order of requests, until a reset",
       .handover = "in memory within a node; else a message to the next writer's node, or to all "
                   "readers before it",
       .survives = "node crashes; servers that come back, if sections of several locks use "
                   "on_abort: give_back",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {2, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 0, 0, 3}, {2, 1, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {2, 0, 0, 2}},
                 .shared_after_exclusive = {{2, 0, 0, 3}, {2, 1, 0, 2}},
                 .exclusive_after_shared = {{2, 0, 0, 3}, {2, 1, 0, 2}}},
       .params = all_params(),
       .profiles = {{"repaired", "paper with one change for each counterexample in declock.h"},
                    {"paper",
                     "DecLock (arXiv 2505.17641), sections 4 and 5 as printed",
                     {{"reset_ends_transfers", false},
                      {"late_readers", "all"},
                      {"clock_counter", "reset"},
                      {"header_reset", "write"},
                      {"notification_count", "sending"},
                      {"overflow", "version"},
                      {"evict_dead", false}}},
                    {"artifact",
                     "code of DecLock's authors, to the extent that declock.h and cql.h state",
                     {{"reset_ends_transfers", false},
                      {"late_readers", "known"},
                      {"prefetch", "unknown"},
                      {"notified", "next"},
                      {"time_bits", std::int64_t{14}},
                      {"wrap_percent", std::int64_t{90}},
                      {"clock_sync", seconds(3600)},
                      {"clock_counter", "reset"},
                      {"messages", "ud"},
                      {"next_entry_first", true},
                      {"notification_count", "release"},
                      {"overflow", "acquisition"},
                      {"evict_dead", false},
                      {"timeout", Duration{}},
                      {"timeout_step", milliseconds(1)},
                      {"capacity", std::int64_t{32}}}}},
       .printed = {"header_reset=write", "notification_count=sending", "notification_count=release",
                   "overflow=version", "overflow=acquisition", "evict_dead=false",
                   "reset_ends_transfers=false", "clock_counter=reset", "late_readers=all"},
       .small_model = {{"version_bits", std::int64_t{2}},
                       {"timeout", microseconds(100)},
                       {"look_after", std::int64_t{1}},
                       {"time_bits", std::int64_t{6}},
                       {"time_unit", nanoseconds(2)},
                       {"clock_sync", Duration{}}},
       .claims = declock_claims,
       .longest_timeout = [](const Options& options) { return options.timeout; }});
}

}  // namespace latchlab
