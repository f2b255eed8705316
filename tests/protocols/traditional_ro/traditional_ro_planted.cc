// Readers that bypass writers, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kNoCount{"traditional_ro_counts_nothing"};
constexpr Bug kOnceMore{"traditional_ro_passes_once_more"};
constexpr Bug kAnyHolder{"traditional_ro_passes_any_holder"};  // also if a writer holds it

// A reader arrives twice while another one holds the lock.
explore::Campaign two_readers() {
  explore::Campaign campaign = searched("traditional_ro", {"SS", "XX", "SS"});
  campaign.base.sets = {"show=false"};
  return campaign;
}

TEST(traditional_ro_planted, a_search_finds_readers_that_are_not_counted) {
  expect_found(kNoCount, explore::Violation::bypassed, 20'000, two_readers());
}

TEST(traditional_ro_planted, a_search_finds_a_limit_that_is_one_too_many) {
  expect_found(kOnceMore, explore::Violation::bypassed, 20'000, two_readers());
}

TEST(traditional_ro_planted, a_search_finds_a_reader_beside_a_writer) {
  expect_found(kAnyHolder, explore::Violation::mutual_exclusion, 20'000,
               searched("traditional_ro", {"X", "X", "S"}));
}

TEST(traditional_ro_planted, a_reader_beside_a_writer) {
  RunSetup setup;
  setup.protocol = "traditional_ro";
  setup.shared_percent = 50;
  expect_breaks_exclusion(kAnyHolder, 20, setup);
}

}  // namespace
}  // namespace latchlab::testing
