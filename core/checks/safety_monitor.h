#pragma once
// Checks mutual exclusion by mode and extent, and counts bypasses. The client loop feeds it, at no
// cost in verbs: a grant is in use from the moment acquire returns until the client calls release.
// A client may hold several grants, of one lock or of several, and waits for one lock at a time;
// its own grants conflict with each other as those of two clients do.
//
// Grants expire, so there are three kinds of finding:
//   violation     two live clients hold conflicting grants, both within their validity
//   expired hold  a grant was given while a conflicting holder still used its own past its
//                 validity, or the grant itself had expired before its client received it
//   late effect   such a holder's release was then carried out instead of suppressed, or its grant
//                 was upgraded or extended
//
// Upgrades are compared with all other grants. They are not requests, and bypass no client.

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
  // The clock of a client's node, on which the validity of its grants is given.
  class Clocks {
   public:
    virtual ~Clocks() = default;
    virtual Time local_now(ClientId client) const = 0;
  };

  SafetyMonitor(std::uint32_t clients, const Clocks& clocks);
  SafetyMonitor(const SafetyMonitor&) = delete;
  SafetyMonitor& operator=(const SafetyMonitor&) = delete;

  // Requests are ordered by the time at which their first verb took effect: the monitor is the
  // listener of each client's FirstEffect. Requests without a first-effect event are not ordered.
  void first_effect(ClientId client) override;
  void prefetch_client(ClientId client) const { prefetch(clients_[client.value]); }
  // `want` must stay in place until it is granted, aborted or withdrawn, or its client has crashed.
  void requested(ClientId client, const Want& want);
  // This try was aborted, and the acquisition continues: the client requests the same again, and
  // keeps its place in the order of requests and its count of bypasses.
  void aborted(ClientId client) { clients_[client.value].asked = nullptr; }
  void withdrawn(ClientId client);  // the acquisition is over, without a grant
  // These three return false on a violation, which describe_violation() describes.
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
  // Lists are linked by index, so that a client needs few bytes and no allocation.
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  // A client's claim on a lock: a request whose first verb has taken effect, or a grant.
  struct Claim {
    LockId lock;
    Extent extent;
    Time valid_until;
    ClientId client;
    GrantId id;
    std::uint32_t next = kNone;  // in the lock's holders, its waiting claims, or the unused claims
    std::uint32_t before = kNone;
    std::uint32_t next_of_client = kNone;  // among the client's grants
    std::uint32_t bypassed = 0;
    LockMode mode = LockMode::exclusive;
    bool overtaken = false;  // another client was granted the lock while this one still used it
  };
  struct LockState {
    LockId lock;
    std::uint32_t holders = kNone;  // the latest grant
    // In the order of their first effects, in which they are added. A client that is granted the
    // lock has bypassed the claims before its own.
    std::uint32_t first_waiting = kNone, last_waiting = kNone;
    bool used() const { return holders != kNone || first_waiting != kNone; }
  };
  struct ClientState {
    const Want* asked = nullptr;    // what the client waits for; also null between two tries
    std::uint32_t waiting = kNone;  // its claim to that, if there is one
    std::uint32_t grants = kNone;   // the latest; includes grants in release and overtaken ones
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
  std::vector<LockState> table_;  // open addressing; contains only locks in use
  std::size_t used_ = 0;
  std::vector<ClientState> clients_;
  std::vector<Claim> claims_;
  std::uint32_t unused_ = kNone;  // first unused claim
  SafetyCounts counts_;
  std::uint64_t max_bypassed_ = 0;
  std::string violation_;
};

}  // namespace latchlab
