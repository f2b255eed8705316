#pragma once
// Who is bypassed by whom, for locks that claim a bound (Protocol::bypass_bound). A client waits
// from its request until it has the lock or gives up; its place is the moment at which the first
// verb of this request took effect. It is bypassed whenever somebody with a later place, or none,
// gets the lock before it.
//
// Part of a state, and so what it keeps is what the future depends on: of places, who among those
// that wait came before whom, where the lock claims something about the two; of counts, nothing
// beyond the first that is too many.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/protocols/lock.h"

namespace latchlab::explore {

class BypassCheck {
 public:
  // Of a lock that is acquired `acquisitions` times at most by `clients` of them, up to 32.
  BypassCheck(const Protocol& protocol, std::uint32_t clients, std::uint64_t acquisitions);
  // Of a case in which nothing is claimed: all calls do nothing.
  BypassCheck() = default;

  void requested(ClientId client, LockMode mode);
  // The first verb of its request has taken effect.
  void came(ClientId client);
  void withdrawn(ClientId client);
  void granted(ClientId client);

  // The request's first verb is still to come.
  bool expected(ClientId client) const { return on() && clients_[client.value].expected != 0; }
  // Since forget(), somebody was bypassed more often than the lock claims; describe() says who.
  void forget() { broken_ = {}; }
  bool broken() const { return broken_.count != 0; }
  std::string describe() const;
  bool on() const { return !clients_.empty(); }

 private:
  using ByMode = std::array<std::uint32_t, kLockModes>;

  // Numbers of one width alone: padding would be part of a state.
  struct Client {
    std::uint32_t mode = 0;
    std::uint32_t expected = 0;
    std::uint32_t before = 0;  // who came before it and waits, one bit each
    ByMode bypassed = {};      // by the winner's mode
  };
  struct Broken {
    std::uint32_t waiter = 0;
    std::uint32_t winner = 0;
    std::uint32_t count = 0;  // 0: not broken
  };

  // Bits of all that have come, wait, and are not to be bypassed too often by this client.
  std::uint32_t waiting_before(ClientId client) const;
  void leave(ClientId client);

  std::vector<Client> clients_;
  std::array<ByMode, kLockModes> bounds_ = {};  // by waiter's and winner's mode
  std::uint32_t waiting_ = 0;                   // have come, and wait: one bit each
  Broken broken_;
};

}  // namespace latchlab::explore
