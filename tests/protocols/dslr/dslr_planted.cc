// The dslr lock, broken on purpose.

#include "tests/protocols/dslr/backoffs.h"
#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kReaderIgnoresWriters{"dslr_reader_ignores_nx"};  // earlier writers
constexpr Bug kNoReset{"dslr_no_count_max_reset"};              // tickets overflow
constexpr Bug kMeets{"dslr_last_ticket_meets_the_limit"};       // instead of crossing it
constexpr Bug kAddsOne{"dslr_release_adds_one"};                // of several slots
constexpr Bug kHasty{"dslr_upgrade_ignores_readers"};
constexpr Bug kAllLocks{"common_backoff_counts_all_locks"};    // instead of those of one lock
constexpr Bug kOneUpdate{"dslr_reader_waits_for_one_update"};  // and is overtaken by the next one

RunSetup broken(std::uint32_t shared_percent) {
  RunSetup setup;
  setup.protocol = "dslr";
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.operations = 8;
  setup.shared_percent = shared_percent;
  setup.max_steps = 5'000;
  return setup;
}

TEST(dslr_planted, a_reader_that_ignores_earlier_writers) {
  expect_breaks_exclusion(kReaderIgnoresWriters, 20, broken(50));
}

TEST(dslr_planted, a_reader_that_ignores_earlier_writers_on_hardware) {
  expect_breaks_exclusion_on_hardware(kReaderIgnoresWriters, broken(50));
}

TEST(dslr_planted, tickets_that_overflow_break_exclusion) {
  expect_breaks_exclusion(kNoReset, 50, broken(70));
}

TEST(dslr_planted, tickets_that_overflow_block_all_clients) {
  RunSetup without_recovery = broken(50);
  without_recovery.params = {{"lease", Duration{}}};
  expect_blocks(kNoReset, 20, without_recovery);
}

TEST(dslr_planted, a_search_finds_a_reader_that_ignores_earlier_writers) {
  expect_found(kReaderIgnoresWriters, explore::Violation::mutual_exclusion, 500, searched("dslr"));
}

TEST(dslr_planted, a_search_finds_a_reader_that_overtakes_a_writer) {
  expect_found(kReaderIgnoresWriters, explore::Violation::bypassed, 1'000,
               searched("dslr", {"X", "X", "S"}));
}

TEST(dslr_planted, a_search_finds_tickets_that_overflow_and_break_exclusion) {
  expect_found(kNoReset, explore::Violation::mutual_exclusion, 100'000,
               searched("dslr", {"SSSSS", "SSSSX"}));
}

TEST(dslr_planted, a_search_finds_tickets_that_overflow_and_block_all_clients) {
  expect_found(kNoReset, explore::Violation::deadlock, 50'000,
               searched("dslr", {"SSSSS", "SSSSX"}));
}

// ---- slots and updates ----

explore::Campaign with(std::vector<std::string> sets, std::vector<std::string> modes) {
  explore::Campaign campaign = searched("dslr", std::move(modes));
  campaign.base.sets = std::move(sets);
  return campaign;
}

// Each client takes three tickets, and an era has 16: the sixth acquisition ends it.
TEST(dslr_planted, a_search_finds_an_era_that_no_client_ends) {
  expect_found(kMeets, explore::Violation::deadlock, 5'000,
               with({"ticket_bits=5", "max_slots=3", "reserve=200us"}, {"SSSS", "SSSS"}));
}

TEST(dslr_planted, a_search_finds_a_release_of_too_few_slots) {
  const std::vector<std::string> two = {"ticket_bits=4", "max_slots=2", "reserve=100us"};
  expect_found(kAddsOne, explore::Violation::deadlock, 500, with(two, {"X", "S"}));
}

TEST(dslr_planted, a_search_finds_an_upgrade_that_ignores_readers) {
  expect_found(kHasty, explore::Violation::mutual_exclusion, 500,
               with({"counters=six"}, {"P", "S"}));
}

TEST(dslr_planted, an_upgrade_that_ignores_readers) {
  RunSetup setup = broken(50);
  setup.params = {{"counters", text("six")}, {"ticket_bits", number(10)}};
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    const LockMode mode = client.value == 0 ? LockMode::update : LockMode::shared;
    section.wants.push_back(Want{world.lock(LockId{0}), mode});
    section.upgrades = 1;
    section.work.hold = nanoseconds(20);
    return count < 4;
  };
  expect_breaks_exclusion(kHasty, 20, setup);
}

TEST(dslr_planted, a_search_finds_a_reader_that_waits_for_one_update) {
  expect_found(kOneUpdate, explore::Violation::deadlock, 2'000,
               with({"counters=six"}, {"X", "S", "U"}));
}

// ---- backoff ----

TEST(dslr_planted, a_backoff_that_grows_with_failures_on_other_locks) {
  expect_caught(kAllLocks, 5, [](std::uint64_t seed) {
    return dslr_tests::backoffs(seed).on_another > dslr_tests::kFirstBackoff;
  });
}

}  // namespace
}  // namespace latchlab::testing
