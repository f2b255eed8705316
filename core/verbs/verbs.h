#pragma once
// The interface between locks and backends. A lock protocol accesses its environment only through
// one `Verbs` object per actor (a client, the background of a node, the server part of a node). The
// backend that implements the object determines what the verbs run on, and a protocol cannot find
// out which.
//
// Memory guarantees
//  * READ and WRITE are atomic per aligned 8 bytes only: a longer access may be torn between any
//    two words.
//  * RNIC atomics are atomic among themselves on one NIC; 8-byte against 16-byte ones only with the
//    capability mixed_width_atomic.
//  * If a WRITE or CPU store lands inside an atomic's read-modify-write, one of the two is lost,
//    unless the backend has the capability atomic_with_writes. A failing CAS writes nothing.
//  * A verb takes effect once, some time before it completes. Verbs of one batch share a QP: they
//    start in order, but an unfenced verb may take effect before an earlier READ or atomic has
//    returned. Verbs of two batches, or verbs awaited one after the other, are ordered by their
//    awaits.
// Message guarantees
//  * Between two endpoints messages arrive once and in order, unless the receiving endpoint's
//    transport is UD. `send` completes when the receiver's NIC has acknowledged. A receiver without
//    a posted RECV answers receiver_not_ready. The sender's NIC retries, and `send` then returns
//    receiver_not_ready; without any acknowledgement for some 0.5 s (dead node or process, cut
//    path) it returns peer_failed, and the message may have arrived nevertheless.
//    A message that a filter rejects stays queued, and its RECV stays used.
//  * Concurrent messages to different endpoints, of one batch or of several, are acknowledged in
//    any order.
// Crashes
//  * A client may be destroyed at any co_await. Verbs that it had posted may still land, or never.
//    If the client alone crashes, its endpoint stays and its RECVs are consumed, unread; if its
//    process or node crashes, messages to it fail.
//  * A server may fail and come back with its initial memory (`life_of`). A verb or call is
//    executed in the life that `life_of` showed when it was posted, or fails.
// Errors are in Completion::status, never exceptions. Misuse (bad alignment, foreign endpoint)
// fails a CHECK.

#include <coroutine>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/base/time.h"
#include "core/coro/task.h"
#include "core/verbs/awaitables.h"
#include "core/verbs/operation.h"
#include "core/verbs/phases.h"
#include "core/verbs/tally.h"
#include "core/verbs/wait.h"

namespace latchlab {

enum class ActorKind : std::uint8_t { client, node, server };

struct Membership {
  std::uint64_t version = 0;                 // counts changes
  const std::vector<bool>* alive = nullptr;  // by ClientId; owned by the backend
  bool is_alive(ClientId client) const { return (*alive)[client.value]; }
};

// The order of requests, for fairness: when the first verb, message, call or changing CPU access of
// a request took effect, as a count of effects in the whole run. The measuring code arms it, the
// backend sets it and then notifies the listener.
struct FirstEffect {
  class Listener {
   public:
    virtual ~Listener() = default;
    // Later calls are about later effects. Must not post a verb or resume a coroutine.
    virtual void first_effect(ClientId client) = 0;
  };
  static constexpr std::uint64_t kUnknown = ~0ULL >> 1;

  std::uint64_t armed : 1 = 0;
  std::uint64_t order : 63 = kUnknown;
  Listener* listener = nullptr;

  // From now on the next effect is the first. Until then the backend may use `order` for notes.
  void arm() {
    armed = 1;
    order = kUnknown;
  }
  void happened(ClientId client, std::uint64_t effects) {
    armed = 0;
    order = effects;
    if (listener != nullptr) listener->first_effect(client);
  }
};
static_assert(sizeof(FirstEffect) == 16);  // every client has one

class Verbs {
 public:
  Verbs(ActorKind kind, NodeId node, ClientId client, const Rng& rng)
      : kind_(kind), node_(node), client_(client), rng_(rng) {}
  virtual ~Verbs() = default;
  Verbs(const Verbs&) = delete;
  Verbs& operator=(const Verbs&) = delete;

