// Ten million CQL locks, whose initial image is a pattern, use memory only for the locks that are
// touched.

#include "core/verbs/sparse_memory.h"
#include "tests/protocols/harness.h"
#include "tests/protocols/timed.h"

namespace latchlab::cql_tests {
namespace {

using namespace testing;

constexpr std::uint64_t kLocks = 10'000'000;
constexpr std::uint64_t kSections = 4;
constexpr std::uint64_t kClients = 24;
// An entry of 200 bytes is on at most two pages.
constexpr std::uint64_t kMostWords = kClients * kSections * 2 * SparseMemory::kPageWords;

// The lock, and how many words of images were requested.
class Counted final : public Protocol {
 public:
  Counted(std::unique_ptr<Protocol> lock, std::uint64_t& words)
      : lock_(std::move(lock)), words_(words) {}
  Layout layout(const Shape& shape) const override { return lock_->layout(shape); }
  Limits limits() const override { return lock_->limits(); }
  std::vector<Capability> needs() const override { return lock_->needs(); }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return lock_->make_client(env);
  }
  std::unique_ptr<NodePart> make_node(const NodeEnv& env) const override {
    return lock_->make_node(env);
  }
  void initial_image(RemoteAddr entry, std::uint64_t first_word,
                     std::span<std::uint64_t> words) const override {
    words_ += words.size();
    lock_->initial_image(entry, first_word, words);
  }
  bool is_free(RemoteAddr entry, std::span<const std::uint64_t> words) const override {
    return lock_->is_free(entry, words);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return lock_->decode(words);
  }

 private:
  std::unique_ptr<Protocol> lock_;
  std::uint64_t& words_;
};

// Each client takes a few locks from the whole table, most of them without contention.
void expect_to_cost_what_is_touched(RunSetup setup) {
  std::uint64_t words = 0;
  ProtocolEntry entry = *find_protocol("cql");
  entry.make = [make = entry.make, &words](const ParamSet& params) {
    return std::make_unique<Counted>(make(params), words);
  };
  setup.entry = &entry;
  setup.profile = "repaired";
  setup.client_nodes = 8;
  setup.clients_per_node = 3;
  setup.locks = kLocks;
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count >= kSections) return false;
    section.wants.resize(1);
    const std::uint64_t dice = hash_of(client.value / 2, count, 7);
    section.wants[0].lock = world.lock(LockId{dice % kLocks});
    section.wants[0].mode = client.value % 3 == 0 ? LockMode::shared : LockMode::exclusive;
    return true;
  };
  CaseRun made(setup, 1);
  EXPECT_EQ(made.world().entry_bytes(), 200U);
  EXPECT_EQ(words, 0U) << "the table is written when it is made";
  const Outcome outcome = made.go();
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.acquired, kClients * kSections);
  EXPECT_GT(words, 0U);
  EXPECT_LE(words, kMostWords);
  std::printf("%llu words of 250 million\n", static_cast<unsigned long long>(words));
}

TEST(cql, uses_memory_only_for_the_locks_used_of_ten_million) {
  LATCHLAB_NEEDS_EXPLORER("counts pages that are filled when they are touched");
  expect_to_cost_what_is_touched({});
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, cql_uses_memory_only_for_the_locks_used_of_ten_million) {
  RunSetup setup;
  setup.make = plain_simulation;
  expect_to_cost_what_is_touched(setup);
}
#endif

TEST(cql, makes_its_image_in_slices) {
  const ProtocolEntry& entry = *find_protocol("cql");
  const auto protocol = entry.make(entry.info.resolve("repaired"));
  std::vector<std::uint64_t> whole(25);
  protocol->initial_image({NodeId{1}, 4096}, 0, whole);
  EXPECT_EQ(whole[0], 0U);
  for (std::size_t i = 1; i < whole.size(); ++i) EXPECT_EQ(whole[i], 0xffffULL << 48);
  std::vector<std::uint64_t> slice(7);
  protocol->initial_image({NodeId{2}, 8192}, 18, slice);
  EXPECT_TRUE(std::equal(slice.begin(), slice.end(), whole.begin() + 18));
}

}  // namespace
}  // namespace latchlab::cql_tests
