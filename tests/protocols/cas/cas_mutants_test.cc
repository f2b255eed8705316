// Tests that catch small faults in the cas lock which no other test detects.

#include "tests/protocols/marks.h"
#include "tests/protocols/promises.h"

namespace latchlab::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(cas, decodes_the_holder_from_the_first_word_alone) {
  const ProtocolEntry& entry = *find_protocol("cas");
  const auto protocol = entry.make(entry.info.resolve("paper"));
  const std::uint64_t held_and_next[] = {8, 0};
  const std::uint64_t free_and_next[] = {0, 8};
  EXPECT_EQ(protocol->decode({held_and_next, 1}), "held by client 7");
  EXPECT_EQ(protocol->decode({free_and_next, 1}), "free");
}

TEST(cas, needs_masked_atomics_only_where_it_uses_them) {
  const ProtocolEntry& entry = *find_protocol("cas");
  ParamSet params = entry.small_params();
  EXPECT_THAT(entry.make(params)->needs(), IsEmpty());
  params.set("masked", true);
  EXPECT_THAT(entry.make(params)->needs(), ElementsAre(Capability::masked_atomics_8));
}

TEST(cas, enters_its_retry_phase_only_if_it_finds_a_holder) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("cas");
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "acquire IA RT", "release IA"));
  setup.client_nodes = 1;
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "release IA"));
}

}  // namespace
}  // namespace latchlab::testing
