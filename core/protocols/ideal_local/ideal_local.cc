#include "core/protocols/ideal_local/ideal_local.h"

#include <algorithm>
#include <deque>
#include <map>

#include "core/base/paths.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/common/modes.h"
#include "core/protocols/common/planted.h"

namespace latchlab {
namespace {

struct IdealOptions {};

// All locks of the machine. Every function is a visit: one at a time.
class LocalLocks final : public NodePart {
 public:
  struct Waiting {
    ClientId client;
    LockMode mode = LockMode::exclusive;
    std::uint64_t number = 0;
  };
  using Granted = std::vector<Waiting>;

  // True: the client has the lock. Otherwise it waits.
  bool enter(LockId lock, const Waiting& who) {
    Queue& queue = queues_[lock];
    if (queue.waiting.empty() && queue.admits(who.mode)) {
      queue.hold(who.mode);
      return true;
    }
    queue.waiting.push_back(who);
    return false;
  }

  Granted leave(LockId lock, LockMode mode) {
    Queue& queue = queues_.find(lock)->second;
    if (mode == LockMode::shared)
      --queue.readers;
    else
      queue.writer = false;
    if (PLANTED(ideal_local_forgets_its_queue)) return {};
    return go_on(lock);
  }

  // False: the client has been granted the lock. When a writer withdraws, readers behind it may be
  // granted it.
  bool withdraw(LockId lock, ClientId client, Granted* granted) {
    std::deque<Waiting>& waiting = queues_.find(lock)->second.waiting;
    const auto found = std::find_if(waiting.begin(), waiting.end(),
                                    [&](const Waiting& each) { return each.client == client; });
    if (found == waiting.end()) return false;
    waiting.erase(found);
    if (!PLANTED(ideal_local_withdraws_alone)) *granted = go_on(lock);
    return true;
  }

 private:
  struct Queue {
    std::uint64_t readers = 0;
    bool writer = false;
    std::deque<Waiting> waiting;

    bool admits(LockMode mode) const {
      if (PLANTED(ideal_local_admits_beside_readers)) return !writer;
      return !writer && (mode == LockMode::shared || readers == 0);
    }
    void hold(LockMode mode) {
      if (mode == LockMode::shared)
        ++readers;
      else
        writer = true;
    }
  };

  Granted go_on(LockId lock) {
    Queue& queue = queues_.find(lock)->second;
    Granted granted;
    while (!queue.waiting.empty() && queue.admits(queue.waiting.front().mode)) {
      queue.hold(queue.waiting.front().mode);
      granted.push_back(queue.waiting.front());
      queue.waiting.pop_front();
      if (PLANTED(ideal_local_grants_one_reader)) break;
    }
    if (queue.readers == 0 && !queue.writer && queue.waiting.empty()) queues_.erase(lock);
    return granted;
  }

  std::map<LockId, Queue> queues_;  // of locks that a client holds or wants
};

class IdealClient final : public LockClient {
 public:
  IdealClient(const IdealOptions& /*options*/, const ClientEnv& env)
      : verbs_(*env.verbs),
        peers_(*env.peers),
        locks_(static_cast<LocalLocks*>(env.node)),
        my_word_(env.client_words) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override {
    const LockMode mode = reader_or_writer(want);
    const LocalLocks::Waiting who = {verbs_.client(), mode, ++waits_};
    verbs_.mark(Phase::wait_pred);
    LocalLocks* const locks = locks_;
    bool here = false;
    const auto enter = [locks, lock = want.lock.id, &who, &here] {
      here = locks->enter(lock, who);
    };
    co_await verbs_.on_node(want.lock.id, enter);
    if (here) {
      LATCHLAB_PATH("ideal_local: no holder conflicts");
      co_return Grant(want, mode);
    }
    LATCHLAB_PATH("ideal_local: a client waits");
    WordWait turn;
    turn.word = my_word_;
    turn.until = [number = who.number](std::uint64_t granted) { return granted == number; };
    const WaitOutcome woke = co_await verbs_.await_local(turn, options.deadline);
    if (woke.by == Woke::word) co_return Grant(want, mode);
    const bool left = co_await withdraw(want.lock.id);
    if (left) co_return Aborted{AbortReason::deadline};
    // The granting client still stores the word; later the store would undo that of the next wait.
    LATCHLAB_PATH("ideal_local: the lock comes at the deadline");
    co_await verbs_.await_local(turn);
    co_return Grant(want, mode);
  }

