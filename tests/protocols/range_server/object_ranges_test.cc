// What a server keeps for one object, for every data structure: no two clients hold one unit, no
// client waits without a conflict, and no client is forgotten.

#include "core/protocols/interval_tree/line.h"
#include "core/protocols/list_cpu/list_cpu.h"
#include "core/protocols/maple_tree/b_tree.h"
#include "tests/protocols/range_server/ranges.h"

namespace latchlab::range_server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr RemoteAddr kObject{NodeId{1}, 64};

enum class Kept { list, b_tree, b_tree_for_those_that_fit, line };

std::unique_ptr<ObjectRanges> made(Kept kept) {
  const auto nothing = [] {};
  if (kept == Kept::list) return std::make_unique<HoldersIn<list_cpu::RangeList>>(nothing);
  if (kept == Kept::b_tree) return std::make_unique<HoldersIn<maple_tree::RangeTree>>(nothing);
  if (kept == Kept::b_tree_for_those_that_fit)
    return std::make_unique<HoldersIn<maple_tree::RangeTree>>(nothing, Tries::those_that_fit);
  return std::make_unique<interval_tree::LineOfRanges>();
}

class ObjectRangesTest : public ::testing::TestWithParam<Kept> {
 protected:
  // Whether the client holds the range.
  bool asks(std::uint32_t who, const Span& span) {
    const Asked asked{kObject, client(who), span};
    return ranges_->acquire(asked, {pack(served::kAcquire, asked), who + 1ULL});
  }
  // The clients that are granted by this release.
  std::vector<std::uint32_t> leaves(std::uint32_t who) {
    ObjectRanges::Calls granted;
    ranges_->release(client(who), granted);
    return names(granted);
  }
  std::vector<std::uint32_t> gives_up(std::uint32_t who) {
    ObjectRanges::Calls granted;
    const std::optional<PendingCall> call = ranges_->withdraw(client(who), granted);
    EXPECT_TRUE(call && unpack(call->request).who == client(who));
    return names(granted);
  }
  static std::vector<std::uint32_t> names(const ObjectRanges::Calls& calls) {
    std::vector<std::uint32_t> names;
    for (const PendingCall& each : calls) names.push_back(unpack(each.request).who.client.value);
    return names;
  }
  std::unique_ptr<ObjectRanges> ranges_ = made(GetParam());
};

INSTANTIATE_TEST_SUITE_P(structures, ObjectRangesTest,
                         ::testing::Values(Kept::list, Kept::b_tree,
                                           Kept::b_tree_for_those_that_fit, Kept::line));

TEST(RangeRequests, decode_to_what_was_asked) {
  const Asked asked{RemoteAddr{NodeId{3}, 4096}, {ClientId{7}, 9}, {5, ~0ULL}};
  const Asked again = unpack(pack(served::kWithdraw, asked));
  EXPECT_EQ(again.entry, asked.entry);
  EXPECT_EQ(again.who, asked.who);
  EXPECT_EQ(again.span, asked.span);
  EXPECT_EQ(span_of(Extent{}), Span{});
  EXPECT_EQ(span_of(Extent{5, 2}), (Span{5, 6}));
  EXPECT_EQ(span_of(Extent{~0ULL, 1}), (Span{~0ULL, ~0ULL}));
}

TEST_P(ObjectRangesTest, grants_disjoint_ranges_and_no_overlapping_ones) {
  EXPECT_TRUE(asks(0, {10, 19}));
  EXPECT_TRUE(asks(1, {20, 29}));
  EXPECT_TRUE(asks(2, {9, 9}));
  EXPECT_FALSE(asks(3, {19, 19}));
  EXPECT_FALSE(asks(4, {0, 9}));
  EXPECT_FALSE(asks(5, {0, 40}));
  EXPECT_TRUE(asks(6, {41, 50}));
  EXPECT_EQ(ranges_->holders(), 4U);
  EXPECT_EQ(ranges_->waiters(), 3U);
}

TEST_P(ObjectRangesTest, grants_a_client_that_waits_for_two_when_the_last_one_releases) {
  for (const std::uint32_t first : {0U, 1U}) {
    EXPECT_TRUE(asks(0, {0, 4}));
    EXPECT_TRUE(asks(1, {5, 9}));
    EXPECT_FALSE(asks(2, {0, 9}));
    EXPECT_THAT(leaves(first), IsEmpty());
    EXPECT_FALSE(ranges_->holds(client(2)));
    EXPECT_THAT(leaves(1 - first), ElementsAre(2));
    EXPECT_TRUE(ranges_->holds(client(2)));
    EXPECT_THAT(leaves(2), IsEmpty());
    EXPECT_TRUE(ranges_->empty());
  }
}

TEST_P(ObjectRangesTest, grants_several_waiters_at_once_and_one_of_those_that_overlap) {
  EXPECT_TRUE(asks(0, {0, 9}));
  EXPECT_FALSE(asks(1, {0, 4}));
  EXPECT_FALSE(asks(2, {3, 5}));
  EXPECT_FALSE(asks(3, {6, 9}));
  EXPECT_THAT(leaves(0), ElementsAre(1, 3));
  EXPECT_THAT(leaves(3), IsEmpty());
  EXPECT_THAT(leaves(1), ElementsAre(2));
}

