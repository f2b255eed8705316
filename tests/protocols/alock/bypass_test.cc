// How often a request of an ALock is bypassed: the bound that the lock claims, and runs that test
// it.

#include "tests/protocols/alock/cohorts.h"
#include "tools/swarm/bypass_count.h"

namespace latchlab::alock_tests {
namespace {

using testing::number;
using testing::text;

struct Budgets {
  std::int64_t remote = 1, local = 1;
};

ParamValues with(const Budgets& budgets) {
  return {{"enqueue", text("exchange")},
          {"remote_budget", number(budgets.remote)},
          {"local_budget", number(budgets.local)}};
}

std::unique_ptr<Protocol> made(const ParamValues& values) {
  const ProtocolEntry& entry = *find_protocol("alock");
  ParamSet params = entry.info.resolve("paper");
  for (const auto& [name, value] : values) params.set(name, value);
  return entry.make(params);
}

// The bound is the same for all modes, because the lock has no shared mode.
std::optional<std::uint32_t> claimed(const Protocol& lock, std::uint64_t acquisitions) {
  const LockMode x = LockMode::exclusive;
  const auto bound = lock.bypass_bound(x, x, acquisitions);
  for (int waiter = 0; waiter < kLockModes; ++waiter)
    for (int winner = 0; winner < kLockModes; ++winner)
      EXPECT_EQ(lock.bypass_bound(LockMode(waiter), LockMode(winner), acquisitions), bound);
  return bound;
}
std::optional<std::uint32_t> claimed(const Budgets& budgets, std::uint64_t acquisitions) {
  return claimed(*made(with(budgets)), acquisitions);
}

// The client has `ahead` clients before it in its cohort, which enters `own` times in a row. The
// other cohort gets two turns, and one more after each turn of the client's own cohort; its last
// grant bypasses no client. Neither the clients ahead nor the client itself can bypass it. The lock
// finds the worst `ahead` by bisection.
std::uint64_t worst(std::uint64_t own, std::uint64_t others, std::uint64_t acquisitions) {
  std::uint64_t most = 0;
  for (std::uint64_t ahead = 0; ahead < acquisitions; ++ahead)
    most = std::max(most, std::min(others * (2 + ahead / own) - 1, acquisitions - 1 - ahead));
  return most;
}

// ---- what it claims ----

TEST(alock, claims_a_bound_of_two_turns_for_the_first_client_of_its_cohort) {
  EXPECT_EQ(claimed(Budgets{1, 1}, 2), 1U) << "all others";
  EXPECT_EQ(claimed(Budgets{1, 1}, 3), 1U) << "one that may be ahead, one that passes";
  EXPECT_EQ(claimed(Budgets{20, 5}, 40), 39U) << "all others: two turns of 20";
  EXPECT_EQ(claimed(Budgets{20, 5}, 41), 39U) << "two turns, and no more";
  EXPECT_EQ(claimed(Budgets{20, 5}, 45), 39U) << "with four ahead, too";
}

TEST(alock, claims_one_more_turn_for_each_turn_of_the_clients_ahead) {
  EXPECT_EQ(claimed(Budgets{1, 1}, 6), 3U) << "two ahead, one to be passed, three that pass";
  EXPECT_EQ(claimed(Budgets{1, 1}, 9), 4U);
  EXPECT_EQ(claimed(Budgets{20, 5}, 46), 40U) << "five ahead are a turn: all others";
  EXPECT_EQ(claimed(Budgets{20, 5}, 100), 84U) << "15 ahead in 3 turns, and all others";
}

TEST(alock, claims_the_same_bound_if_the_budgets_are_exchanged) {
  for (const std::uint64_t acquisitions : {1, 2, 5, 9, 40, 41, 100})
    for (const Budgets& budgets : {Budgets{20, 5}, Budgets{3, 2}, Budgets{1, 7}})
      EXPECT_EQ(claimed(Budgets{budgets.local, budgets.remote}, acquisitions),
                claimed(budgets, acquisitions));
}

TEST(alock, claims_the_largest_bound_over_all_numbers_of_clients_ahead) {
  for (const std::int64_t remote : {1, 2, 3, 7})
    for (const std::int64_t local : {1, 2, 3, 7}) {
      const auto lock = made(with({remote, local}));
      const auto r = static_cast<std::uint64_t>(remote);
      const auto l = static_cast<std::uint64_t>(local);
      for (std::uint64_t acquisitions = 0; acquisitions <= 60; ++acquisitions)
        ASSERT_EQ(claimed(*lock, acquisitions),
                  std::max(worst(r, l, acquisitions), worst(l, r, acquisitions)))
            << remote << " and " << local << ", " << acquisitions << " acquisitions";
    }
}

TEST(alock, claims_no_bypass_by_clients_that_do_not_exist) {
  for (const Budgets& budgets : {Budgets{1, 1}, Budgets{1, 2}, Budgets{2, 1}, Budgets{20, 5}}) {
    EXPECT_EQ(claimed(budgets, 0), 0U);
    EXPECT_EQ(claimed(budgets, 1), 0U);
  }
}

// The count saturates at 2^31 acquisitions.
TEST(alock, claims_a_finite_bound_for_an_endless_run) {
  EXPECT_EQ(claimed(Budgets{1, 1}, ~0ULL), 1U << 30);
  EXPECT_EQ(claimed(Budgets{1, 1}, 1ULL << 31), 1U << 30);
  EXPECT_EQ(claimed(Budgets{1, 1}, 1ULL << 30), 1U << 29);
  EXPECT_EQ(claimed(Budgets{1, 1'000'000}, ~0ULL), (1U << 31) - 2147) << "2146 ahead";
}

TEST(alock, claims_no_bypass_in_one_queue_and_no_bound_if_a_cas_may_fail_forever) {
  for (const std::uint64_t acquisitions : {1ULL, 2ULL, 100ULL, ~0ULL}) {
    EXPECT_EQ(
        claimed(*made({{"enqueue", text("exchange")}, {"cohorts", text("one")}}), acquisitions),
        0U);
    for (const char* const enqueue : {"cas_loop", "single_cas"})
      for (const char* const cohorts : {"one", "two"})
        EXPECT_EQ(
            claimed(*made({{"enqueue", text(enqueue)}, {"cohorts", text(cohorts)}}), acquisitions),
            std::nullopt);
  }
}

// ---- what runs show ----

class Passes final : public swarm::BypassCount {
 public:
  bool too_late(ClientId) const override { return false; }
};

// The largest number of bypasses over many orders, none of which may exceed the claim.
swarm::BypassCount::Worst most_passed(const Budgets& budgets, std::uint32_t clients_per_node,
                                      std::uint64_t operations) {
  swarm::BypassCount::Worst worst;
  for (std::uint64_t seed = 1; seed <= testing::seeds(150); ++seed) {
    testing::RunSetup setup = cohorts(2, clients_per_node, "paper");
    setup.operations = operations;
    setup.params = with(budgets);
    Passes passes;
    setup.also = &passes;
    testing::CaseRun run(setup, seed);
    passes.watch(run.world());
    EXPECT_EQ(run.go().end, RunEnd::finished);
    const swarm::BypassCount::Worst one = passes.judged(run.world().protocol());
    EXPECT_EQ(one.broken, "") << "seed " << seed;
    worst.bound = one.bound;
    worst.claimed = std::max(worst.claimed, one.claimed);
  }
  return worst;
}

// With turns of one, the last client of a cohort is bypassed by all clients of the other cohort.
TEST(alock, reaches_its_bypass_bound_and_never_exceeds_it) {
  LATCHLAB_NEEDS_EXPLORER("asks for the worst of many orders");
  for (const std::uint32_t clients : {1U, 2U, 3U, 4U}) {
    const swarm::BypassCount::Worst seen = most_passed({1, 1}, clients, 1);
    EXPECT_EQ(seen.bound, clients);
    EXPECT_EQ(seen.claimed, clients);
  }
}

TEST(alock, never_exceeds_its_bypass_bound_with_longer_turns) {
  LATCHLAB_NEEDS_EXPLORER("asks for the worst of many orders");
  for (const Budgets& budgets : {Budgets{2, 1}, Budgets{1, 2}, Budgets{3, 2}}) {
    const swarm::BypassCount::Worst seen = most_passed(budgets, 3, 4);
    EXPECT_LE(seen.claimed, *seen.bound);
    EXPECT_GT(seen.claimed, 3U) << "by the same clients again";
  }
}

}  // namespace
}  // namespace latchlab::alock_tests
