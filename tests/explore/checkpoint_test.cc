// A search that was interrupted goes on where it was, and gives the verdict of one that was not.

#include "tools/explore/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/explore/fixture.h"

namespace latchlab::explore {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    std::string name =
        (fs::temp_directory_path() / ("latchlab-checkpoint-" + std::string(6, 'X'))).string();
    directory = ::mkdtemp(name.data());
  }
  ~CheckpointTest() override { fs::remove_all(directory); }

  // Ends each search after so many more states, until one ends by itself.
  Verdict in_parts(Campaign campaign, std::uint64_t states) {
    campaign.checkpoint = directory;
    for (campaign.budget = states;; campaign.budget += states) {
      ++parts;
      const Verdict verdict = run(campaign);
      if (verdict.cut != "the bound on states was reached") return verdict;
    }
  }
  void expect_the_same_in_parts(const Campaign& campaign, std::uint64_t states) {
    const Verdict whole = run(campaign);
    const Verdict parted = in_parts(campaign, states);
    EXPECT_GT(parts, 2U);
    EXPECT_EQ(verdict_json(campaign, parted, {}), verdict_json(campaign, whole, {}));
    ASSERT_EQ(parted.counterexamples.size(), whole.counterexamples.size());
    for (std::size_t i = 0; i < whole.counterexamples.size(); ++i)
      EXPECT_EQ(trace_json(parted.counterexamples[i]), trace_json(whole.counterexamples[i]));
  }

  std::string directory;
  unsigned parts = 0;
};

TEST_F(CheckpointTest, a_search_in_parts_is_a_whole_search) {
  expect_the_same_in_parts(about("dslr", 2, 2), 500);
}

TEST_F(CheckpointTest, faults_with_choices_of_their_own_are_made_again) {
  expect_the_same_in_parts(with_crash(about("shiftlock", 2, 1)), 200);
}

TEST_F(CheckpointTest, findings_are_kept) {
  expect_the_same_in_parts(with_sets(about("dslr", 2, 2), {"overtaken=before_turn"}), 300);
}

TEST_F(CheckpointTest, a_bound_of_the_case_that_was_reached_is_not_forgotten) {
  Campaign campaign = with_crash(about("shiftlock", 2, 1));
  campaign.base.timeouts = 0;
  EXPECT_EQ(run(campaign).cut, "the bound on timeouts was reached");
  expect_the_same_in_parts(campaign, 100);
}

TEST_F(CheckpointTest, a_compact_search_goes_on_too) {
  Campaign campaign = about("mcs", 3, 2);
  campaign.compact = true;
  expect_the_same_in_parts(campaign, 300);
}

TEST_F(CheckpointTest, with_processes_too) {
  Campaign campaign = about("dslr", 2, 2);
  campaign.jobs = 2;
  expect_the_same_in_parts(campaign, 500);
}

TEST_F(CheckpointTest, one_that_is_damaged_or_of_another_case_is_not_used) {
  Checkpoint checkpoint;
  checkpoint.setup = "one case";
  checkpoint.origins = {{0, 0}, {0, 3}};
  checkpoint.inner[1] = {2, 1};
  checkpoint.good = {0, 1};
  checkpoint.edges = {{0, 1}};
  checkpoint.terminal = {"free"};
  const std::string file = directory + "/some.moves";
  EXPECT_FALSE(read_checkpoint(file, "one case")) << "there is none";
  ASSERT_TRUE(write_checkpoint(file, checkpoint).ok());
  const auto read = read_checkpoint(file, "one case");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->origins.size(), 2U);
  EXPECT_EQ(read->inner, checkpoint.inner);
  EXPECT_EQ(read->terminal, checkpoint.terminal);
  EXPECT_FALSE(read_checkpoint(file, "another case"));
  for (std::uintmax_t bytes = fs::file_size(file); bytes-- > 0;) {
    fs::resize_file(file, bytes);
    EXPECT_FALSE(read_checkpoint(file, "one case")) << bytes << " bytes";
  }
}

TEST_F(CheckpointTest, one_of_many_states_is_read) {
  Checkpoint checkpoint;
  checkpoint.origins.resize(3'000'000);
  ASSERT_TRUE(write_checkpoint(directory + "/some.moves", checkpoint).ok());
  const auto read = read_checkpoint(directory + "/some.moves", "");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->origins.size(), 3'000'000U);
}

// Another build may have other states.
TEST_F(CheckpointTest, one_whose_states_cannot_be_made_again_is_not_used) {
  Campaign campaign = about("cas", 2, 2);
  campaign.placement = Placement::spread;
  const Verdict whole = run(campaign);
  Checkpoint odd;
  odd.setup = case_json(cases_of(campaign).front());
  odd.expanded = 2;
  odd.origins = {{0, 0}, {0, 0}, {0, 0}};  // one state twice
  odd.good = {0, 0, 0};
  ASSERT_TRUE(write_checkpoint(directory + "/case-1.moves", odd).ok());
  campaign.checkpoint = directory;
  const Verdict verdict = run(campaign);
  EXPECT_EQ(verdict_json(campaign, verdict, {}), verdict_json(campaign, whole, {}));
}

}  // namespace
}  // namespace latchlab::explore
