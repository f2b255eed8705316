#pragma once
// Counts how often one client bypasses another, for locks that claim a bound
// (Protocol::bypass_bound). A client waits from its request until it has the lock or gives up; its
// place in the order is the moment at which the first verb of the request took effect. It is
// bypassed when a client with a later place, or without one, gets the lock before it.
//
// Part of a state, so only what the future depends on is kept: of the places, which waiting clients
// came before which, where the lock makes a claim about the two; of the counts, nothing beyond the
// first that exceeds its bound.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/protocols/lock.h"

namespace latchlab::explore {

class BypassCheck {
 public:
  // For a lock that up to 32 `clients` acquire `acquisitions` times in total, at most.
  BypassCheck(const Protocol& protocol, std::uint32_t clients, std::uint64_t acquisitions);
  // For a case without a claim: all calls do nothing.
  BypassCheck() = default;

  void requested(ClientId client, LockMode mode);
  // The first verb of the client's request has taken effect.
  void came(ClientId client);
  void withdrawn(ClientId client);
  void granted(ClientId client);

  // Whether the request's first verb has not taken effect yet.
  bool expected(ClientId client) const { return on() && clients_[client.value].expected != 0; }
  // Whether a client was bypassed more often than the lock claims, since forget(); describe() names
  // the clients.
  void forget() { broken_ = {}; }
  bool broken() const { return broken_.count != 0; }
  std::string describe() const;
  bool on() const { return !clients_.empty(); }

 private:
  using ByMode = std::array<std::uint32_t, kLockModes>;

  // All members have one width, because padding would be part of a state.
  struct Client {
    std::uint32_t mode = 0;
    std::uint32_t expected = 0;
    std::uint32_t before = 0;  // waiting clients with an earlier place, one bit each
    ByMode bypassed = {};      // by the winner's mode
  };
  struct Broken {
    std::uint32_t waiter = 0;
    std::uint32_t winner = 0;
    std::uint32_t count = 0;  // 0: not broken
  };

  // Clients that wait with a place and whose bypasses by this client are bounded, one bit each.
  std::uint32_t waiting_before(ClientId client) const;
  void leave(ClientId client);

  std::vector<Client> clients_;
  std::array<ByMode, kLockModes> bounds_ = {};  // by waiter's and winner's mode
  std::uint32_t waiting_ = 0;                   // waiting clients with a place, one bit each
  Broken broken_;
};

}  // namespace latchlab::explore