  ActorKind kind() const { return kind_; }
  NodeId node() const { return node_; }
  ClientId client() const { return client_; }  // meaningless for nodes and servers

  // ---- verbs (core/verbs/verb.h describes the operands) ----
  VerbAwait read(RemoteAddr addr, std::uint32_t bytes = 8);     // by value: 8 or 16 bytes
  WordsAwait read_words(RemoteAddr addr, std::uint32_t bytes);  // up to 16 KiB
  VerbAwait write(RemoteAddr addr, std::uint64_t word);
  VerbAwait write(RemoteAddr addr, Words words);  // 16 bytes
  VerbAwait compare_swap(RemoteAddr addr, std::uint64_t expected, std::uint64_t desired);
  VerbAwait fetch_add(RemoteAddr addr, std::uint64_t add);
  VerbAwait masked_compare_swap(RemoteAddr addr, std::uint32_t bytes, Words compare,
                                Words compare_mask, Words swap, Words swap_mask);
  VerbAwait masked_fetch_add(RemoteAddr addr, std::uint32_t bytes, Words add, Words boundary);
  VerbAwait issue(const Verb& verb);  // any of the above as data
  // Detached: returns at once. An error shows at flush.
  void post(const Verb& verb);
  FlushAwait flush();

  // ---- messages and calls ----
  // Opens an endpoint with `recv_depth` RECVs posted. A client may open several.
  EndpointAddr open_endpoint(std::uint32_t recv_depth, Transport transport = Transport::dc) {
    return open(recv_depth, transport);
  }
  SendAwait send(EndpointAddr target, const Message& message);
  // Takes the first queued message that the filter accepts, and posts its RECV again.
  WaitAwait receive(EndpointAddr own, MessageFilter filter, Time deadline = kNever);
  // If no reply has come by `deadline`, on this node's clock, Reply::status is timed_out. The
  // server is not notified, and its later reply is dropped.
  CallAwait call(NodeId server, const Request& request, Time deadline = kNever);
  // Server part only: answers a call, now or later, exactly once per ticket.
  virtual void reply(const PendingCall& pending, const Reply& reply) = 0;

  // ---- waits ----
  // Probes remote memory until `classify` returns done or abandon, or a stop condition holds. Every
  // remote wait and retry of a protocol uses this. The base version issues the probes itself.
  // `wait` must outlive the wait: it has several hundred bytes, and is not copied.
  virtual Task<RemoteWaitResult> await_remote(const RemoteWait& wait);
  WaitAwait await_local(const WordWait& word, Time deadline = kNever);
  WaitAwait first_of(const WaitSet& set);

  // ---- registered memory of the own node, by the CPU: sequentially consistent, 8 bytes ----
  CpuAwait load(RemoteAddr word);
  CpuAwait store(RemoteAddr word, std::uint64_t value);
  CpuAwait exchange(RemoteAddr word, std::uint64_t value);  // returns the old value
  CpuAwait cpu_compare_swap(RemoteAddr word, std::uint64_t expected,
                            std::uint64_t desired);            // returns the old value
  CpuAwait cpu_fetch_add(RemoteAddr word, std::uint64_t add);  // returns the old value

  // ---- time and randomness ----
  virtual Time now() const = 0;         // this node's clock, which drifts against all others
  SleepAwait sleep(Duration length);    // on this node's clock
  PlainAwait compute(Duration length);  // uses the CPU
  SynchronisedAwait synchronised_now();
  // Uniform in [0, bound), from the actor's own stream.
  std::uint64_t random(std::uint64_t bound) { return origin_->rng_.below(bound); }

