#pragma once
// What a search saves and restores: the model of one case, its clients, its checks, and the faults
// that are left. It is in the model's arena with all that it owns; search_model.h has the rules of
// what may happen to it.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/explorer/arena.h"
#include "backends/explorer/explorer_backend.h"
#include "backends/explorer/search_support.h"
#include "core/base/ids.h"
#include "core/checks/safety_monitor.h"
#include "core/protocols/lock.h"
#include "core/workload/client_loop.h"
#include "core/world/world.h"
#include "tools/explore/case.h"

namespace latchlab::explore {

// Counts how often one client bypasses another, for locks that claim a bound
// (Protocol::bypass_bound). A client waits from its request until it has the lock or gives up; its
// place in the order is the moment at which the first verb of the request took effect. It is
// bypassed when a client with a later place, or without one, gets the lock before it.
//
// Part of a state, so only what the future depends on is kept: of the places, which waiting clients
// came before which, where the lock makes a claim about the two; of the counts, nothing beyond the
// first that exceeds its bound.
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

WorldShape shape_of(const Case& setup);

class CaseRun final : public OperationSource, public LoopObserver, public SafetyMonitor::Clocks {
 public:
  CaseRun(const Case& setup, const Protocol& protocol, explorer::SearchSupport& support);

  // Adds the clients, sets their clocks, and notes where the parts of nodes lie; called once.
  void begin(explorer::SearchSupport& support);
  // Reports requests and grants of clients; null: to no listener.
  void listen(LoopObserver* listener) { listener_ = listener; }
  // Called before each move, so that a bypass is reported once.
  void begin_move() { bypasses_.forget(); }
  // Called after each step: notes the clients whose first verb took effect in it.
  void see_effects();

  // Crashes the client and all that crashes with it.
  void crash(ClientId client, Chooser& inner);
  void timeout(Time date);
  void move_clock(Time date) { backend_.move_clock(date); }
  void pause(ClientId client);  // timed: for the case's pause_length
  void resume(ClientId client);

  // Notes that the client has made a chosen move, or was struck.
  void has_begun(ClientId client) { begun_[client.value] = 1; }
  // Whether a move of this client would be the first one of it and of an earlier client that is its
  // equal: then exchanging the two gives the same futures.
  bool out_of_turn(ClientId client) const;

  CrashUnit crash_unit() const { return crash_unit_; }
  // For a crash of nodes the node's first client stands for the node.
  bool may_crash(ClientId client) const;
  // Whether a node has died and all clients that are left want locks on dead nodes.
  bool only_lost_causes() const;
  bool may_pause(ClientId client) const;
  bool paused(ClientId client) const { return pauses_[client.value] != Pause::none; }
  bool paused_for_long(ClientId client) const { return pauses_[client.value] == Pause::for_long; }
  bool any_fault() const {
    return crashes_left_ < setup_.crashes || pauses_left_ < setup_.pauses ||
           delays_left_ < setup_.delays || cuts_left_ < setup_.cuts;
  }
  // Whether leases may expire although these steps are possible: all of them end operations that RC
  // retries for longer, or whose paths are down.
  bool outlast_leases(const explorer::StepList& steps) const;
  std::uint32_t cuts_left() const { return cuts_left_; }
  // A path is down for longer than RC retries: an operation fails by the step.
  void cut(const explorer::Step& step, Chooser& inner);
  // Whether a holder kept the lock beyond its lease and did not release it, as after a crash.
  bool released_late(LockId lock) const { return (late_ >> lock.value & 1) != 0; }
  std::uint32_t timeouts_left() const { return timeouts_left_; }

  ExplorerBackend& backend() { return backend_; }
  const World& world() const { return world_; }
  const SafetyMonitor& monitor() const { return monitor_; }
  const BypassCheck& bypasses() const { return bypasses_; }
  bool holds(std::uint32_t client) const { return holds_[client] != 0; }
  RemoteAddr entry_place(LockId lock) const { return world_.lock(lock).entry; }
  std::vector<std::uint64_t> entry(LockId lock);

 private:
  // `for_long`: a lease has expired during the pause.
  enum class Pause : char { none, begun, for_long };

  // What outlasts leases while these steps, and no others, are possible; none: one of them has to
  // be made first.
  struct Outlasting {
    bool delayed = false;              // what backend_.retried_briefly() counts
    std::vector<explorer::Path> down;  // what is under way over these paths
  };
  std::optional<Outlasting> outlasting(const explorer::StepList& steps) const;

  struct Clients {
    std::uint32_t begin;
    std::uint32_t end;
  };
  Clients dying_with(ClientId client) const;
  bool at_work(ClientId client) const {
    return dead_[client.value] == 0 && done_[client.value] <= setup_.operations;
  }

  bool next(ClientId client, Section& section) override;
  FirstEffect& first_effect(ClientId client) { return world_.verbs(client).first_effect(); }
  void acquire_begins(ClientId client, const Want& want) override;
  void acquire_aborted(ClientId client, const Want& want, AbortReason reason) override;
  void acquired(ClientId client, const Grant& grant) override;
  void upgraded(ClientId client, const Grant& grant) override;
  void extended(ClientId client, const Grant& grant) override;
  void release_begins(ClientId client, const Grant& grant) override;
  void released(ClientId client, const Grant& grant, ReleaseResult result) override;
  Time local_now(ClientId client) const override;
  // What the listener allocates is not part of the model.
  template <class Call>
  void tell(const Call& call) {
    if (listener_ == nullptr) return;
    const explorer::ArenaScope heap(nullptr);
    call(*listener_);
  }

  const Case& setup_;
  World world_;
  ExplorerBackend backend_;
  SafetyMonitor monitor_;
  BypassCheck bypasses_;
  std::vector<std::uint32_t> done_;   // by client: operations that it has begun
  std::vector<std::uint32_t> holds_;  // number of locks held, by client
  std::vector<char> dead_;
  std::vector<char> begun_;  // by client: a chosen move was its own
  std::vector<Pause> pauses_;
  bool symmetric_;
  CrashUnit crash_unit_;
  std::uint32_t crashes_left_;
  std::uint32_t pauses_left_;
  std::uint32_t delays_left_;
  std::uint32_t cuts_left_;
  std::uint32_t timeouts_left_;
  std::uint64_t late_ = 0;      // by lock, one bit each: a release was suppressed
  explorer::Arena* own_arena_;  // for what the monitor allocates
  LoopObserver* listener_ = nullptr;
};

}  // namespace latchlab::explore
