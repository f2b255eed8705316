// The initial image of an entry that is larger than a page is requested in slices.

#include <algorithm>
#include <map>

#include "core/world/world.h"
#include "tests/conformance/broken.h"

namespace latchlab::conformance {
namespace {

class Images : public Conformance {};
LATCHLAB_EVERY_BACKEND(Images);

constexpr std::uint64_t kTreeWords = 3000;

class Tree : public Protocol {
 public:
  Layout layout(const Shape&) const override {
    Layout layout;
    layout.entry_bytes = 8 * kTreeWords;
    return layout;
  }
  void initial_image(RemoteAddr entry, std::uint64_t first_word,
                     std::span<std::uint64_t> words) const override {
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = entry.packed() * 0x9e37'79b9'7f4a'7c15 + first_word + i;
  }
  std::unique_ptr<LockClient> make_client(const ClientEnv&) const override { return nullptr; }
  std::string decode(std::span<const std::uint64_t>) const override { return {}; }
};

Task<void> read_slice(Verbs& verbs, RemoteAddr from, std::span<const std::uint64_t> expected) {
  const ReadWords seen = co_await verbs.read_words(from, 8U * expected.size());
  EXPECT_TRUE(
      std::equal(expected.begin(), expected.end(), seen.words().begin(), seen.words().end()));
}
Task<void> read_tree(Verbs& verbs, RemoteAddr entry, std::vector<std::uint64_t> whole) {
  const std::span<const std::uint64_t> all(whole);
  for (std::size_t at : {std::size_t{1900}, std::size_t{0}, kTreeWords - 700})
    co_await read_slice(verbs, entry + 8 * at, all.subspan(at, 700));
}

void slices_make_one_image(Bench& bench, const Protocol& tree) {
  WorldShape shape;
  shape.locks.count = 3;
  World world(tree, shape);
  Backend& backend = bench.make(world.plan());
  world.attach(backend);
  std::map<LockId, std::vector<std::uint64_t>> whole;
  for (LockId lock; lock.value < 3; ++lock.value) {
    whole[lock].resize(kTreeWords);
    Tree().initial_image(world.lock(lock).entry, 0, whole[lock]);
  }
  Verbs& verbs = world.verbs(ClientId{0});
  bench.spawn(verbs, read_tree(verbs, world.lock(LockId{1}).entry, whole[LockId{1}]));
  EXPECT_EQ(bench.run(), RunEnd::finished);
  std::size_t wrong = 0;
  for (const auto& [lock, words] : whole)
    for (std::size_t i = 0; i < words.size(); ++i)
      wrong += backend.peek(world.lock(lock).entry + 8 * i) != words[i] ? 1 : 0;
  EXPECT_EQ(wrong, 0U);
}
TEST_P(Images, slices_make_the_same_image_as_one_slice) {
  slices_make_one_image(*this, Tree());
}

// ---- and in a backend that breaks this promise ----

// Returns the first slice for every slice.
class Shrub final : public Tree {
  void initial_image(RemoteAddr entry, std::uint64_t,
                     std::span<std::uint64_t> words) const override {
    Tree::initial_image(entry, 0, words);
  }
};
TEST(BrokenImages, of_slices_that_do_not_fit_together_are_detected) {
  EXPECT_EQ(worlds_noticed([](Bench& bench) { slices_make_one_image(bench, Tree()); },
                           [](Bench& bench) { slices_make_one_image(bench, Shrub()); }),
            static_cast<int>(kExplorerSeeds));
}

}  // namespace
}  // namespace latchlab::conformance
