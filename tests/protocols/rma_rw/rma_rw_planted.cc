// RMA-RW, broken on purpose.

#include <map>

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

using explore::Violation;

constexpr Bug kNoSecondLook{"rma_rw_no_second_look"};  // enters as soon as it has set the mode
constexpr Bug kKeepsTheMode{"rma_rw_reset_keeps_the_mode"};
constexpr Bug kByWrite{"rma_rw_reset_by_write"};  // forgets readers that are about to back out
constexpr Bug kStaysCounted{"rma_rw_reader_stays_counted"};  // in writers' mode
constexpr Bug kWriteMode{"rma_rw_leaves_in_write_mode"};     // the last writer resets nothing
constexpr Bug kKeepsNext{"rma_rw_keeps_its_next"};           // words: its previous successor
// In the tree.
constexpr Bug kSkipsACounter{"rma_rw_skips_a_counter"};  // waits only for the readers of the first
constexpr Bug kNeverEnough{"rma_rw_never_has_enough_turns"};
constexpr Bug kAsGranted{"rma_rw_takes_the_parent_as_granted"};
constexpr Bug kForgets{"rma_rw_forgets_who_has_to_go_up"};

explore::Campaign in_a_tree(explore::Campaign campaign) {
  campaign.base.sets = {"form=tree", "notes=words"};
  return campaign;
}
RunSetup crowd_of_both() {
  RunSetup setup;
  setup.protocol = "rma_rw";
  setup.shared_percent = 50;
  setup.max_steps = 5'000;
  return setup;
}

TEST(rma_rw_planted, a_writer_that_does_not_read_the_counters_again) {
  expect_breaks_exclusion(kNoSecondLook, 40, crowd_of_both());
}

TEST(rma_rw_planted, a_writer_that_does_not_read_the_counters_again_on_hardware) {
  expect_breaks_exclusion_on_hardware(kNoSecondLook, crowd_of_both());
}

TEST(rma_rw_planted, a_search_finds_a_writer_that_does_not_read_the_counters_again) {
  expect_found(kNoSecondLook, Violation::mutual_exclusion, 500, searched("rma_rw", {"X", "S"}));
}

TEST(rma_rw_planted, a_reset_that_keeps_the_mode) {
  expect_blocks(kKeepsTheMode, 20, crowd_of_both());
  expect_found(kKeepsTheMode, Violation::deadlock, 500, searched("rma_rw", {"X", "S"}));
}

TEST(rma_rw_planted, a_reset_that_forgets_readers_that_back_out) {
  expect_found(kByWrite, Violation::deadlock, 10'000, searched("rma_rw", {"XX", "SS"}));
}

TEST(rma_rw_planted, a_reader_that_stays_counted_when_it_is_turned_away) {
  expect_blocks(kStaysCounted, 20, crowd_of_both());
  expect_found(kStaysCounted, Violation::not_free, 500, searched("rma_rw", {"X", "S"}));
}

TEST(rma_rw_planted, a_last_writer_that_leaves_writers_mode_behind) {
  expect_blocks(kWriteMode, 20, crowd_of_both());
  expect_found(kWriteMode, Violation::deadlock, 500, searched("rma_rw", {"X", "X"}));
}

TEST(rma_rw_planted, a_queue_node_with_an_old_successor) {
  explore::Campaign campaign = searched("rma_rw", {"XX", "XX"});
  campaign.base.sets = {"notes=words"};
  expect_found(kKeepsNext, Violation::deadlock, 5'000, campaign);
}

// ---- in a tree ----

RunSetup crowd_in_a_tree() {
  RunSetup setup = crowd_of_both();
  setup.params = {{"form", text("tree")}, {"notes", text("words")}};
  return setup;
}

TEST(rma_rw_planted, a_writer_that_waits_for_readers_of_one_counter) {
  expect_breaks_exclusion(kSkipsACounter, 400, crowd_in_a_tree());
  expect_found(kSkipsACounter, Violation::mutual_exclusion, 5'000,
               in_a_tree(searched("rma_rw", {"X", "S"})));
}

TEST(rma_rw_planted, a_writer_that_stays_at_a_level_where_it_was_told_to_go_up) {
  expect_breaks_exclusion(kAsGranted, 40, crowd_in_a_tree());
}

TEST(rma_rw_planted, an_element_that_is_left_without_notifying_its_successor) {
  expect_blocks(kForgets, 20, crowd_in_a_tree());
}

// Writers of the other node wait until all writers of this node have finished.
TEST(rma_rw_planted, a_node_that_ignores_its_threshold) {
  RunSetup setup = crowd_in_a_tree();
  setup.params.emplace_back("node_threshold", number(2));
  setup.shared_percent = 0;
  setup.clients_per_node = 3;
  setup.section = [](ClientId, std::uint64_t count, const World& world, Section& section) {
    if (count >= 4) return false;
    section.wants.resize(1);
    section.wants[0].lock = world.lock(LockId{});
    return true;
  };
  // Consecutive grants at one node while a client of the other node waits.
  const auto stays = [&](std::uint64_t seed) {
    std::map<std::string, bool> waits;
    int row = 0;
    bool node = false;
    const Outcome outcome = run(setup, seed);
    for (const std::string& event : outcome.log) {
      const std::string who = event.substr(0, event.find(' '));
      const bool there = who >= "3";
      if (event.find("asks for") != std::string::npos) waits[who] = true;
      if (event.find("takes") == std::string::npos) continue;
      waits[who] = false;
      bool other_waits = false;
      for (const auto& [client, waiting] : waits)
        other_waits = other_waits || (waiting && (client >= "3") != there);
      row = !other_waits ? 0 : there == node ? row + 1 : 1;
      node = there;
      // One more turn of this node may begin before the other node's writer is in the root's queue.
      if (row > 2 * 3) return true;
    }
    return false;
  };
  expect_caught(kNeverEnough, 40, stays);
}

}  // namespace
}  // namespace latchlab::testing
