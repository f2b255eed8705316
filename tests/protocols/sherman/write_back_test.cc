// The WRITE that is posted together with the unlock.

#include "tests/protocols/sherman/write_back.h"

#include "tests/protocols/sherman/chains.h"

namespace latchlab::sherman_tests {
namespace {

using testing::Outcome;
using testing::RunSetup;
using testing::seeds;

TEST(sherman, shows_the_last_write_to_the_next_holder) {
  const std::vector<ParamValues> forms = {{}, {{"unlock_by", testing::text("faa")}}, packed()};
  for (const char* lock : {"sherman", "sherman_nh"})
    for (std::size_t form = 0; form < forms.size(); ++form)
      for (const std::uint32_t nodes : {1U, 3U})
        for (std::uint64_t seed = 1; seed <= seeds(50); ++seed)
          EXPECT_EQ(lost_writes(lock, forms[form], nodes, seed), 0U)
              << lock << ", form " << form << ", seed " << seed;
}

TEST(sherman, is_asked_to_write_only_if_it_writes_with_its_unlock) {
  for (const bool with : {true, false}) {
    RunSetup setup =
        testing::repeated("sherman", 5, [](ClientId, const World& world, Section& section) {
          testing::want(world, section, 0);
          section.work.writes = 2;
        });
    setup.object_bytes = 8;
    setup.params = {{"write_with_unlock", with}};
    paths::forget();
    paths::record(true);
    const Outcome outcome = testing::run(testing::alone(setup), 1);
    paths::record(false);
    EXPECT_EQ(outcome.tally.writes(), 5U * 3);
    const auto seen = testing::labels("sherman", true);
    const std::string together = "the lock is freed together with a write-back";
    EXPECT_EQ(std::count(seen.begin(), seen.end(), together), with ? 1 : 0);
  }
}

#if LATCHLAB_WITH_SIMGRID
// A round trip is about 2 us.
TEST(timed, sherman_waits_once_for_a_write_back_and_its_unlock) {
  EXPECT_LT(time_of_a_section("reconstructed", true), microseconds(3));
}
TEST(timed, sherman_waits_once_for_a_write_back_and_the_unlock_of_a_packed_lock) {
  EXPECT_LT(time_of_a_section("packed", true), microseconds(3));
}
TEST(timed, sherman_waits_for_a_write_and_then_for_its_unlock) {
  EXPECT_GT(time_of_a_section("reconstructed", false), microseconds(3));
}
#endif

}  // namespace
}  // namespace latchlab::sherman_tests
