#pragma once
// Mutual exclusion by mode and extent, and who overtook whom. Fed by the client loop, at no cost in
// verbs: a grant is in use from the moment acquire returns until the client calls release. A client
// may hold several grants, of one lock or of several, and waits for one lock at a time; its own
// grants conflict like anybody's.
//
// Three findings are told apart, because grants expire:
//   violation     two live clients inside the validity of conflicting grants;
//   expired hold  a grant was given while a conflicting holder was still inside, past its validity,
//                 or was itself worthless by the time its client had it;
//   late effect   such a holder's release was then carried out instead of suppressed, or its grant
//                 upgraded or extended.
//
// Upgrades are compared with all other grants, and are no requests: they bypass nobody.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/prefetch.h"
#include "core/base/time.h"
#include "core/protocols/lock.h"

namespace latchlab {

struct SafetyCounts {
  std::uint64_t checks = 0;  // grants that were compared with the holders of their lock
  std::uint64_t violations = 0;
  std::uint64_t expired_holds = 0;
  std::uint64_t late_effects = 0;
};

class SafetyMonitor final : public FirstEffect::Listener {
 public:
  // Shows the clock of a client's node, on which its grants' validity is given.
  class Clocks {
   public:
    virtual ~Clocks() = default;
    virtual Time local_now(ClientId client) const = 0;
  };

  SafetyMonitor(std::uint32_t clients, const Clocks& clocks);
  SafetyMonitor(const SafetyMonitor&) = delete;
  SafetyMonitor& operator=(const SafetyMonitor&) = delete;

  // Requests are ordered by when their first verb took effect: to be told of it, the monitor is the
  // listener of each client's FirstEffect. Of requests of which it is not told it knows no order.
  void first_effect(ClientId client) override;
  void prefetch_client(ClientId client) const { prefetch(clients_[client.value]); }
  // `want` stays where it is until it is granted, aborted or withdrawn, or its client has crashed.
  void requested(ClientId client, const Want& want);
  // This try was aborted, and the acquisition goes on: the client requests the same again, and
  // keeps its place in the order of requests and the count of those that bypassed it.
  void aborted(ClientId client) { clients_[client.value].asked = nullptr; }
  void withdrawn(ClientId client);  // the acquisition is over, without a grant
  // False, here and below: a violation, described by describe_violation().
  bool granted(ClientId client, const Grant& grant);
  bool upgraded(ClientId client, const Grant& grant);
  bool extended(ClientId client, const Grant& grant);
  void releasing(ClientId client, const Grant& grant);
  void released(ClientId client, const Grant& grant, ReleaseResult result);
  void forgotten(ClientId client, const Grant& grant);  // it will never be released
  void crashed(ClientId client);

  const SafetyCounts& counts() const { return counts_; }
  std::uint64_t max_bypassed() const { return max_bypassed_; }
  const std::string& describe_violation() const { return violation_; }
  std::uint64_t holders(LockId lock) const;

 private:
  // Lists are linked by number, so that a client costs some bytes and no allocation.
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  // Of a client on a lock: a request whose first verb has taken effect, or a grant.
  struct Claim {
    LockId lock;
    Extent extent;
    Time valid_until;
    ClientId client;
    GrantId id;
    std::uint32_t next = kNone;  // of the lock's holders, of those that wait for it, or unused ones
    std::uint32_t before = kNone;
    std::uint32_t next_of_client = kNone;  // among its grants
    std::uint32_t bypassed = 0;
    LockMode mode = LockMode::exclusive;
    bool overtaken = false;  // lost its grant to somebody while still inside
  };
  struct LockState {
    LockId lock;
    std::uint32_t holders = kNone;  // the latest grant
    // In the order of their first effects, which is that in which they get here: who is granted the
    // lock has bypassed those before it.
    std::uint32_t first_waiting = kNone, last_waiting = kNone;
    bool used() const { return holders != kNone || first_waiting != kNone; }
  };
  struct ClientState {
    const Want* asked = nullptr;    // what it waits for; null between two tries, too
    std::uint32_t waiting = kNone;  // its claim to that, once there is one
    std::uint32_t grants = kNone;   // the latest; also what is being released and was overtaken
  };

  LockState& state_of(LockId lock);
  std::size_t find(LockId lock) const;
  void drop_if_idle(std::size_t index);
  void grow();

  std::uint32_t new_claim();
  void free_claim(std::uint32_t at);
  void add_waiting(LockState& state, std::uint32_t at);
  void remove_waiting(LockState& state, std::uint32_t at);
  void add_holder(LockState& state, std::uint32_t at);
  void remove_holder(LockState& state, std::uint32_t at);
  std::uint32_t grant_of(ClientId client, const Grant& grant) const;
  void drop_grant(ClientId client, std::uint32_t at);

  void count_bypasses(const LockState& state, std::uint32_t winner, const Grant& grant);
  bool is_alone(const LockState& state, std::uint32_t mine);
  bool changed(ClientId client, const Grant& grant);
  void tell(const Claim& mine, const Claim& holder);

  const Clocks& clocks_;
  std::vector<LockState> table_;  // open addressing; only locks in use are in it
  std::size_t used_ = 0;
  std::vector<ClientState> clients_;
  std::vector<Claim> claims_;
  std::uint32_t unused_ = kNone;  // of the claims
  SafetyCounts counts_;
  std::uint64_t max_bypassed_ = 0;
  std::string violation_;
};

}  // namespace latchlab
