// The rpc lock, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kReadersPass{"rpc_readers_pass_writers"};
constexpr Bug kAllReaders{"rpc_takes_all_for_readers"};  // the server does not look at the mode
constexpr Bug kLateGrant{"rpc_drops_a_late_grant"};      // the answer is late

RunSetup broken(std::uint32_t shared_percent) {
  RunSetup setup;
  setup.protocol = "rpc";
  setup.shared_percent = shared_percent;
  setup.max_steps = 5'000;
  return setup;
}

TEST(rpc_planted, readers_that_pass_a_writer) {
  expect_breaks_exclusion(kReadersPass, 20, broken(50));
}

TEST(rpc_planted, readers_that_pass_a_writer_on_hardware) {
  expect_breaks_exclusion_on_hardware(kReadersPass, broken(50));
}

TEST(rpc_planted, writers_that_share) {
  expect_breaks_exclusion(kAllReaders, 20, broken(0));
}

TEST(rpc_planted, a_grant_that_comes_after_the_deadline_is_lost) {
  RunSetup setup = broken(0);
  setup.impatient = true;
  expect_caught(kLateGrant, 20, [&](auto seed) { return !run(setup, seed).free; });
}

TEST(rpc_planted, a_search_finds_readers_that_pass_a_writer) {
  expect_found(kReadersPass, explore::Violation::mutual_exclusion, 5'000,
               searched("rpc", {"X", "S"}));
}

TEST(rpc_planted, a_search_finds_writers_that_share) {
  expect_found(kAllReaders, explore::Violation::mutual_exclusion, 5'000,
               searched("rpc", {"X", "X"}));
}

}  // namespace
}  // namespace latchlab::testing
