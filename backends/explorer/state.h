#pragma once
// The explorer's state, shared by its parts, and the few things that every part does: find memory,
// complete an operation, resume a coroutine. Coroutines are resumed by steps only, never from
// inside a call of theirs.

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
  bool closed = false;  // its process is gone
  std::vector<Message> queue;
};

struct NodeState {
  NodeId id;
  SparseMemory memory;
  bool dead = false;
  std::vector<std::uint64_t> held_words;  // inside an atomic's read-modify-write
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

  // Completes an operation whose effect is over: takes it off its actor and resumes who waits.
  void complete(OpSlot& op);
  // Takes an operation that will never complete for anybody off its actor.
  void drop(OpSlot& op);
  // Runs coroutine code of `actor` until it suspends, and clears away what has ended.
  void resume(Actor& actor, std::coroutine_handle<> waiter);
  void start_root(Actor& actor, std::size_t root);
  // Timed searches: what has taken effect since the last call did so now; and what is possible as
  // `steps` has it, and was not then, is so from now on.
  void note_effects();
  void note_possible(const StepList& steps);
  bool running() const { return running_; }
  // Recording of a semantic event: what happened, to whom, with which values.
  void note(StepKind kind, const Actor& actor, std::uint64_t a = 0, std::uint64_t b = 0,
            std::uint64_t c = 0);

  // In a search: an access to memory that is not the lock's is a finding.
  void check_owned(RemoteAddr addr, std::uint64_t bytes);
  // A verb, message or call has taken effect.
  void count_effect(const OpSlot& op);

  // null: not a search.
  SearchSupport* search() const { return options.search; }
  bool timed() const { return search() != nullptr && search()->timed(); }
  // What the clock of a node shows at a true date. Only in a timed search is that another.
  Time shown_on(NodeId node, Time date) const;
  Time local_now(NodeId node) const { return shown_on(node, clock); }
  // The first true date at which the clock of `node` shows `local` or more.
  Time true_date(NodeId node, Time local) const;
  Arena* own_arena() const { return search() == nullptr ? nullptr : &search()->arenas[0]; }

  ExplorerOptions options;
  std::unique_ptr<Chooser> own_chooser;
  Chooser* chooser;  // who decides now
  Time clock;
  std::deque<NodeState> nodes;
  std::vector<std::unique_ptr<Actor>> actors;
  std::map<std::uint64_t, OpSlot*> calls;  // by ticket; null: the caller is dead
  std::uint64_t next_ticket = 1;
  std::vector<bool> alive;  // as membership shows it
  std::uint64_t membership_version = 0;
  std::vector<ClientId> undetected;  // crashed, and membership does not show it yet
  bool any_client = false;           // a client coroutine was spawned
  std::uint64_t clients_left = 0;    // coroutines of clients that have not ended
  bool foreign_access = false;       // to memory that is not there, or not the lock's
  std::uint64_t seed = 1;
  VerbCensus census;  // in_flight is counted when asked for
  RunFingerprint fingerprint;

 private:
  void sweep(Actor& actor);
  void count_ended(const OpSlot& op);
  bool running_ = false;
  std::uint64_t effects_ = 0;
};

}  // namespace latchlab::explorer
