#include "core/protocols/mcs/mcs.h"

#include "core/base/paths.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/common/inbox.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/message_names.h"

namespace latchlab {
namespace {

constexpr Words kTail = {kPackedEndpoint, 0};
enum MessageType : std::uint16_t { kSuccessor = 1, kHandover = 2 };
enum class NodeDelay : std::uint8_t { never, on_receive, before_successor };

struct McsOptions {
  bool handover_counter = false;
  NodeDelay node_delay = NodeDelay::on_receive;
  Duration delay;
  std::uint32_t max_held = 16;
};

class McsClient final : public LockClient {
 public:
  McsClient(const McsOptions& options, const ClientEnv& env)
      : options_(options), verbs_(*env.verbs), me_(verbs_.open_endpoint(2 * options.max_held)) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    const std::uint32_t generation = ++generation_;
    verbs_.mark(Phase::initial_atomic);
    const Completion swapped = co_await swap_tail(want.lock.entry);
    if (!swapped.ok()) {
      LATCHLAB_PATH("mcs: the server fails an acquire");
      co_return Aborted{AbortReason::server_failed};
    }
    const EndpointAddr predecessor = EndpointAddr::unpack(swapped.value.lo & kTail.lo);
    if (predecessor.null()) {
      LATCHLAB_PATH("mcs: the queue is empty");
    } else {
      LATCHLAB_PATH("mcs: a client queues up behind another");
      co_await follow(want.lock, predecessor, generation);
    }
    Grant grant(want);
    if (PLANTED(mcs_early_handover)) co_await hand_over_too_early(&grant);
    co_return grant;
  }

  Task<ReleaseResult> release(Grant grant) override {
    if (grant.words[0] != 0) co_return ReleaseResult::released;  // set by the planted bug only
    WaitOutcome successor = co_await poll_inbox(verbs_, me_, about(grant.lock.id, kSuccessor));
    if (successor.by == Woke::message) {
      LATCHLAB_PATH("mcs: a release knows its successor");
    } else {
      verbs_.mark(Phase::initial_atomic);
      const Completion cleared = co_await clear_tail(grant.lock.entry);
      if (!cleared.ok()) {
        LATCHLAB_PATH("mcs: the server fails a release");
        co_return ReleaseResult::released;  // lost with the server, or see mcs.h: not survived
      }
      if ((cleared.value.lo & kTail.lo) == me_.packed()) {
        LATCHLAB_PATH("mcs: a release leaves the queue empty");
        co_return ReleaseResult::released;
      }
      LATCHLAB_PATH("mcs: a release waits for a late Successor");
      verbs_.mark(Phase::notify_succ);
      successor = co_await verbs_.receive(me_, about(grant.lock.id, kSuccessor));
    }
    co_await hand_over(grant.lock, successor.message);
    co_return ReleaseResult::released;
  }

 private:
  VerbAwait swap_tail(RemoteAddr entry) {
    return verbs_.masked_compare_swap(entry, 8, {}, {}, {me_.packed(), 0}, kTail);
  }
  VerbAwait clear_tail(RemoteAddr entry) {
    return verbs_.masked_compare_swap(entry, 8, {me_.packed(), 0}, kTail, {}, kTail);
  }

  // Joins the queue behind `predecessor` and waits for its Handover.
  Task<void> follow(LockRef lock, EndpointAddr predecessor, std::uint32_t generation) {
    verbs_.mark(Phase::notify_pred);
    if (options_.node_delay == NodeDelay::before_successor)
      co_await delay_sending(verbs_, predecessor, options_.delay);
    const Message successor = {kSuccessor, generation, lock.id, {me_.packed()}};
    // The status is ignored: without recovery the client can only wait (mcs.h, Failed SENDs).
    const VerbStatus sent = co_await verbs_.send(predecessor, successor);
    if (sent != VerbStatus::ok) LATCHLAB_PATH("mcs: a Successor cannot be delivered");
    verbs_.mark(Phase::wait_pred);
    const WaitOutcome woke = co_await verbs_.receive(me_, about(lock.id, kHandover, generation));
    LATCHLAB_PATH("mcs: a Handover arrives");
    if (delays(predecessor)) co_await delay_received_from(predecessor, woke.message);
  }