  // ---- the node's shared state ----
  // Runs `visit` to completion while no other actor of the node runs one. In the simulator it takes
  // time, and waits for other visits only if they are about the same lock, as code with a mutex for
  // each lock does. Without a lock: about what the node's clients share for all of them.
  PlainAwait on_node(const InlineFunction<void()>& visit) { return on_node(std::nullopt, visit); }
  PlainAwait on_node(std::optional<LockId> about, const InlineFunction<void()>& visit);

  // ---- services ----
  AllocateAwait allocate(NodeId node, std::uint64_t bytes);  // zeroed, aligned to 64
  virtual Membership membership() const = 0;
  // As far as this actor knows. A server that does not come back is shown as up for ever, and
  // requests to it fail.
  virtual ServerLife life_of(NodeId /*server*/) const { return {}; }
  PlainAwait evict(ClientId client);  // destroys its QPs: no verb of it lands afterwards

  // ---- for the measuring code ----
  void mark(Phase phase) {
    if (origin_->phases_ != nullptr) origin_->phases_->mark(phase);
  }
  void mark_past(Phase phase) {
    if (origin_->phases_ != nullptr) origin_->phases_->was(phase);
  }
  // The client has claimed the recovery of a lock; and the lock is free again.
  void mark_recovery_begins() {
    if (origin_->phases_ != nullptr) origin_->phases_->recovery_begins();
  }
  void mark_recovery_ends() {
    if (origin_->phases_ != nullptr) origin_->phases_->recovery_ends();
  }
  // Returns the previous sink, so that the new one can forward marks to it.
  PhaseSink* measure_phases(PhaseSink* sink) { return std::exchange(origin_->phases_, sink); }
  ActorTally& tally() { return origin_->tally_; }
  FirstEffect& first_effect() { return origin_->first_effect_; }

  // ---- for the awaitables and wrappers ----
  virtual EndpointAddr open(std::uint32_t recv_depth, Transport transport) = 0;
  virtual Operation& take_operation() = 0;   // a cleared slot: see Operation::clear
  virtual void start(Operation& first) = 0;  // posts it and the rest of its batch
  virtual void recycle(Operation& op) = 0;
  // The base version uses a slot.
  virtual void start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter);
  virtual WaitOperation& take_wait() = 0;
  virtual void start_wait(WaitOperation& op) = 0;
  virtual void recycle_wait(WaitOperation& op) = 0;

 protected:
  // A wrapper around `inner`, which outlives it: the same actor, random stream and measures.
  explicit Verbs(Verbs* inner)
      : kind_(inner->kind_),
        node_(inner->node_),
        client_(inner->client_),
        rng_(inner->rng_),
        origin_(inner->origin_) {}
  Rng& rng() { return origin_->rng_; }

 private:
  Operation& prepare(OpKind kind);
  Operation& prepare_verb(const Verb& verb);
  Operation& prepare_send(EndpointAddr target, const Message& message);
  Operation& prepare_cpu(CpuAccess access, RemoteAddr word, std::uint64_t value,
                         std::uint64_t compare = 0);
  friend class Batch;

  ActorKind kind_;
  NodeId node_;
  ClientId client_;
  Rng rng_;
  Verbs* origin_ = this;  // the innermost of a stack of wrappers
  PhaseSink* phases_ = nullptr;
  ActorTally tally_;
  FirstEffect first_effect_;
};

// Verbs as data, for batches, probes and post().
Verb read_verb(RemoteAddr addr, std::uint32_t bytes = 8);
Verb write_verb(RemoteAddr addr, std::uint64_t word);
Verb cas_verb(RemoteAddr addr, std::uint64_t expected, std::uint64_t desired);
Verb faa_verb(RemoteAddr addr, std::uint64_t add);
Verb masked_cas_verb(RemoteAddr addr, std::uint32_t bytes, Words compare, Words compare_mask,
                     Words swap, Words swap_mask);
Verb masked_faa_verb(RemoteAddr addr, std::uint32_t bytes, Words add, Words boundary);

}  // namespace latchlab
