// Puts CQL's parts together. What it is and why it works: cql.h.

#include "core/protocols/cql/cql.h"

#include "core/protocols/cql/queue_lock.h"

namespace latchlab {
namespace {

using CqlOptions = cql::Options;

class Cql final : public cql::QueueLock<CqlOptions, cql::Client> {
 public:
  using QueueLock::QueueLock;
  Layout layout(const Shape& shape) const override { return queue_layout(shape.clients, shape); }
  Limits limits() const override {
    return {.max_clients = max_owners(), .crash_unit = CrashUnit::node, .clients_alike = true};
  }
  std::unique_ptr<NodePart> make_node(const NodeEnv& env) const override {
    return std::make_unique<cql::Node>(options_, env);
  }
  // DecLock 3: enqueued and notified strictly in the order of acquisition. That holds until a
  // reset: acquisitions that it aborts start anew (appendix B). No reset is needed before versions
  // run out. Readers do not conflict with each other, so nothing is claimed of reader against
  // reader.
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t acquisitions) const override {
    if (waiter == LockMode::shared && winner == LockMode::shared) return std::nullopt;
    const cql::Format format(2, options_.version_bits);
    const bool room = options_.capacity == 0 && options_.messages == cql::Messages::rc;
    const bool fits = acquisitions <= std::uint64_t{format.never()} * format.capacity();
    return room && fits ? std::optional<std::uint32_t>(0) : std::nullopt;
  }
};

Claims cql_claims(const CqlOptions& options) {
  Claims claims = never_recovers();
  claims.turns = 2;
  if (options.timeout.ps == 0) return claims;
  for (const Mishap mishap :
       {Mishap::client_crash, Mishap::process_crash, Mishap::node_crash, Mishap::server_crash,
        Mishap::long_cut, Mishap::lost_datagram, Mishap::late_datagram})
    claims.keep(mishap, Keeps::exclusion, Keeps::fencing, Keeps::progress);
  return claims;
}

}  // namespace

ProtocolEntry cql_entry() {
  return make_entry<Cql>(
      {.name = "cql",
       .summary = "queue in the entry, joined by FAA on its header; handed over by messages",
       .source = "DecLock (arXiv 2505.17641), section 4 and appendices A and B",
       .shared_mode = true,
       .fairness = "first come, first served, until a reset",
       .handover = "a message to the next writer, or to all readers before it",
       .survives = "node crashes; servers that come back, if sections of several locks use "
                   "on_abort: give_back",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {2, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 0, 0, 3}, {2, 1, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {2, 0, 0, 2}},
                 .shared_after_exclusive = {{2, 0, 0, 3}, {2, 1, 0, 2}},
                 .exclusive_after_shared = {{2, 0, 0, 3}, {2, 1, 0, 2}}},
       .params = cql::queue_params<CqlOptions>(),
       .profiles = {{"repaired", "paper with one change for each counterexample in cql.h"},
                    {"paper",
                     "DecLock (arXiv 2505.17641), section 4 as printed",
                     {{"header_reset", "write"},
                      {"notification_count", "sending"},
                      {"overflow", "version"},
                      {"evict_dead", false}}},
                    {"artifact",
                     "code of DecLock's authors, to the extent that cql.h states",
                     {{"messages", "ud"},
                      {"next_entry_first", true},
                      {"notification_count", "release"},
                      {"overflow", "acquisition"},
                      {"evict_dead", false},
                      {"timeout", Duration{}},
                      {"timeout_step", milliseconds(1)},
                      {"version_bits", std::int64_t{15}},
                      {"capacity", std::int64_t{512}}}}},
       .printed = {"header_reset=write", "notification_count=sending", "notification_count=release",
                   "overflow=version", "overflow=acquisition", "evict_dead=false"},
       .small_model = {{"version_bits", std::int64_t{2}}, {"timeout", microseconds(100)}},
       .claims = cql_claims,
       .longest_timeout = [](const CqlOptions& options) { return options.timeout; }});
}

}  // namespace latchlab
