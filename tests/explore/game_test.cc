// A case as a game. A model of a few lines plays the planted lock once more: the game has all moves
// and ends of the model, and no others.

#include "tools/explore/game.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>

#include "core/base/json.h"

namespace latchlab::explore {
namespace {
using ::testing::HasSubstr;

struct Model {
  enum Step : std::uint8_t { drawing, storing, waiting, holding, reading, writing, done };
  struct Client {
    Step step = drawing;
    std::uint64_t seen = 0;
    auto operator<=>(const Client&) const = default;
  };
  std::uint64_t word = 0;
  std::array<Client, 2> clients;
  auto operator<=>(const Model&) const = default;

  static constexpr std::uint64_t kCall = 1ULL << 32;
  static bool is_called(std::uint64_t ticket, std::uint64_t word) {
    return (ticket & 0xffff'ffff) == word >> 32;
  }
  // Atomics are atomic with respect to each other; a waiting client looks when there is something
  // to see.
  bool may_move(std::size_t who) const {
    switch (clients[who].step) {
      case drawing:
        return clients[1 - who].step != storing;
      case waiting:
        return is_called(clients[who].seen, word);
      default:
        return clients[who].step != done;
    }
  }
  void move(std::size_t who) {
    auto& [step, seen] = clients[who];
    const Step before = step;
    step = static_cast<Step>(step + 1);
    if (before == drawing || before == reading) seen = word;
    if (before == writing) word = seen + kCall;
    if (before == storing) word = seen + 1;
    if (before == storing && is_called(seen, seen)) step = holding;
    if (step == holding || step == done) seen = 0;  // no client needs it any more
  }
  std::string decoded() const {
    return fmt::format("next={} serving={}", word & 0xffff'ffff, word >> 32);
  }
  std::string violation() const {
    if (may_move(0) || may_move(1)) return {};
    if (clients[0].step != done || clients[1].step != done) return "deadlock";
    return (word & 0xffff'ffff) == word >> 32 ? "" : "not free at the end";
  }
};

class PlantedGame : public ::testing::Test {
 protected:
  static Json played() {
    const Result<std::string> text = game_json(planted_game());
    EXPECT_TRUE(text.ok()) << text.error().message;
    return parse_json(text.value());
  }
};

TEST_F(PlantedGame, has_the_moves_and_the_ends_of_its_lock) {
  const Json game = played();
  std::map<std::size_t, Model> known = {{0, {}}};
  std::set<std::string> ends;
  for (std::size_t id = 0; id < game["states"].size(); ++id) {
    ASSERT_TRUE(known.contains(id)) << "nothing leads to state " << id;
    const Model model = known[id];
    const Json& state = game["states"][id];
    std::set<std::size_t> movers;
    for (const Json& move : state["moves"]) {
      const std::size_t who = move["steps"][0]["actor"]["client"];
      ASSERT_TRUE(model.may_move(who)) << id << ": " << move["text"];
      EXPECT_TRUE(movers.insert(who).second) << id << ": client " << who << " has two moves";
      Model next = model;
      next.move(who);
      if (next.word != model.word) {
        EXPECT_EQ(move["entries"][0]["decoded"], next.decoded()) << id << ": " << move["text"];
      } else {
        EXPECT_FALSE(move.contains("entries")) << id << ": " << move["text"];
      }
      const auto [there, fresh] = known.emplace(move["to"].get<std::size_t>(), next);
      EXPECT_EQ(there->second, next) << id << ": " << move["text"] << " leads elsewhere";
    }
    EXPECT_EQ(movers.size(), std::size_t{model.may_move(0)} + std::size_t{model.may_move(1)}) << id;
    EXPECT_EQ(state.value("wrong", ""), model.violation()) << id;
    if (movers.empty()) ends.insert(model.violation());
  }
  EXPECT_EQ(known.size(), game["states"].size());
  EXPECT_EQ(ends, (std::set<std::string>{"", "deadlock", "not free at the end"}));
}

TEST_F(PlantedGame, is_lost_in_seven_moves_and_no_fewer) {
  const Json game = played();
  std::size_t at = 0;
  for (const Json& choice : game["shortest"])
    at = game["states"][at]["moves"][choice.get<std::size_t>()]["to"];
  EXPECT_EQ(game["shortest"].size(), 7U);
  EXPECT_EQ(game["states"][at]["wrong"], "deadlock");
  EXPECT_THAT(game["states"][at]["text"].get<std::string>(), HasSubstr("next=2 serving=0"));
  std::set<std::size_t> near = {0};
  for (int moves = 0; moves < 7; ++moves) {
    std::set<std::size_t> next;
    for (const std::size_t id : near) {
      EXPECT_FALSE(game["states"][id].contains("wrong")) << id << " after " << moves;
      for (const Json& move : game["states"][id]["moves"])
        next.insert(move["to"].get<std::size_t>());
    }
    near = next;
  }
}

TEST(Game, a_case_that_is_too_large_gives_no_game) {
  Case setup;
  setup.protocol = "shiftlock";
  setup.clients_per_node = 2;
  setup.operations = 2;
  const Result<std::string> text = game_json(setup);
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message, HasSubstr("bound on states"));
}

}  // namespace
}  // namespace latchlab::explore
