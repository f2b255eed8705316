#pragma once
// One actor on hardware. Hands its requests to the engines of its host (the thread and node that it
// runs on), and holds its state.

#include <coroutine>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backends/ibverbs/dc.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wire.h"
#include "core/verbs/verbs.h"
#include "core/world/backend.h"

namespace latchlab::ib {

class IbActor;
class ActorHost;
struct Connection;

// Registered memory for the result of a READ, of one size class (pools.h).
struct Buffer {
  std::uint64_t* words = nullptr;
  std::uint32_t key = 0;
  std::uint8_t size = 0;
};

struct IbOperation : Operation {
  std::uint32_t index = 0;       // in its pool
  std::uint32_t generation = 0;  // grows when the slot is reused
  std::uint32_t pieces = 0;      // answers still to come
  std::uint32_t retries = 0;
  Connection* connection = nullptr;
  bool posted = false;       // on its QP, not complete yet
  Words* landing = nullptr;  // registered: where the RNIC writes the result of a verb
  std::uint32_t landing_key = 0;
  Buffer buffer;                  // for results longer than `landing`
  IbOperation* behind = nullptr;  // the sender's next message to the same endpoint

  // The result of a READ is in `buffer`.
  void show_words() {
    words = buffer.words;
    completion.value = {words[0], words[1]};
  }
};

struct IbWait : WaitOperation {
  bool armed = false;
};

// An actor's RC QP to one node, or the DC initiator that it leases while verbs are posted (dc.h).
// All verbs of a batch use the same connection.
struct Connection {
  enum class State : std::uint8_t {
    idle,
    asking,  // the node's memory server is making the other end
    ready,
    looking,  // ready, and asks where the memory of the first waiting verb is
    broken,   // a verb has failed; lasts until all posted verbs are back
  };
  static constexpr std::uint32_t kDepth = 128;

  IbActor* actor = nullptr;
  NodeId to;
  State state = State::idle;
  QueuePair qp;
  Dci* dci = nullptr;                // leased; null: none
  std::optional<DcAim> aim;          // with DC: set at first use
  std::uint32_t posts = 0;           // since the DCI was leased
  bool in_line = false;              // waits for a DCI
  bool stalled = false;              // waits for room in the thread's CQ
  std::uint64_t looking_for = 0;     // ticket of the request whose answer ends `looking`
  std::deque<IbOperation*> waiting;  // not posted yet
  std::deque<IbOperation*> posted;   // in posting order
};

class IbActor final : public Verbs {
 public:
  IbActor(ActorHost& host, ActorKey name, ActorKind kind, NodeId node, ClientId client,
          const Rng& rng)
      : Verbs(kind, node, client, rng), host_(host), key(name) {}
  // The same server part on another thread.
  IbActor(ActorHost& host, ActorKey name, IbActor& first)
      : Verbs(&first), host_(host), key(name), turn(first.turn) {}

  EndpointAddr open(std::uint32_t recv_depth, Transport transport) override;
  void reply(const PendingCall& pending, const Reply& reply) override;
  Time now() const override;
  Membership membership() const override;
  Operation& take_operation() override;
  void start(Operation& first) override;
  void recycle(Operation& op) override;
  void start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) override;
  WaitOperation& take_wait() override;
  void start_wait(WaitOperation& op) override;
  void recycle_wait(WaitOperation& op) override;

 private:
  // Checks that a server part with several threads is used on the thread that runs it now.
  void check_thread() const;

  ActorHost& host_;

 public:
  const ActorKey key;
  // Held while code of this actor's part runs on any of its threads; null: the part has one thread.
  std::mutex* turn = nullptr;
  std::unique_lock<std::mutex> take_turn() const {
    return turn != nullptr ? std::unique_lock(*turn) : std::unique_lock<std::mutex>();
  }
  Task<void> root;
  bool started = false;
  std::uint64_t life = 1;  // grows when the coroutine is destroyed
  bool alive = true;
  std::map<NodeId, std::unique_ptr<Connection>> connections;
  // By endpoint: the last message that is not complete.
  std::map<std::uint64_t, IbOperation*> sending;
  std::vector<IbWait*> waits;  // armed
  std::uint32_t detached = 0;  // posted detached operations that are not complete
  VerbStatus detached_error = VerbStatus::ok;
  IbOperation* flushing = nullptr;
  CallHandler* handler = nullptr;   // of a server part
  std::vector<Task<void>> serving;  // calls being handled

  ActorHost& host() { return host_; }
};

}  // namespace latchlab::ib
