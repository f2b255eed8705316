#include "core/protocols/cohort_reference/cohort_reference.h"

#include <list>
#include <map>

#include "core/base/paths.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/common/planted.h"

namespace latchlab {
namespace {

enum Turn : std::uint64_t { kWait = 0, kLead = 1, kYours = 2 };

struct CohortOptions {
  std::uint64_t max_passes = 5;
  Duration retry_pause = microseconds(2);
};

// The queues of one node. Every function is a visit: nobody else of the node is inside.
class Cohort final : public NodePart {
 public:
  struct Next {
    bool any = false;
    bool passes = false;  // it gets the lock without giving it back
    ClientId client;
  };

  explicit Cohort(const CohortOptions& options) : options_(options) {}

  // Whether nobody was there.
  bool join(LockId lock, ClientId client) {
    Queue& queue = queues_[lock];
    queue.clients.push_back(client);
    return queue.clients.size() == 1;
  }
  Next leave(LockId lock) {
    const auto found = queues_.find(lock);
    Queue& queue = found->second;
    queue.clients.pop_front();
    if (queue.clients.empty()) {
      queues_.erase(found);
      return {};
    }
    const bool passes = queue.passes < options_.max_passes;
    queue.passes = passes ? queue.passes + 1 : 0;
    return {true, passes, queue.clients.front()};
  }

 private:
  struct Queue {
    std::list<ClientId> clients;
    std::uint64_t passes = 0;
  };

  const CohortOptions& options_;
  std::map<LockId, Queue> queues_;  // of locks that somebody here holds or wants
};

class CohortClient final : public LockClient {
 public:
  CohortClient(const CohortOptions& options, const ClientEnv& env)
      : options_(options),
        verbs_(*env.verbs),
        peers_(*env.peers),
        cohort_(static_cast<Cohort*>(env.node)),
        my_turn_(env.client_words) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    const Turn turn = co_await queue_up(want.lock.id);
    if (turn == kYours) {
      LATCHLAB_PATH("cohort_reference: a neighbour hands the lock on");
      co_return Grant(want);
    }
    verbs_.mark(Phase::initial_atomic);
    const bool taken = co_await take(want.lock.entry);
    if (taken) co_return Grant(want);
    LATCHLAB_PATH("cohort_reference: the server fails the leader of a node");
    Cohort* const cohort = cohort_;
    Cohort::Next next;
    const auto leave = [cohort, lock = want.lock.id, &next] { next = cohort->leave(lock); };
    co_await verbs_.on_node(leave);
    if (next.any) co_await verbs_.store(peers_.client_words(next.client), kLead);
    co_return Aborted{AbortReason::server_failed};
  }

  Task<ReleaseResult> release(Grant grant) override {
    verbs_.mark(Phase::notify_succ);
    Cohort* const cohort = cohort_;
    Cohort::Next next;
    const auto leave = [cohort, lock = grant.lock.id, &next] { next = cohort->leave(lock); };
    co_await verbs_.on_node(leave);
    if (!next.passes || PLANTED(cohort_reference_frees_and_passes)) {
      verbs_.mark(Phase::initial_atomic);
      co_await verbs_.write(grant.lock.entry, 0);
    }
    if (!next.any) {
      LATCHLAB_PATH("cohort_reference: nobody of the node waits");
      co_return ReleaseResult::released;
    }
    if (next.passes) {
      LATCHLAB_PATH("cohort_reference: the lock stays at the node");
    } else {
      LATCHLAB_PATH("cohort_reference: the node has had enough turns");
    }
    if (PLANTED(cohort_reference_forgets_its_neighbour)) co_return ReleaseResult::released;
    co_await verbs_.store(peers_.client_words(next.client), next.passes ? kYours : kLead);
    co_return ReleaseResult::released;
  }

 private:
  Task<Turn> queue_up(LockId lock) {
    verbs_.mark(Phase::wait_pred);
    co_await verbs_.store(my_turn_, kWait);
    Cohort* const cohort = cohort_;
    bool first = false;
    const auto join = [cohort, lock, me = verbs_.client(), &first] {
      first = cohort->join(lock, me);
    };
    co_await verbs_.on_node(join);
    if (first) {
      LATCHLAB_PATH("cohort_reference: a client is the first of its node");
      co_return kLead;
    }
    LATCHLAB_PATH("cohort_reference: a client waits for its neighbours");
    WordWait turn;
    turn.word = my_turn_;
    turn.until = [](std::uint64_t value) { return value != kWait; };
    const WaitOutcome woke = co_await verbs_.await_local(turn);
    if (PLANTED(cohort_reference_enters_without_leading)) co_return kYours;
    if (woke.value == kLead) LATCHLAB_PATH("cohort_reference: a neighbour gives up its lead");
    co_return static_cast<Turn>(woke.value);
  }

  // For the node; false: the server fails.
  Task<bool> take(RemoteAddr entry) {
    RemoteWait wait;
    wait.add(cas_verb(entry, 0, verbs_.node().value));
    wait.classify = [](const ProbeValues& before) {
      return before[0].lo == 0 ? Verdict::done : Verdict::pending;
    };
    const Duration pause = options_.retry_pause;
    wait.pacing = [pause](const ProbeValues&, std::uint64_t) { return pause; };
    const RemoteWaitResult end = co_await verbs_.await_remote(wait);
    if (end.end == WaitEnd::satisfied) {
      LATCHLAB_PATH("cohort_reference: the leader of a node takes the lock");
      co_return true;
    }
    co_return false;
  }

  const CohortOptions& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  const Peers& peers_;
  Cohort* cohort_;
  RemoteAddr my_turn_;
};

class CohortReference final : public ProtocolOf<CohortOptions, CohortClient> {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override { return {.client_bytes = 8}; }
  std::vector<Capability> needs() const override {
    return {Capability::node_state, Capability::local_words};
  }
  std::unique_ptr<NodePart> make_node(const NodeEnv& /*env*/) const override {
    return std::make_unique<Cohort>(options_);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    if (words[0] == 0) return "free";
    return "held by node " + std::to_string(words[0]);
  }
};

}  // namespace

ProtocolEntry cohort_reference_entry() {
  return make_entry<CohortReference>(
      {.name = "cohort_reference",
       .summary = "local queues under one CAS lock: the example of a lock with node parts",
       .source = "lock cohorting, Dice, Marathe, Shavit (PPoPP'12), in its simplest form",
       .fairness = "first come, first served within a node; none between nodes",
       .handover = "to a neighbour in memory, or by chance",
       .costs = {.free_x = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .x_after_x = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}},
       .params = {{"max_passes", &CohortOptions::max_passes, 0, 1'000'000,
                   "handovers within a node before others get a chance (ALock's local budget: 5)"},
                  {"retry_pause", &CohortOptions::retry_pause, Duration{}, milliseconds(10),
                   "pause between two CAS of a node's leader (assumed: about a round trip)"}},
       .profiles = {{"reference", "Latchlab's own example"}},
       .small_model = {{"max_passes", 1}}});
}

}  // namespace latchlab
