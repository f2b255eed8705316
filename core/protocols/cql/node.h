#pragma once
// CQL's node part: how often each lock has been reset, as far as this node knows, and which of the
// node's clients use it, so that a reset has to wait for them. It answers resets on their behalf.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/lookup.h"
#include "core/protocols/cql/format.h"
#include "core/protocols/cql/options.h"
#include "core/protocols/cql/servers.h"
#include "core/protocols/lock.h"

namespace latchlab::cql {

// An answer to a reset.
struct Answer {
  EndpointAddr to;          // null: none
  std::uint32_t asked = 0;  // the reset count in the question
  std::uint32_t count = 0;  // that of this node
  ClientId asks;
  constexpr bool operator==(const Answer&) const = default;
};

// The id under which a node's part knows a client that acts for the whole node.
inline constexpr ClientId kWholeNode{~0U};

class Node final : public NodePart {
 public:
  Node(const Options& options, const NodeEnv& env)
      : options_(options),
        env_(env),
        gone_(env.peers->shape().clients),
        servers_(env.peers->shape().servers) {
    busy_.reserve(kRoom);
  }

  // ---- visits, by clients too: one at a time on a node ----

  // From now on no reset of the lock is answered until this client has left it. Returns the reset
  // count.
  std::uint32_t enter(LockId lock, ClientId client);
  // The same for a client that is notified. False, and no effect, if the lock has been reset since.
  bool enter_again(LockId lock, ClientId client, std::uint32_t count);
  // Returns the answer that is due now, if any; `answered` notes that it was sent.
  Answer leave(LockId lock, ClientId client);
  void answered(LockId lock, const Answer& answer);
  std::uint32_t count_of(LockId lock) const;
  // A Reset has come; its answer waits for clients of the node that use the lock.
  void heard_of(const Message& reset);
  // The Reset belongs to an earlier reset, and must not replace a later one.
  bool comes_late(const Message& reset, const Membership& members) const;
  bool asked(LockId lock) const;
  // About servers that come back.
  Servers& servers() { return servers_; }
  // Is a question about the server open, and does no client of the node delay its answer?
  bool owes_answer(NodeId server);

  Task<void> background(Verbs& verbs) override;

 private:
  struct State {
    std::uint32_t count = 0;
    std::vector<ClientId> inside;
    Answer pending;  // to the latest reset

    bool due() const { return inside.empty() && !pending.to.null(); }
    bool idle() const { return inside.empty() && pending.to.null(); }
  };
  struct Next {
    LockId lock;
    Answer answer;              // that is due
    bool waits = false;         // no answer is due, and one waits for clients of the node
    Servers::Question cleared;  // is to be answered, if it has an address
  };
  NodeId server_of(LockId lock) const { return env_.peers->lock(lock).entry.node; }
  std::uint32_t least_count(LockId lock) const;
  State& state_of(LockId lock);
  bool forget_dead(LockId lock);
  bool cleared(NodeId server);
  void last_holder_left(LockId lock);
  Next what_is_next();
  Task<void> hear(Verbs& verbs, const Message& message);
  Task<void> cut_off_dead(Verbs& verbs);
  Task<Next> answer_what_is_due(Verbs& verbs);

  // Reserved up front, so that a search does not tell a list that was in use from a new one.
  static constexpr std::size_t kRoom = 8;

  const Options& options_;  // the protocol's, which outlives its parts
  const NodeEnv env_;
  Lookup<State> locks_;        // those that have been reset, or that a client here uses
  std::vector<LockId> asked_;  // those of which a reset has not been answered yet
  std::vector<LockId> busy_;   // those that a client here uses, in ascending order
  std::vector<bool> gone_;     // clients of this node that have died, and are cut off
  Servers servers_;
};

// Sends the answer of this node, that none of its clients uses the lock.
Task<void> acknowledge(Verbs& verbs, LockId lock, Answer answer, std::uint32_t node);
// Not awaited: if the client that asked has died, the verb would hold up the clients that wait for
// the next answer, or for the client that sends it. A node that is asked again answers again.
Task<void> answer(Verbs& verbs, EndpointAddr to, Message message);

}  // namespace latchlab::cql
