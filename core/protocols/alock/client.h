#pragma once
// ALock's client part: the queue of a cohort (queue.cc), and the competition between the leaders of
// both cohorts (peterson.cc).

#include <cstdint>
#include <vector>

#include "core/protocols/alock/options.h"
#include "core/protocols/lock.h"

namespace latchlab::alock {

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