TEST_P(ObjectRangesTest, forgets_a_client_that_gives_up) {
  EXPECT_TRUE(asks(0, {0, 9}));
  EXPECT_FALSE(asks(1, {0, 9}));
  EXPECT_FALSE(asks(2, {0, 9}));
  gives_up(1);
  EXPECT_EQ(ranges_->waiters(), 1U);
  EXPECT_THAT(leaves(0), ElementsAre(2));
  EXPECT_THAT(leaves(2), IsEmpty());
  EXPECT_TRUE(ranges_->empty());
}

TEST_P(ObjectRangesTest, ignores_clients_that_never_asked) {
  EXPECT_TRUE(asks(0, {0, 9}));
  ObjectRanges::Calls granted;
  ranges_->release(client(1), granted);
  EXPECT_FALSE(ranges_->withdraw(client(1), granted));
  EXPECT_FALSE(ranges_->holds(client(1)));
  EXPECT_TRUE(ranges_->holds(client(0)));
}

// Only in Lustre's tree a client that waits for a wide range blocks later clients from that range.
TEST_P(ObjectRangesTest, is_fair_only_if_waiting_clients_are_in_the_structure) {
  const bool line = GetParam() == Kept::line;
  EXPECT_TRUE(asks(0, {0, 4}));
  EXPECT_FALSE(asks(1, {0, 9}));
  EXPECT_EQ(asks(2, {5, 9}), !line);
  EXPECT_TRUE(asks(3, {10, 10}));
  if (!line) {
    EXPECT_THAT(leaves(2), IsEmpty());
  }
  EXPECT_THAT(leaves(0), ElementsAre(1));
  if (line) {
    EXPECT_THAT(leaves(1), ElementsAre(2));
  }
}

// Three clients wait for one range. In a list a try takes: a mark; the marked node and the client's
// own node; then one look each.
TEST(HolderRanges, makes_all_waiters_retry_or_only_those_that_fit) {
  for (const Tries tries : {Tries::all, Tries::those_that_fit}) {
    HoldersIn<list_cpu::RangeList> ranges([] {}, tries);
    for (std::uint32_t who = 0; who < 4; ++who) {
      const Asked asked{kObject, client(who), {0, 9}};
      EXPECT_EQ(ranges.acquire(asked, {Request{}, who + 1ULL}), who == 0);
    }
    ranges.take_steps();
    for (std::uint32_t who = 0; who < 3; ++who) {
      ObjectRanges::Calls granted;
      ranges.release(client(who), granted);
      ASSERT_EQ(granted.size(), 1U);
      EXPECT_EQ(granted[0].ticket, who + 2ULL);
      EXPECT_TRUE(ranges.holds(client(who + 1)));
      EXPECT_EQ(ranges.take_steps(), tries == Tries::all ? 5ULL - who : 3U);
    }
  }
}

// Random requests, and after each step a check of every promise, unit by unit.
TEST_P(ObjectRangesTest, keeps_its_promises_whatever_is_asked) {
  const bool line = GetParam() == Kept::line;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    struct One {
      Span span;
      std::uint32_t came = 0;
      bool holds = false;
    };
    std::map<std::uint32_t, One> all;
    std::uint32_t next = 0;
    ranges_ = made(GetParam());
    for (int round = 0; round < 400; ++round) {
      std::vector<std::uint32_t> in;
      if (all.empty() || rng.below(100) < 52) {
        const Span span = some_span(rng, 60, 8);
        const bool at_once = asks(next, span);
        all[next] = {span, next, at_once};
        ++next;
      } else {
        auto any = all.begin();
        std::advance(any, static_cast<std::ptrdiff_t>(rng.below(all.size())));
        in = any->second.holds ? leaves(any->first) : gives_up(any->first);
        all.erase(any);
      }
      for (const std::uint32_t each : in) {
        ASSERT_FALSE(all.at(each).holds) << "let in twice";
        all.at(each).holds = true;
      }
      std::uint64_t holders = 0;
      for (const auto& [who, one] : all) {
        holders += one.holds ? 1 : 0;
        ASSERT_EQ(ranges_->holds(client(who)), one.holds);
        bool in_the_way = false;
        for (const auto& [other, two] : all) {
          if (other == who || !share_a_unit(one.span, two.span)) continue;
          ASSERT_FALSE(one.holds && two.holds) << "seed " << seed << ": " << who << ", " << other;
          in_the_way = in_the_way || two.holds || (line && two.came < one.came);
          if (line) {
            ASSERT_FALSE(one.holds && two.came < one.came) << "before who came earlier";
          }
        }
        ASSERT_EQ(in_the_way, !one.holds) << "seed " << seed << ": " << who << " waits for nothing";
      }
      ASSERT_EQ(ranges_->holders(), holders);
      ASSERT_EQ(ranges_->waiters(), all.size() - holders);
    }
  }
}

}  // namespace
}  // namespace latchlab::range_server
