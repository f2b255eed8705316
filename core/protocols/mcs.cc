#include "core/protocols/mcs.h"

#include <string>

#include "core/base/paths.h"
#include "core/protocols/common/inbox.h"
#include "core/protocols/common/masks.h"
#include "core/protocols/common/planted.h"

namespace latchlab {

namespace {

constexpr std::uint64_t kTailMask = field_mask(0, 40);
constexpr std::uint64_t kRelCntOffset = 8;

enum MessageType : std::uint16_t { kSuccessor = 1, kHandover = 2 };

enum class NodeDelay : std::uint8_t { none, on_receive, before_successor };

struct McsOptions {
  bool handover_counter = false;
  NodeDelay node_delay = NodeDelay::none;
  Duration delay;
  std::uint64_t max_held = 0;

  explicit McsOptions(const ParamSet& params)
      : handover_counter(params.boolean("handover_counter")),
        delay(params.duration("intra_node_delay")),
        max_held(static_cast<std::uint64_t>(params.integer("max_held"))) {
    const std::string& when = params.choice("intra_node_when");
    if (when == "receive") node_delay = NodeDelay::on_receive;
    if (when == "before_successor") node_delay = NodeDelay::before_successor;
  }
};

// What the holder keeps in Grant::words.
struct Held {
  std::uint32_t generation = 0;
  bool handed_over = false;  // only ever by the planted bug

  static Held of(const Grant& grant) {
    return {static_cast<std::uint32_t>(grant.words[0]), grant.words[1] != 0};
  }
};

class McsClient final : public LockClient {
 public:
  McsClient(const McsOptions& options, const ClientEnv& env)
      : options_(options),
        verbs_(*env.verbs),
        me_(verbs_.open_endpoint(static_cast<std::uint32_t>(2 * options.max_held))) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  VerbAwait swap_tail(RemoteAddr entry) {
    return verbs_.masked_compare_swap(entry, 8, {}, {}, {me_.packed(), 0}, {kTailMask, 0});
  }
  VerbAwait clear_tail(RemoteAddr entry) {
    return verbs_.masked_compare_swap(entry, 8, {me_.packed(), 0}, {kTailMask, 0}, {},
                                      {kTailMask, 0});
  }
  bool same_node(EndpointAddr peer, NodeDelay when) const {
    return options_.node_delay == when && peer.node == verbs_.node();
  }
  Task<void> follow(LockRef lock, EndpointAddr predecessor, std::uint32_t generation);
  Task<void> settle(EndpointAddr sender, Message message);
  Task<void> hand_over(LockRef lock, Message successor);
  Task<void> hand_over_too_early(Grant* grant);

  McsOptions options_;
  Verbs& verbs_;
  EndpointAddr me_;
  std::uint32_t generation_ = 0;  // number of this client's latest acquisition
};

Task<AcquireResult> McsClient::acquire(Want want, AcquireOptions /*options*/) {
  const LockRef lock = want.lock;
  const std::uint32_t generation = ++generation_;
  verbs_.mark(Phase::initial_atomic);
  const Completion swapped = co_await swap_tail(lock.entry);
  if (!swapped.ok()) {
    LATCHLAB_PATH("mcs: the server fails an acquire");
    co_return Aborted{AbortReason::server_failed};
  }
  const EndpointAddr predecessor = EndpointAddr::unpack(swapped.value.lo & kTailMask);
  if (predecessor.null()) {
    LATCHLAB_PATH("mcs: the queue is empty");
  } else {
    LATCHLAB_PATH("mcs: a client queues up behind another");
    co_await follow(lock, predecessor, generation);
  }
  Grant grant(want);
  grant.words[0] = generation;
  if (PLANTED(mcs_early_handover)) co_await hand_over_too_early(&grant);
  co_return grant;
}

// Queues up behind `predecessor` and waits for its Handover.
Task<void> McsClient::follow(LockRef lock, EndpointAddr predecessor, std::uint32_t generation) {
  verbs_.mark(Phase::notify_pred);
  if (same_node(predecessor, NodeDelay::before_successor)) co_await verbs_.sleep(options_.delay);
  Message successor;
  successor.type = kSuccessor;
  successor.lock = lock.id;
  successor.generation = generation;
  successor.words[0] = me_.packed();
  // Its status changes nothing: whoever cannot be told is dead, and so is the queue (see mcs.h).
  const VerbStatus told = co_await verbs_.send(predecessor, successor);
  if (told != VerbStatus::ok) LATCHLAB_PATH("mcs: a Successor cannot be delivered");
  verbs_.mark(Phase::wait_pred);
  const WaitOutcome woke = co_await verbs_.receive(me_, about(lock.id, kHandover, generation));
  LATCHLAB_PATH("mcs: a Handover arrives");
  co_await settle(predecessor, woke.message);
}

// The stand-in for the network between clients of one node.
Task<void> McsClient::settle(EndpointAddr sender, Message message) {
  if (!same_node(sender, NodeDelay::on_receive)) co_return;
  const Time usable = message.received_latest + options_.delay;
  const Time now = verbs_.now();
  if (usable <= now) co_return;
  LATCHLAB_PATH("mcs: a message within a node is held back");
  co_await verbs_.sleep(usable - now);
}

Task<ReleaseResult> McsClient::release(Grant grant) {
  const LockRef lock = grant.lock;
  if (Held::of(grant).handed_over) co_return ReleaseResult::released;
  WaitOutcome known = co_await poll_inbox(verbs_, me_, about(lock.id, kSuccessor));
  if (known.by != Woke::message) {
    verbs_.mark(Phase::initial_atomic);
    const Completion cleared = co_await clear_tail(lock.entry);
    if (!cleared.ok()) {
      LATCHLAB_PATH("mcs: the server fails a release");
      co_return ReleaseResult::released;  // the server is gone, and the lock
    }
    if ((cleared.value.lo & kTailMask) == me_.packed()) {
      LATCHLAB_PATH("mcs: a release leaves the queue empty");
      co_return ReleaseResult::released;
    }
    LATCHLAB_PATH("mcs: a release waits for a late Successor");
    verbs_.mark(Phase::notify_succ);
    known = co_await verbs_.receive(me_, about(lock.id, kSuccessor));
  } else {
    LATCHLAB_PATH("mcs: a release knows its successor");
  }
  co_await hand_over(lock, known.message);
  co_return ReleaseResult::released;
}

Task<void> McsClient::hand_over(LockRef lock, Message successor) {
  verbs_.mark(Phase::notify_succ);
  const EndpointAddr next = EndpointAddr::unpack(successor.words[0]);
  co_await settle(next, successor);
  if (options_.handover_counter) {
    LATCHLAB_PATH("mcs: a handover is counted");
    verbs_.post(faa_verb(lock.entry + kRelCntOffset, 1));
  }
  Message handover;
  handover.type = kHandover;
  handover.lock = lock.id;
  handover.generation = successor.generation;
  const VerbStatus told = co_await verbs_.send(next, handover);
  if (told != VerbStatus::ok) LATCHLAB_PATH("mcs: a Handover cannot be delivered");
}

// The planted bug: passes the lock on to a successor that is known already, then uses it.
Task<void> McsClient::hand_over_too_early(Grant* grant) {
  const LockRef lock = grant->lock;
  const WaitOutcome known = co_await poll_inbox(verbs_, me_, about(lock.id, kSuccessor));
  if (known.by != Woke::message) co_return;
  co_await hand_over(lock, known.message);
  grant->words[1] = 1;
}

class Mcs final : public Protocol {
 public:
  explicit Mcs(const ParamSet& params) : options_(params) {}

