// Counts messages in each case of writers and readers that N-CoSED treats separately.

#include "tests/modes.h"
#include "tests/protocols/n_cosed/scene.h"

namespace latchlab::testing {
namespace {

using n_cosed::Word;
using Order = std::vector<std::uint32_t>;

void expect_played(const SceneEnd& end, std::uint64_t seed) {
  ASSERT_EQ(end.end, RunEnd::finished) << "seed " << seed << ": " << end.entry;
  EXPECT_EQ(end.entry, "free") << "seed " << seed;
}

TEST(n_cosed, hands_over_from_writer_to_writer_by_two_messages) {
  const std::vector<OneTurn> turns = {{kX, Word{0, 0}, Word{2, 0}}, {kX, Word{1, 0}, Word{2, 0}}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order, (Order{0, 1}));
    EXPECT_EQ(end.sends, 2U) << "a request and a Grant";
    EXPECT_EQ(end.calls, 0U);
    // One CAS of the first writer, two of the second, its release, and perhaps a release that
    // fails.
    EXPECT_GE(end.atomics, 4U);
    EXPECT_LE(end.atomics, 5U);
  }
}

TEST(n_cosed, leaves_readers_with_no_writer_behind_them_to_the_home_node) {
  const std::vector<OneTurn> turns = {
      {kX, Word{0, 0}, Word{1, 2}}, {kS, Word{1, 0}, Word{0, 2}}, {kS, Word{1, 1}, Word{0, 2}}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order.front(), 0U);
    EXPECT_EQ(end.sends, 4U) << "a request and a Grant for each";
    EXPECT_EQ(end.calls, 2U) << "each tells the home";
    EXPECT_EQ(end.atomics, 5U) << "CAS, two FAA, a CAS (1, 0) that fails, CAS (1, 2)";
  }
}

TEST(n_cosed, makes_the_readers_between_two_writers_notify_the_second_writer) {
  const std::vector<OneTurn> turns = {{kX, Word{0, 0}, Word{4, 0}},
                                      {kS, Word{1, 0}, Word{4, 0}},
                                      {kS, Word{1, 1}, Word{4, 0}},
                                      {kX, Word{1, 2}, Word{4, 0}}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order.front(), 0U);
    EXPECT_EQ(end.order.back(), 3U);
    EXPECT_EQ(end.sends, 8U) << "three requests, three Grants, two Releases";
    EXPECT_EQ(end.calls, 0U);
  }
}

TEST(n_cosed, makes_a_writer_wait_at_the_home_node_for_the_readers_before_it) {
  const std::vector<OneTurn> turns = {
      {kS, Word{0, 0}, Word{3, 0}}, {kS, Word{0, 1}, Word{3, 0}}, {kX, Word{0, 2}, Word{3, 0}}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order.back(), 2U);
    EXPECT_EQ(end.sends, 0U);
    EXPECT_EQ(end.calls, 3U) << "two releases, and one that waits for both";
    EXPECT_EQ(end.atomics, 5U) << "two FAA, CAS that fails, CAS, release";
  }
}

// The third reader finds two readers before it: it acquires the lock like a writer, after they have
// released.
TEST(n_cosed, treats_a_reader_beyond_the_limit_as_a_writer) {
  const std::vector<OneTurn> turns = {
      {kS, Word{0, 0}, Word{3, 0}}, {kS, Word{0, 1}, Word{3, 0}}, {kS, Word{0, 2}, Word{3, 0}}};
  const ParamValues narrow = {{"shared_limit", number(2)}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed, narrow).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order.back(), 2U);
    EXPECT_EQ(end.modes.back(), kX);
    EXPECT_EQ(end.calls, 4U) << "its share is given back before it asks again";
  }
}

// As printed, the count carries into the tail, and a writer asks a client that does not use the
// lock.
TEST(n_cosed, loses_the_lock_when_the_count_of_readers_overflows) {
  LATCHLAB_NEEDS_EXPLORER("a run that is stuck");
  const Word full{0, ~0U};
  const std::vector<OneTurn> turns = {{kS, full, Word{1, 0}}, {kX, Word{1, 0}, Word{2, 0}}};
  Scene scene(turns, 1, {{"shared_limit", number(0)}});
  scene.poke(full);
  const SceneEnd end = scene.play();
  EXPECT_EQ(end.end, RunEnd::stuck);
  EXPECT_EQ(end.entry, "tail=client 1") << "the writer has queued up behind client 0";
  EXPECT_EQ(end.order, (Order{0}));
}

}  // namespace
}  // namespace latchlab::testing
