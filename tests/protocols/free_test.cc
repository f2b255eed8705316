// Protocol::is_free: no entry looks free while somebody holds it, and each does when all have gone.

#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

struct Variant {
  const char* name;
  const char* protocol;
  const char* profile;  // empty: the small model
  Values params = {};
};

std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant.name;
}

Case crowd_of(const Variant& variant) {
  Case setup;
  setup.protocol = variant.protocol;
  setup.profile = variant.profile;
  setup.params = variant.params;
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.operations = 6;
  setup.shared_percent = 40;
  return setup;
}

class FreeEntry : public ::testing::TestWithParam<Variant> {};

TEST_P(FreeEntry, is_seen_when_all_have_gone_and_never_during_a_hold) {
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(crowd_of(GetParam()), seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    ASSERT_TRUE(outcome.free) << "seed " << seed << ": " << outcome.entry;
    ASSERT_EQ(outcome.looked_free, 0U) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, FreeEntry,
    ::testing::Values(Variant{"cas", "cas", ""},
                      Variant{"cas_freed_by_a_write", "cas", "", {{"release", text("write")}}},
                      Variant{"mcs", "mcs", ""}, Variant{"mcs_with_a_counter", "mcs", "artifact"},
                      Variant{"dslr", "dslr", ""},
                      Variant{"dslr_as_ported", "dslr", "shiftlock_port"},
                      Variant{"shiftlock", "shiftlock", ""},
                      Variant{"shiftlock_of_the_artifact", "shiftlock", "artifact"},
                      Variant{"cohort_reference", "cohort_reference", ""}),
    [](const auto& made) { return std::string(made.param.name); });

TEST(FreeEntryOfTheDead, is_not_seen_where_nobody_repairs_it) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  for (const char* protocol : {"cas", "mcs"}) {
    Case setup = crowd_of({"", protocol, ""});
    setup.dies = {0};
    const std::uint64_t seed =
        first_seed(setup, 50, [](const Outcome& o) { return o.end != RunEnd::finished; });
    ASSERT_GT(seed, 0U) << protocol;
    EXPECT_FALSE(run(setup, seed).free) << protocol;
  }
}

TEST(FreeEntryOfTheDead, is_seen_once_the_lock_has_been_repaired) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  for (const char* protocol : {"dslr", "shiftlock"}) {
    Case setup = crowd_of({"", protocol, ""});
    setup.dies = {0};
    const auto repaired = [](const Outcome& o) {
      return o.end == RunEnd::finished && o.recoveries > 0;
    };
    const std::uint64_t seed = first_seed(setup, 50, repaired);
    ASSERT_GT(seed, 0U) << protocol;
    EXPECT_TRUE(run(setup, seed).free) << protocol;
  }
}

bool is_free(const char* protocol, const std::vector<std::uint64_t>& words) {
  const ProtocolEntry& entry = *find_protocol(protocol);
  const auto made = entry.make(entry.info.resolve(entry.info.profiles.front().name));
  return made->is_free(RemoteAddr{NodeId{1}, 4096}, words);
}

TEST(FreeEntryInWords, counters_may_stay_and_places_in_a_queue_may_not) {
  EXPECT_TRUE(is_free("cas", {0}));
  EXPECT_FALSE(is_free("cas", {3}));
  EXPECT_TRUE(is_free("mcs", {0, 7}));
  EXPECT_FALSE(is_free("mcs", {EndpointAddr{NodeId{3}, 5}.packed(), 7}));
  EXPECT_TRUE(is_free("shiftlock", {1, 42}));                // Epoch and RelCnt
  EXPECT_FALSE(is_free("shiftlock", {1 | 2, 42}));           // a reader
  EXPECT_FALSE(is_free("shiftlock", {1 | 3ULL << 24, 42}));  // a writer
  EXPECT_TRUE(is_free("dslr", {0x0002'0005'0002'0005}));
  EXPECT_FALSE(is_free("dslr", {0x0002'0005'0003'0005}));  // a writer
  EXPECT_FALSE(is_free("dslr", {0x0002'0005'0002'0006}));  // a reader
  EXPECT_TRUE(is_free("dslr", {0xffff'0005'8000'0006}));   // a tombstone
}

// An entry whose first word depends on where it lies.
class SelfPointing final : public Protocol {
 public:
  Layout layout(const Shape& /*shape*/) const override { return {}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv&) const override { return nullptr; }
  void initial_image(RemoteAddr entry, std::uint64_t first_word,
                     std::span<std::uint64_t> words) const override {
    if (first_word == 0) words[0] = entry.packed();
  }
  std::string decode(std::span<const std::uint64_t>) const override { return {}; }
};

TEST(FreeEntryInWords, by_default_is_the_initial_image_at_its_address) {
  const SelfPointing protocol;
  const RemoteAddr here{NodeId{1}, 4096};
  const std::vector<std::uint64_t> words = {here.packed()};
  EXPECT_TRUE(protocol.is_free(here, words));
  EXPECT_FALSE(protocol.is_free(here + 64, words));
}

}  // namespace
}  // namespace latchlab::testing
