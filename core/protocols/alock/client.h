#pragma once
// ALock's client part: the queue of a cohort (queue.cc), and the competition between the leaders of
// both cohorts (peterson.cc).

#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "core/protocols/lock.h"

namespace latchlab::alock {

enum class Enqueue : std::uint8_t { cas_loop, single_cas, exchange };
enum class Yield : std::uint8_t { write, batched, cas_loop };
enum class Cohorts : std::uint8_t { two, one };
enum class WaitWhile : std::uint8_t { both, either };

struct Options {
  Cohorts cohorts = Cohorts::two;
  std::uint64_t remote_budget = 20;
  std::uint64_t local_budget = 5;
  Enqueue enqueue = Enqueue::cas_loop;
  Yield victim = Yield::write;
  WaitWhile wait_while = WaitWhile::both;
  bool next_first = false;
  bool whole_lock = false;
  Duration poll_pause = {};
  std::uint32_t max_held = 16;
};

enum class Cohort : std::uint8_t { none, local, remote };  // the values of the victim word

constexpr Cohort other(Cohort cohort) {
  return cohort == Cohort::local ? Cohort::remote : Cohort::local;
}

inline constexpr std::uint64_t kEntryBytes = 64;
inline constexpr std::uint64_t kRemoteTail = 0;
inline constexpr std::uint64_t kLocalTail = 16;
inline constexpr std::uint64_t kVictim = 32;

constexpr std::uint64_t tail_of(Cohort cohort) {
  return cohort == Cohort::local ? kLocalTail : kRemoteTail;
}

inline constexpr std::uint64_t kRequestBytes = 64;
inline constexpr std::uint64_t kBudget = 0;  // budget + 1; 0: not granted yet
inline constexpr std::uint64_t kNext = 32;

// True if a leader that sees these two values, possibly read at different times, may acquire.
constexpr bool may_enter(WaitWhile wait_while, Cohort me, std::uint64_t other_tail,
                         std::uint64_t victim) {
  const bool alone = other_tail == 0;
  const bool others_yield = victim != static_cast<std::uint64_t>(me);
  return wait_while == WaitWhile::both ? alone || others_yield : alone && others_yield;
}

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options), verbs_(*env.verbs), words_(env.client_words) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  // One request, from its creation until it has left. Its number and its budget are in the grant.
  struct Attempt {
    RemoteAddr entry;
    RemoteAddr request;
    Cohort cohort = Cohort::none;
    bool by_cpu = false;  // the lock is on the client's own node
    ZeroPadding<std::uint8_t, 6> padding = {};
  };
  // The value that an access to the entry found.
  struct Found {
    std::uint64_t value = 0;
    bool ok = true;  // false: the server fails
    ZeroPadding<std::uint8_t, 7> padding = {};
  };
  struct GrantWords {
    std::uint64_t number = 0;
    std::uint64_t budget = 0;
    std::uint64_t followed = 0;  // 1: a predecessor granted the budget
  };

  Attempt attempt_of(RemoteAddr entry, std::uint64_t number) const;
  std::uint64_t whole_budget(const Attempt& attempt) const {
    return attempt.cohort == Cohort::local ? options_.local_budget : options_.remote_budget;
  }

  // ---- queue.cc ----
  bool can_ask(NodeId server) const;
  std::uint64_t take_request();
  void give_request(std::uint64_t number) { in_use_ &= ~(1ULL << number); }
  Task<Found> join(Attempt attempt);
  Task<Found> swap_by_cas(RemoteAddr word, std::uint64_t value);
  Task<Found> try_to_empty(Attempt attempt);
  Task<std::uint64_t> follow(Attempt attempt, RemoteAddr predecessor);
  Task<void> hand_on(Attempt attempt, std::uint64_t next, std::uint64_t budget);
  // Writes to the entry or to a request of the same cohort. False: the target node fails.
  Task<bool> put(Attempt attempt, RemoteAddr word, std::uint64_t value);

  // ---- peterson.cc ----
  // False: the server fails.
  Task<bool> compete(Attempt attempt);
  Task<bool> compete_by_rnic(Attempt attempt);
  Task<bool> await_by_rnic(Attempt attempt);
  Task<void> await_by_cpu(Attempt attempt);
  Task<bool> look_by_cpu(Attempt attempt);
  Verb look_at(RemoteAddr entry) const;

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  RemoteAddr words_;
  std::uint64_t in_use_ = 0;    // a bit for each request
  std::vector<NodeId> failed_;  // servers in whose tails a request may have stayed
};

}  // namespace latchlab::alock
