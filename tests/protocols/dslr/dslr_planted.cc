// The dslr lock, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kReaderIgnoresWriters{"dslr_reader_ignores_nx"};  // those that came before it
constexpr Bug kNoReset{"dslr_no_count_max_reset"};              // tickets run over

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

TEST(dslr_planted, tickets_that_run_over_break_exclusion) {
  expect_breaks_exclusion(kNoReset, 50, broken(70));
}

TEST(dslr_planted, tickets_that_run_over_block_everybody) {
  RunSetup without_recovery = broken(50);
  without_recovery.params = {{"lease", Duration{}}};
  expect_blocks(kNoReset, 20, without_recovery);
}

TEST(dslr_planted, a_search_finds_a_reader_that_ignores_earlier_writers) {
  expect_found(kReaderIgnoresWriters, explore::Wrong::mutual_exclusion, 500, searched("dslr"));
}

TEST(dslr_planted, a_search_finds_a_reader_that_overtakes_a_writer) {
  expect_found(kReaderIgnoresWriters, explore::Wrong::bypassed, 1'000,
               searched("dslr", {"X", "X", "S"}));
}

TEST(dslr_planted, a_search_finds_tickets_that_run_over_and_break_exclusion) {
  expect_found(kNoReset, explore::Wrong::mutual_exclusion, 100'000,
               searched("dslr", {"SSSSS", "SSSSX"}));
}

TEST(dslr_planted, a_search_finds_tickets_that_run_over_and_block_everybody) {
  expect_found(kNoReset, explore::Wrong::deadlock, 50'000, searched("dslr", {"SSSSS", "SSSSX"}));
}

}  // namespace
}  // namespace latchlab::testing