  Task<void> hand_over(LockRef lock, Message successor) {
    verbs_.mark(Phase::notify_succ);
    const EndpointAddr next = EndpointAddr::unpack(successor.words[0]);
    if (delays(next)) co_await delay_received_from(next, successor);
    if (options_.handover_counter) {
      LATCHLAB_PATH("mcs: a handover is counted");
      verbs_.post(faa_verb(lock.entry + 8, 1));
    }
    const Message handover = {kHandover, successor.generation, lock.id};
    const VerbStatus sent = co_await verbs_.send(next, handover);
    if (sent != VerbStatus::ok) LATCHLAB_PATH("mcs: a Handover cannot be delivered");
    if (PLANTED(mcs_hands_over_twice)) co_await verbs_.send(next, handover);
  }

  // The planted bug: hands the lock over to a known successor, then uses it.
  Task<void> hand_over_too_early(Grant* grant) {
    const WaitOutcome known = co_await poll_inbox(verbs_, me_, about(grant->lock.id, kSuccessor));
    if (known.by != Woke::message) co_return;
    co_await hand_over(grant->lock, known.message);
    grant->words[0] = 1;
  }

  bool delays(EndpointAddr sender) const {
    return options_.node_delay == NodeDelay::on_receive && sender.node == verbs_.node();
  }
  Task<void> delay_received_from(EndpointAddr sender, Message message) {
    const bool delayed =
        co_await delay_received(verbs_, sender, message.received_latest, options_.delay);
    if (delayed) LATCHLAB_PATH("mcs: a message within a node is delayed");
  }

  const McsOptions& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  EndpointAddr me_;
  std::uint32_t generation_ = 0;  // number of this client's latest acquisition
};

class Mcs final : public ProtocolOf<McsOptions, McsClient>, public MessageNames {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override {
    return {.entry_bytes = options_.handover_counter ? 16ULL : 8};
  }
  Limits limits() const override {
    return {.held_at_once = options_.max_held, .clients_alike = true};
  }
  std::vector<Capability> needs() const override {
    return {Capability::masked_atomics_8, Capability::reliable_messages};
  }
  // ShiftLock (FAST'25) 2.4: waiters get the lock "in a first-in-first-out (FIFO) order", which is
  // the order of their swaps. Readers acquire exclusively, so this holds for them too.
  std::optional<std::uint32_t> bypass_bound(LockMode, LockMode, std::uint64_t) const override {
    return 0;
  }
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    return (words[0] & kTail.lo) == 0;  // RelCnt keeps its value
  }
  std::string_view message_name(std::uint64_t type) const override {
    return name_in({"Successor", "Handover"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    const EndpointAddr tail = EndpointAddr::unpack(words[0] & kTail.lo);
    std::string text = tail.null() ? "free"
                                   : "tail=node " + std::to_string(tail.node.value) + " endpoint " +
                                         std::to_string(tail.number);
    if (words.size() > 1) text += " RelCnt=" + std::to_string(words[1]);
    return text;
  }
};

}  // namespace

ProtocolEntry mcs_entry() {
  return make_entry<Mcs>(
      {.name = "mcs",
       .summary = "queue lock, handed over between clients by messages",
       .source = "ShiftLock (FAST'25) 2.4, Algorithm 1; Mellor-Crummey and Scott (1991)",
       .fairness = "first come, first served",
       .handover = "a message to the successor",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{1, 1, 0, 1}, {0, 1, 0, 2}}},
       .params = {{"handover_counter", &McsOptions::handover_counter,
                   "FAA on a release counter before each Handover (ShiftLock artifact: yes)"},
                  {"intra_node_when", &McsOptions::node_delay, "never|receive|before_successor",
                   "which messages within a node are delayed (receive: ShiftLock 4.1; "
                   "before_successor: its artifact)"},
                  {"intra_node_delay", &McsOptions::delay, Duration{}, milliseconds(1),
                   "delay of these messages (ShiftLock 4.1 and its artifact: 1 us); 0: none"},
                  {"max_held", &McsOptions::max_held, 1, 1024,
                   "how many locks one client may hold or wait for at once; two RECVs for each"}},
       .profiles =
           {{"paper",
             "ShiftLock (FAST'25) 2.4, without the delay of its 4.1, which belongs to the testbed"},
            {"artifact",
             "ShiftLock artifact, its MCS baseline",
             {{"handover_counter", true},
              {"intra_node_when", "before_successor"},
              {"intra_node_delay", microseconds(1)}}}},
       .small_model = {{"intra_node_when", "never"}, {"max_held", 1}},
       .claims = [](const McsOptions& /*options*/) {
         Claims claims = never_recovers();
         claims.turns = 2;
         return claims;
       }});
}

}  // namespace latchlab
