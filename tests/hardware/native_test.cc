// Masked atomics are executed by the RNICs if all can, otherwise by agents. Needs no device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/ibverbs/ibverbs_backend.h"

namespace latchlab {
namespace {

using enum Capability;

constexpr std::uint32_t kAllNative = NativeAtomics::plain | NativeAtomics::mixed |
                                     NativeAtomics::masked_8 | NativeAtomics::masked_16;

TEST(Native, a_lock_needs_agents_if_a_width_that_it_uses_is_missing) {
  const NativeAtomics all{kAllNative, {}};
  const NativeAtomics narrow{NativeAtomics::plain | NativeAtomics::masked_8, "no 16 bytes"};
  const NativeAtomics portable{NativeAtomics::plain, "no masks"};
  EXPECT_FALSE(
      needs_software_atomics({masked_atomics_8, masked_atomics_16, mixed_width_atomic}, all));
  EXPECT_FALSE(needs_software_atomics({masked_atomics_8, reliable_messages}, narrow));
  EXPECT_TRUE(needs_software_atomics({masked_atomics_16}, narrow));
  EXPECT_TRUE(needs_software_atomics({mixed_width_atomic}, narrow));
  EXPECT_TRUE(needs_software_atomics({masked_atomics_8}, portable));
  EXPECT_FALSE(needs_software_atomics({calls, timing}, portable));
}

// Replies in another byte order would affect plain CAS as well.
TEST(Native, no_lock_uses_an_rnic_whose_plain_atomics_fail_their_trial) {
  EXPECT_TRUE(
      needs_software_atomics({}, {NativeAtomics::masked_8 | NativeAtomics::masked_16, "swapped"}));
}

TEST(Native, a_run_has_the_atomics_of_all_its_nodes_and_reports_what_is_missing) {
  const NativeAtomics all{kAllNative, {}};
  const NativeAtomics narrow{NativeAtomics::plain | NativeAtomics::masked_8, "no 16 bytes"};
  for (const NativeAtomics& both : {common(all, narrow), common(narrow, all)}) {
    EXPECT_EQ(both.kinds, narrow.kinds);
    EXPECT_EQ(both.lacking, "no 16 bytes");
  }
  EXPECT_EQ(common(all, all).lacking, "");
  EXPECT_EQ(narrow.text(), "masked atomics of 8 bytes");
}

TEST(Native, over_dc_a_run_has_the_atomics_that_were_tested_over_dc) {
  const std::uint32_t wide = NativeAtomics::masked_16 << NativeAtomics::kByDc;
  const std::uint32_t narrow = NativeAtomics::masked_8 << NativeAtomics::kByDc;
  const NativeAtomics some{kAllNative | NativeAtomics::dc | narrow, "no 16 bytes by DC"};
  EXPECT_EQ(some.by_dc().kinds, NativeAtomics::plain | NativeAtomics::dc | NativeAtomics::masked_8);
  EXPECT_EQ(some.by_dc().lacking, some.lacking);
  const NativeAtomics both{kAllNative | NativeAtomics::dc | narrow | wide, {}};
  EXPECT_EQ(both.by_dc().kinds, kAllNative | NativeAtomics::dc);
}

TEST(Native, eviction_is_available_over_dc_only_with_agents) {
  const NativeAtomics all{kAllNative | NativeAtomics::dc, {}};
  EXPECT_TRUE(ibverbs_capabilities(all, false, true, false).has(evict));
  EXPECT_FALSE(ibverbs_capabilities(all, false, true, true).has(evict));
  EXPECT_TRUE(ibverbs_capabilities(all, true, true, true).has(evict));
}

TEST(Native, a_missing_capability_has_a_reason_or_is_emulated_by_agents) {
  const NativeAtomics narrow{NativeAtomics::plain | NativeAtomics::masked_8, "no 16 bytes"};
  const Capabilities native = ibverbs_capabilities(narrow, false, true);
  EXPECT_EQ(native.of(masked_atomics_8), Support::native);
  EXPECT_EQ(native.of(masked_atomics_16), Support::absent);
  EXPECT_EQ(native.how(masked_atomics_16), "no 16 bytes");
  const Capabilities agents = ibverbs_capabilities(narrow, true, true);
  EXPECT_EQ(agents.of(masked_atomics_8), Support::emulated);
  EXPECT_EQ(agents.of(masked_atomics_16), Support::emulated);
}

}  // namespace
}  // namespace latchlab
