#pragma once
// Counts how often clients are bypassed, for any number of clients and locks, by the modes of the
// waiting client and of the client that acquires the lock first. The counts are compared with the
// lock's claim (Protocol::bypass_bound) once it is known how often each lock was asked for.
//
// Ranges that have no units in common do not bypass each other.
//
// A client whose deadline has passed no longer wants the lock, although it may still have to be
// told. If it acquires the lock all the same, its position is not known: a verb that takes effect
// after its caller gave up is not counted as its first effect. An acquisition that the lock itself
// has ended does not count, because the time at which it stopped waiting is not visible from
// outside.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/workload/client_loop.h"
#include "core/world/world.h"

namespace latchlab::swarm {

class BypassCount : public LoopObserver, public FirstEffect::Listener {
 public:
  struct Worst {
    std::uint32_t claimed = 0;           // the largest count that has a claim ...
    std::optional<std::uint32_t> bound;  // ... and that claim; none: no claim
    std::uint32_t unclaimed = 0;         // the largest count without a claim
    std::string broken;                  // empty: every claim held
  };

  void watch(const World& world) {
    world_ = &world;
    clients_.resize(world.world_shape().clients());
  }
  // Has the deadline of its acquisition passed?
  virtual bool too_late(ClientId client) const = 0;

  void acquire_begins(ClientId client, const Want& want) override {
    ++locks_[want.lock.id.value].requests;
    clients_[client.value] = {want.lock.id.value, want.mode, want.extent, true, {}};
    FirstEffect& effect = world_->verbs(client).first_effect();
    effect.listener = this;
    effect.arm();
  }
  void first_effect(ClientId client) override {
    const Client& who = clients_[client.value];
    if (who.asks) locks_[who.lock].came.push_back(client);
  }
  void acquire_aborted(ClientId client, const Want&, AbortReason reason) override {
    leave(client, reason == AbortReason::deadline);
  }
  void acquired(ClientId client, const Grant&) override {
    const auto winner = static_cast<std::size_t>(clients_[client.value].mode);
    const bool placed = !too_late(client);
    for (const ClientId before : locks_[clients_[client.value].lock].came) {
      if (before == client || !placed) break;
      const Extent& wanted = clients_[before.value].extent;
      if (too_late(before) || !overlap(wanted, clients_[client.value].extent)) continue;
      Bypasses& bypassed = clients_[before.value].bypassed[winner];
      bypassed = {bypassed.times + 1, before.value, client.value};
    }
    leave(client, true);
  }

  Worst judged(const Protocol& protocol) const {
    Worst all;
    for (const auto& [number, lock] : locks_)
      for (int waiter = 0; waiter < kLockModes; ++waiter)
        for (int winner = 0; winner < kLockModes; ++winner)
          judge_pair(protocol, number, lock, LockMode(waiter), LockMode(winner), all);
    return all;
  }

 private:
  struct Bypasses {
    std::uint32_t times = 0, waiter = 0, winner = 0;  // the last winner
  };
  using ByMode = std::array<Bypasses, kLockModes>;  // the winner's mode
  struct Client {
    std::uint64_t lock = 0;
    LockMode mode = LockMode::exclusive;
    Extent extent;
    bool asks = false;
    ByMode bypassed = {};
  };
  struct Lock {
    std::uint64_t requests = 0;
    std::vector<ClientId> came;                // and wait, in the order of their first effects
    std::array<ByMode, kLockModes> most = {};  // by the waiter's mode
  };

  void leave(ClientId client, bool counts) {
    Client& who = clients_[client.value];
    Lock& lock = locks_[who.lock];
    lock.came.erase(std::remove(lock.came.begin(), lock.came.end(), client), lock.came.end());
    who.asks = false;
    ByMode& most = lock.most[static_cast<std::size_t>(who.mode)];
    for (std::size_t winner = 0; counts && winner < kLockModes; ++winner)
      if (who.bypassed[winner].times > most[winner].times) most[winner] = who.bypassed[winner];
  }
  static void judge_pair(const Protocol& protocol, std::uint64_t number, const Lock& lock,
                         LockMode waiter, LockMode winner, Worst& all);

  const World* world_ = nullptr;
  std::vector<Client> clients_;
  std::map<std::uint64_t, Lock> locks_;
};

}  // namespace latchlab::swarm