  Task<ReleaseResult> release(Grant grant) override {
    verbs_.mark(Phase::notify_succ);
    LocalLocks* const locks = locks_;
    LocalLocks::Granted granted;
    const auto leave = [locks, lock = grant.lock.id, mode = grant.mode, &granted] {
      granted = locks->leave(lock, mode);
    };
    co_await verbs_.on_node(grant.lock.id, leave);
    if (granted.empty()) LATCHLAB_PATH("ideal_local: a release grants to no client");
    if (granted.size() == 1) LATCHLAB_PATH("ideal_local: a release grants to one client");
    if (granted.size() > 1) LATCHLAB_PATH("ideal_local: a release grants to several readers");
    co_await tell(granted);
    co_return ReleaseResult::released;
  }

 private:
  Task<bool> withdraw(LockId lock) {
    LocalLocks* const locks = locks_;
    bool left = false;
    LocalLocks::Granted granted;
    const auto visit = [locks, lock, me = verbs_.client(), &left, &granted] {
      left = locks->withdraw(lock, me, &granted);
    };
    co_await verbs_.on_node(lock, visit);
    if (left) LATCHLAB_PATH("ideal_local: a client gives up at its deadline");
    if (!granted.empty()) LATCHLAB_PATH("ideal_local: readers wait behind a writer that gave up");
    co_await tell(granted);
    co_return left;
  }

  Task<void> tell(const LocalLocks::Granted& granted) {
    for (const LocalLocks::Waiting& each : granted)
      co_await verbs_.store(peers_.client_words(each.client), each.number);
  }

  Verbs& verbs_;
  const Peers& peers_;
  LocalLocks* locks_;
  RemoteAddr my_word_;
  std::uint64_t waits_ = 0;
};

class IdealLocal final : public ProtocolOf<IdealOptions, IdealClient> {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override {
    return {.entry_bytes = 0, .client_bytes = 8};
  }
  Limits limits() const override {
    return {.max_nodes = 1, .abortable = true, .clients_alike = true};
  }
  std::vector<Capability> needs() const override {
    return {Capability::node_state, Capability::local_words};
  }
  std::unique_ptr<NodePart> make_node(const NodeEnv& /*env*/) const override {
    return std::make_unique<LocalLocks>();
  }
  std::string decode(std::span<const std::uint64_t> /*words*/) const override { return "unused"; }
};

}  // namespace

ProtocolEntry ideal_local_entry() {
  return make_entry<IdealLocal>(
      {.name = "ideal_local",
       .summary =
           "fair reader-writer queue on one machine, without a network: a reference for comparison",
       .source = "DecLock (arXiv 2505.17641) Fig. 1, \"ideal\"; its queue is ours",
       .shared_mode = true,
       .fairness = "first come, first served",
       .handover = "in memory",
       .costs = {.free_exclusive = {{0, 0, 0, 0}, {0, 0, 0, 0}},
                 .exclusive_after_exclusive = {{0, 0, 0, 0}, {0, 0, 0, 0}},
                 .free_shared = {{0, 0, 0, 0}, {0, 0, 0, 0}},
                 .shared_after_exclusive = {{0, 0, 0, 0}, {0, 0, 0, 0}},
                 .exclusive_after_shared = {{0, 0, 0, 0}, {0, 0, 0, 0}}},
       .profiles = {{"reference", "all clients on one node, as in DecLock Fig. 1"}}});
}

}  // namespace latchlab
