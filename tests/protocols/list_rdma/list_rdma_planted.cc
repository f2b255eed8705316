// list_rdma, broken on purpose.

#include "tests/protocols/list_rdma/ranges.h"
#include "tests/protocols/planted.h"

namespace latchlab::list_rdma_tests {
namespace {

using explore::Violation;
using testing::Bug;

constexpr Bug kBehindTheDead{"list_rdma_enters_behind_the_dead"};  // a marked link is accepted
constexpr Bug kMark{"list_rdma_leaves_the_mark"};                  // of the client that was alone
constexpr Bug kByWrite{"list_rdma_frees_by_write"};                // by a client that was alone
constexpr Bug kNoMark{"list_rdma_releases_without_a_mark"};
constexpr Bug kAtOnce{"list_rdma_uses_nodes_at_once"};          // although they are in the list
constexpr Bug kForgets{"list_rdma_forgets_all_nodes"};          // also those behind the new one
constexpr Bug kTooLate{"list_rdma_writes_what_it_has_linked"};  // its range, that is

// One client wants a range in each operation, the other one only in its operation number `at`, from
// 0 on.
std::vector<std::string> all_and_one(std::size_t operations, std::size_t at) {
  std::string one(operations, '-');
  one[at] = 'X';
  return {std::string(operations, 'X'), one};
}

explore::Campaign searched(std::vector<std::string> modes, std::vector<Extent> extents,
                           std::vector<std::string> sets = {"nodes=1"}) {
  explore::Campaign campaign = testing::searched("list_rdma", std::move(modes));
  campaign.base.extents = std::move(extents);
  campaign.base.sets = std::move(sets);
  return campaign;
}

TEST(list_rdma_planted, a_range_behind_a_node_that_was_released) {
  testing::expect_found(kBehindTheDead, Violation::mutual_exclusion, 10'000,
                        searched(all_and_one(2, 0), {{0, 1}, {2, 2}}));
}

TEST(list_rdma_planted, a_mark_that_stays_when_a_second_client_arrives) {
  testing::expect_found(kMark, Violation::mutual_exclusion, 10'000,
                        searched(all_and_one(2, 0), {{0, 1}, {2, 2}}));
}

TEST(list_rdma_planted, a_list_that_is_emptied_by_write) {
  testing::expect_found(kByWrite, Violation::mutual_exclusion, 10'000,
                        searched(all_and_one(2, 0), {{0, 1}, {2, 2}}));
}

TEST(list_rdma_planted, a_release_that_no_client_sees) {
  testing::expect_found(kNoMark, Violation::deadlock, 10'000,
                        searched({"X", "X"}, {{0, 2}, {1, 2}}));
}

// The nodes behind a node that changes in the list are lost, and walks end there.
TEST(list_rdma_planted, a_node_that_is_reused_while_it_is_in_the_list) {
  testing::RunSetup setup = ranges({{8, 1}, {2, 1}, {4, 1}, {9, 1}}, 4);
  setup.params = {{"nodes", testing::number(1)}};
  testing::expect_blocks(kAtOnce, 20, setup);
}

// A client leaves a node behind unit 4, which the other client holds, locks below that unit twice,
// and later walks past it.
TEST(list_rdma_planted, a_node_that_is_reused_while_it_is_behind_other_nodes) {
  testing::expect_found(kForgets, Violation::no_progress, 50'000,
                        searched(all_and_one(4, 3), {{8, 1}, {2, 1}, {3, 1}, {9, 1}, {4, 1}},
                                 {"nodes=2", "fast_path=false"}));
}

TEST(list_rdma_planted, a_range_that_is_written_too_late) {
  testing::expect_found(kTooLate, Violation::mutual_exclusion, 10'000,
                        searched(all_and_one(2, 0), {{0, 1}, {2, 2}}));
}

// What plain atomics give: the printed form, and generations that wrap.
explore::Verdict shown(const char* profile, std::vector<std::string> modes,
                       std::vector<std::string> sets) {
  explore::Campaign campaign = searched(std::move(modes), {{0, 1}, {2, 2}}, std::move(sets));
  campaign.base.profile = profile;
  campaign.budget = 100'000;
  return explore::run(campaign);
}
bool shows(const explore::Verdict& verdict, Violation violation) {
  bool found = false;
  for (const explore::Trace& trace : verdict.counterexamples)
    found |= trace.counterexample.violation == violation;
  return found;
}

TEST(list_rdma_plain_pointers, grant_overlapping_ranges_to_two_clients) {
  const explore::Verdict verdict = shown("plain_pointers", all_and_one(2, 0), {"nodes=1"});
  EXPECT_TRUE(shows(verdict, Violation::mutual_exclusion));
  EXPECT_TRUE(shows(verdict, Violation::deadlock));
}
TEST(list_rdma_generations, break_the_list_when_they_wrap) {
  EXPECT_TRUE(shows(shown("", all_and_one(4, 0), {"nodes=1", "generation_bits=1"}),
                    Violation::mutual_exclusion));
  const explore::Verdict enough = shown("", all_and_one(4, 0), {"nodes=1", "generation_bits=2"});
  EXPECT_TRUE(enough.counterexamples.empty());
  EXPECT_TRUE(enough.exhausted);
}

}  // namespace
}  // namespace latchlab::list_rdma_tests
