#pragma once
// The explorer's state, shared by its parts, and what every part needs: find memory, complete an
// operation, resume a coroutine. Only steps resume coroutines, never calls that a coroutine makes.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/explorer/actor.h"
#include "backends/explorer/chooser.h"
#include "backends/explorer/explorer_backend.h"
#include "backends/explorer/search_support.h"
#include "backends/explorer/slots.h"
#include "core/base/fingerprint.h"
#include "core/verbs/sparse_memory.h"
#include "core/world/backend.h"

namespace latchlab::explorer {

struct Endpoint {
  Actor* owner = nullptr;
  EndpointAddr addr;
  std::uint32_t recvs_free = 0;
  Transport transport = Transport::dc;
  bool closed = false;  // the process of its owner is gone
  std::vector<Message> queue;

  // It lies, with its queue, in arenas of the actors that opened endpoints of this node.
  void touch() const { explorer::touch(arena_of(this) | arena_of(queue.data())); }
};

struct NodeState {
  NodeId id;
  SparseMemory memory;
  bool dead = false;
  std::vector<std::uint64_t> held_words;  // between the two steps of an atomic
  std::deque<Endpoint> endpoints;         // by number - 1
  Actor* server = nullptr;
  CallHandler* handler = nullptr;
};

class State {
 public:
  State(const WorldPlan& plan, const ExplorerOptions& options);

  NodeState* find_node(NodeId id);  // null: there is no such node
  std::uint64_t& word(RemoteAddr addr);
  Actor& add_actor(ActorKind kind, NodeId node, ClientId client);
  Actor* find_client(ClientId client);

  // Completes an operation whose effect is over: removes it from its actor and resumes the
  // coroutine that awaits its batch.
  void complete(OpSlot& op);
  // Removes an operation that will never complete from its actor.
  void drop(OpSlot& op);
  // Runs code of the actor's coroutines until it suspends, and removes coroutines that have ended.
  void resume(Actor& actor, std::coroutine_handle<> waiter);
  void start_root(Actor& actor, std::size_t root);
  // Timed searches: sets `effected_at` of operations that took effect since the last call, and
  // `possible_since` of operations whose next step has become possible by `steps`, to the present.
  void note_effects();
  void note_possible(const StepList& steps);
  bool running() const { return running_; }
  // In a search: tells that the actor, or the parts of a node, may change.
  void touch(const Actor& actor) const;
  void touch_parts(NodeId node) const;
  // Adds an event with its values to the fingerprint.
  void note(StepKind kind, const Actor& actor, std::uint64_t a = 0, std::uint64_t b = 0,
            std::uint64_t c = 0);

  // In a search: an access to memory that is not the lock's is a violation.
  void check_owned(RemoteAddr addr, std::uint64_t bytes);
  // A verb, message or call has taken effect.
  void count_effect(const OpSlot& op);

  // Null: not a search.
  SearchSupport* search() const { return options.search; }
  bool timed() const { return search() != nullptr && search()->timed(); }
  // What the clock of a node shows at a true date. Differs from it only in a timed search.
  Time shown_on(NodeId node, Time date) const;
  Time local_now(NodeId node) const { return shown_on(node, clock); }
  // The first true date at which the clock of `node` shows `local` or more.
  Time true_date(NodeId node, Time local) const;
  Arena* own_arena() const { return search() == nullptr ? nullptr : &search()->arenas[0]; }

  ExplorerOptions options;
  std::unique_ptr<Chooser> own_chooser;
  Chooser* chooser;  // makes the current choices
  Time clock;
  std::deque<NodeState> nodes;
  std::vector<std::unique_ptr<Actor>> actors;
  std::map<std::uint64_t, OpSlot*> calls;  // by ticket; null: the caller is dead or has given up
  std::uint64_t next_ticket = 1;
  std::vector<bool> alive;  // as membership shows it
  std::uint64_t membership_version = 0;
  std::vector<ClientId> undetected;  // crashed, and not yet shown by membership
  bool any_client = false;           // a client coroutine was spawned
  std::uint64_t clients_left = 0;    // coroutines of clients that have not ended
  bool cuts_expected = false;        // searches: completions may still fail
  bool foreign_access = false;       // to memory that does not exist, or is not the lock's
  std::uint64_t seed = 1;
  VerbCensus census;  // in_flight is counted on request
  RunFingerprint fingerprint;

 private:
  void sweep(Actor& actor);
  void count_ended(const OpSlot& op);
  bool running_ = false;
  std::uint64_t effects_ = 0;
};

}  // namespace latchlab::explorer
