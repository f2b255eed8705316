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
    return {
        .max_clients = cql::kMaxOwners, .max_nodes = max_owners(), .crash_unit = CrashUnit::node};
  }
  std::unique_ptr<NodePart> make_node(const NodeEnv& env) const override {
    return std::make_unique<declock::Node>(options_, env);
  }
};

Params<Options> all_params() {
  Params<Options> params = {
      {"fairness", &Options::fairness, "task_fair|phase_fair",
       "which neighbours a reader lets in, and who comes after a writer (DecLock 5.3: both)"},
      {"readers_first", &Options::readers_first, "reacquiring|after_writers|always",
       "phase_fair: when the first reader that waits comes before an earlier writer of the node: "
       "after a writer, to acquire the CQL lock anew (DecLock 5.3, and code of its authors); after "
       "a writer, to be handed the lock as well; or after readers too"},
      {"transfer", &Options::transfer, "timestamp|remote_prefer|local_prefer|local_bound",
       "when the lock stays at the node (DecLock 5.3: timestamp; the others to compare, 6.3)"},
      {"local_bound", &Options::local_bound, 1, 1'000'000,
       "local_bound: clients of a node that have the lock in a row (code of DecLock's authors: 4)"},
      {"bound_counts", &Options::bound_counts, "holders|handovers",
       "what local_bound bounds: all clients that have the lock, readers beside readers included "
       "(code of DecLock's authors), or hand-overs alone"},
      {"late_readers", &Options::late_readers, "looking|known|all",
       "readers that enter beside readers of their node: those to whom `transfer` would hand the "
       "lock, as far as it is known which other nodes wait (code of DecLock's authors: known), or "
       "as one of them has just looked; or all (DecLock 5.2, as printed)"},
      {"look_after", &Options::look_after, 0, 1'000'000,
       "late_readers: looking: so many enter before the next one READs the queue (assumed)"},
      {"reset_ends_transfers", &Options::reset_ends_transfers,
       "no neighbour gets a lock that a reset waits for (DecLock: nothing said)"},
      {"prefetch", &Options::prefetch, "waiting|unknown|held|never",
       "clients that READ the queue when they begin to wait for neighbours: all (DecLock 5.3); "
       "those whose node does not know yet that other nodes wait (code of its authors); or those "
       "whose node has the lock"},
      {"notified", &Options::notified, "earliest|next|next_written",
       "whose time a notification carries (DecLock 5.3: the earliest; code of its authors: that of "
       "the next entry, none if that is not written), or that of the next entry that is written"},
      {"time_bits", &Options::time_bits, 2, 16,
       "bits of an entry's time (DecLock 5.3: 16; code of its authors: 14)"},
      {"time_unit", &Options::time_unit, nanoseconds(1), seconds(1),
       "that times count (DecLock 5.3: a microsecond)"},
      {"wrap_percent", &Options::wrap_percent, 1, 99,
       "of two times that are further apart than so much of the largest, the larger is the earlier "
       "(DecLock 5.3: 50; code of its authors: 90)"},
      {"clock_sync", &Options::clock_sync, Duration{}, seconds(3600),
       "pause between two agreements of the nodes' clocks; 0: never (DecLock 5.3: a second)"},
      {"clock_counter", &Options::clock_counter, "living|reset",
       "how: a counter that all living nodes count up, or one that the last of all nodes sets to 0 "
       "(DecLock 5.3)"}};
  const Params<Options> queue = cql::queue_params<Options>();
  params.insert(params.end(), queue.begin(), queue.end());
  return params;
}

}  // namespace

ProtocolEntry declock_entry() {
  return make_entry<DecLock>(
      {.name = "declock",
       .summary = "a CQL queue of nodes, whose clients line up among themselves, by timestamps",
       .source = "DecLock (arXiv 2505.17641)",
       .shared_mode = true,
       .fairness = "by the time at which clients ask, nearly, until a reset",
       .handover = "to neighbours in memory; a message to the next writer's node or to all readers "
                   "before it",
       .survives = "nodes that die; servers that come back, where sections of several locks give "
                   "back all that they hold (on_abort: give_back)",
       .costs = {.free_x = {{1, 0, 0, 2}, {2, 0, 0, 2}},
                 .x_after_x = {{2, 0, 0, 3}, {2, 1, 0, 2}},
                 .free_s = {{1, 0, 0, 2}, {2, 0, 0, 2}},
                 .s_after_x = {{2, 0, 0, 3}, {2, 1, 0, 2}},
                 .x_after_s = {{2, 0, 0, 3}, {2, 1, 0, 2}}},
       .params = all_params(),
       .profiles = {{"repaired", "paper with one change for each counter-example in declock.h"},
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
                     "code of DecLock's authors, as far as declock.h and cql.h say",
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
       .small_model = {{"version_bits", std::int64_t{2}},
                       {"timeout", microseconds(100)},
                       {"look_after", std::int64_t{1}},
                       {"time_bits", std::int64_t{6}},
                       {"time_unit", nanoseconds(2)},
                       {"clock_sync", Duration{}}},
       .longest_timeout = [](const Options& options) { return options.timeout; }});
}

}  // namespace latchlab
