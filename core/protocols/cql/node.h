#pragma once
// CQL's node part: how often each lock has been reset, as far as this node knows, and which clients
// of the node would be disturbed by a reset. It answers resets for them.

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

// As whom a node's part knows those that act for the node, not for themselves.
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

  // ---- visits, of clients too: nobody else of the node is inside ----

  // From now on no reset of the lock is answered until this client has left it. The reset count.
  std::uint32_t enter(LockId lock, ClientId client);
  // The same for one that is notified, unless the lock has been reset since.
  bool enter_again(LockId lock, ClientId client, std::uint32_t count);
  // What has to be answered now; `answered` says that it was.
  Answer leave(LockId lock, ClientId client);
  void answered(LockId lock, const Answer& answer);
  std::uint32_t count_of(LockId lock) const;
  // A Reset has come: it waits for clients of the node that are inside.
  void heard_of(const Message& reset);
  // It is one of an earlier reset, and takes no later one's place.
  bool comes_late(const Message& reset, const Membership& members) const;
  bool asked(LockId lock) const;
  // Of servers that come back.
  Servers& servers() { return servers_; }
  // Does somebody ask about the server, whom nobody of the node keeps waiting?
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
    bool waits = false;         // there is none that is, and one that waits for clients of the node
    Servers::Question cleared;  // is to be answered, if it has an address
  };
  NodeId server_of(LockId lock) const { return env_.peers->lock(lock).entry.node; }
  std::uint32_t least_count(LockId lock) const;
  State& state_of(LockId lock);
  bool forget_dead(LockId lock);
  bool cleared(NodeId server);
  void nobody_inside(LockId lock);
  Next what_is_next();
  Task<void> hear(Verbs& verbs, const Message& message);
  Task<void> cut_off_dead(Verbs& verbs);
  Task<Next> answer_what_is_due(Verbs& verbs);

  // From the beginning: a search does not tell a list that was in use from a new one.
  static constexpr std::size_t kRoom = 8;

  const Options& options_;  // the protocol's, which outlives its parts
  const NodeEnv env_;
  Lookup<State> locks_;        // that have been reset, or that somebody here is inside of
  std::vector<LockId> asked_;  // of which a reset has not been answered yet
  std::vector<LockId> busy_;   // that somebody here is inside of, by their numbers
  std::vector<bool> gone_;     // clients of this node that have died, and are cut off
  Servers servers_;
};

// Of this node, that no client of it is in the way.
Task<void> acknowledge(Verbs& verbs, LockId lock, Answer answer, std::uint32_t node);
// Not awaited: one that asked and has died would hold up those that wait for the next answer, or
// for the client that gives it. Asked again, a node answers again.
Task<void> answer(Verbs& verbs, EndpointAddr to, Message message);

}  // namespace latchlab::cql
