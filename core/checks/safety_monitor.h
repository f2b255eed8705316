#pragma once
// Mutual exclusion by mode, and who overtook whom. Fed by the client loop, at no cost in verbs:
// a grant is in use from the moment acquire returns until the client calls release.
//
// Three findings are told apart, because grants expire:
//   violation     two live clients inside the validity of conflicting grants;
//   expired hold  a grant was given while a conflicting holder was still inside, past its validity,
//                 or was itself worthless by the time its client had it;
//   late effect   such a holder's release was then carried out instead of suppressed.

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

class SafetyMonitor {
 public:
  // Shows the clock of a client's node, on which its grants' validity is given.
  class Clocks {
   public:
    virtual ~Clocks() = default;
    virtual Time local_now(ClientId client) const = 0;
  };

  SafetyMonitor(std::uint32_t clients, const Clocks& clocks);

  // Requests are ordered by when their first verb took effect.
  void watch(ClientId client, const FirstEffect& first) { clients_[client.value].first = &first; }
  void prefetch_client(ClientId client) const { prefetch(clients_[client.value]); }
  void requested(ClientId client, LockId lock, LockMode mode);
  void withdrawn(ClientId client);  // the acquisition was aborted
  // False: a violation, described by describe_violation().
  bool granted(ClientId client, const Grant& grant);
  void releasing(ClientId client, LockId lock);
  void released(ClientId client, ReleaseResult result);
  void crashed(ClientId client);

  const SafetyCounts& counts() const { return counts_; }
  std::uint64_t max_bypassed() const { return max_bypassed_; }
  const std::string& describe_violation() const { return violation_; }
  std::uint64_t holders(LockId lock) const;

 private:
  // Lists are linked by number, so that a client costs some dozens of bytes and no allocation.
  static constexpr std::uint32_t kNobody = 0xffff'ffff;
  struct Holder {
    Time valid_until;
    ClientId client;
    std::uint32_t next = kNobody;  // of the same lock, or of the unused ones
    LockMode mode = LockMode::exclusive;
  };
  struct LockState {
    LockId lock;
    std::uint32_t holders = kNobody;  // the first: an index of holders_, the latest grant
    std::uint32_t waiting = kNobody;  // the first: a client, the latest request
    bool used() const { return holders != kNobody || waiting != kNobody; }
  };
  struct ClientState {
    LockId wanted;
    const FirstEffect* first = nullptr;
    std::uint32_t bypassed = 0;
    std::uint32_t before = kNobody, after = kNobody;  // among those that wait for `wanted`
    LockMode mode = LockMode::exclusive;
    bool waiting = false;
    bool overtaken = false;  // lost its grant to somebody while still inside
  };

  LockState& state_of(LockId lock);
  std::size_t find(LockId lock) const;
  void drop_if_idle(std::size_t index);
  void grow();
  void count_bypasses(const LockState& state, ClientId winner, LockMode mode);
  void join_waiting(LockState& state, ClientId client);
  void leave_waiting(LockState& state, ClientId client);
  void add_holder(LockState& state, const Holder& holder);
  bool remove_holder(LockState& state, ClientId client);  // the oldest of its grants

  const Clocks& clocks_;
  std::vector<LockState> table_;  // open addressing; only locks in use are in it
  std::size_t used_ = 0;
  std::vector<ClientState> clients_;
  std::vector<Holder> holders_;
  std::uint32_t free_holder_ = kNobody;
  SafetyCounts counts_;
  std::uint64_t max_bypassed_ = 0;
  std::string violation_;
};

}  // namespace latchlab
