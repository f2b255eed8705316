#pragma once
// Operations of the actors of one thread on their own node: CPU access to memory, node state, time,
// services; and their waits for messages, words in own memory, deadlines and membership.

#include <cstdint>
#include <set>
#include <vector>

#include "backends/ibverbs/engine_context.h"
#include "backends/ibverbs/message_engine.h"

namespace latchlab::ib {

class LocalEngine {
 public:
  // `clients`: of the whole run.
  LocalEngine(EngineContext& context, MessageEngine& messages, std::uint32_t clients)
      : context_(context), messages_(messages), alive_(clients, true) {}

  void start(IbActor& actor, IbOperation& op);
  // One of the nodes has cut the client off.
  void evicted_there(IbOperation& op);

  IbWait& take_wait() { return waits_.take(); }
  void recycle_wait(IbWait& wait) { waits_.give(wait); }
  void start_wait(IbActor& actor, IbWait& wait);
  void deadline_came(IbActor& actor, IbWait& wait);
  // Ends the waits whose words have changed; false: none has ended.
  bool check_words();
  bool awaits_words() const { return word_waits_ > 0; }
  // A message has come for the actor.
  void check_messages(IbActor& actor);
  // The actor is dead.
  void drop_waits(IbActor& actor);

  Membership membership() const { return {membership_version_, &alive_}; }
  void clients_gone(const std::vector<ClientId>& gone);
  void node_is_gone(NodeId node) { gone_.insert(node); }

 private:
  void compute(IbActor& actor, Duration length);
  void access_memory(IbOperation& op);
  void allocate(IbOperation& op);
  void evict(IbOperation& op);
  bool try_satisfy(IbActor& actor, IbWait& wait);
  void satisfied(IbActor& actor, IbWait& wait);
  template <class Pred>
  void check_waits(IbActor& actor, const Pred& concerns);

  EngineContext& context_;
  MessageEngine& messages_;
  WaitPool waits_;
  std::uint32_t word_waits_ = 0;  // armed waits for words
  std::set<NodeId> gone_;
  std::vector<bool> alive_;  // by client
  std::uint64_t membership_version_ = 0;
};

}  // namespace latchlab::ib