  Layout layout(const Shape& /*shape*/) const override {
    Layout layout;
    layout.entry_bytes = options_.handover_counter ? 16 : 8;
    return layout;
  }
  Limits limits() const override {
    Limits limits;
    limits.held_at_once = options_.max_held;
    return limits;
  }
  std::vector<Capability> needs() const override {
    return {Capability::masked_atomics_8, Capability::reliable_messages};
  }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<McsClient>(options_, env);
  }
  // ShiftLock (FAST'25) 2.4: waiters get the lock "in a first-in-first-out (FIFO) order", that of
  // their swaps. Readers take the lock exclusively and so are no exception.
  std::optional<std::uint32_t> bypass_bound(LockMode, LockMode, std::uint64_t) const override {
    return 0;
  }
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    return (words[0] & kTailMask) == 0;  // RelCnt stays
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    const EndpointAddr tail = EndpointAddr::unpack(words[0] & kTailMask);
    std::string text = "free";
    if (!tail.null())
      text = "tail=node " + std::to_string(tail.node.value) + " endpoint " +
             std::to_string(tail.number);
    if (words.size() > 1) text += " RelCnt=" + std::to_string(words[1]);
    return text;
  }

 private:
  McsOptions options_;
};

std::vector<ParamSpec> mcs_params() {
  return {
      boolean_param("handover_counter", false,
                    "FAA on a release counter before each Handover (ShiftLock artifact: yes)"),
      choice_param("intra_node_when", "receive", {"never", "receive", "before_successor"},
                   "where messages within a node are slowed (ShiftLock 4.1; its artifact)"),
      duration_param("intra_node_delay", microseconds(1), Duration{}, milliseconds(1),
                     "... and by how much (ShiftLock 4.1)"),
      integer_param("max_held", 16, 1, 1024,
                    "locks that one client holds or awaits at once; two RECVs for each"),
  };
}

}  // namespace

ProtocolEntry mcs_entry() {
  ProtocolEntry entry;
  entry.info.name = "mcs";
  entry.info.summary = "queue lock, handed from client to client by messages";
  entry.info.source = "ShiftLock (FAST'25) 2.4, Algorithm 1; Mellor-Crummey and Scott (1991)";
  entry.info.params = mcs_params();
  entry.info.profiles = {
      {"paper", "ShiftLock (FAST'25) 2.4 and 4.1", {}},
      {"artifact",
       "ShiftLock artifact, its MCS baseline",
       {{"handover_counter", true}, {"intra_node_when", std::string("before_successor")}}},
  };
  entry.info.entry_bytes = 8;
  entry.make = [](const ParamSet& params) -> std::unique_ptr<Protocol> {
    return std::make_unique<Mcs>(params);
  };
  entry.small_model = [](const ProtocolInfo& info) {
    ParamSet params = info.resolve("paper");
    params.set("intra_node_when", std::string("never"));
    params.set("max_held", std::int64_t{1});
    return params;
  };
  return entry;
}

}  // namespace latchlab
