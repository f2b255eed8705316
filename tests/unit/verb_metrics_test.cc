// From verb counts to metrics: verbs per cycle, and which of them are retries.

#include "core/measure/verb_metrics.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace latchlab {
namespace {

void count_verbs(VerbTally& tally, int number, VerbKind kind, std::uint32_t bytes = 8) {
  Verb verb;
  verb.kind = kind;
  verb.bytes = bytes;
  for (int i = 0; i < number; ++i) tally.count(verb);
}

TEST(VerbMetrics, retries_are_failed_cas_and_unsatisfied_probes) {
  VerbTally cycles;
  count_verbs(cycles, 6, VerbKind::cas);
  count_verbs(cycles, 2, VerbKind::masked_faa, 16);
  count_verbs(cycles, 5, VerbKind::read);
  cycles.mismatched = 3;
  cycles.probe_reads = 2;
  cycles.probe_misses = 1;
  RepeatMetrics metrics;
  write_verb_metrics(cycles, {.atomics = 5, .mismatched = 3}, 2, metrics);
  EXPECT_EQ(metrics.verbs_per_cycle.atomic, 4.0);
  EXPECT_EQ(metrics.verbs_per_cycle.read, 2.5);
  EXPECT_EQ(metrics.verbs_per_cycle_detail.at("cas_8"), 3.0);
  EXPECT_EQ(metrics.verbs_per_cycle_detail.at("masked_faa_16"), 1.0);
  EXPECT_EQ(metrics.retry_share, 0.4);
  EXPECT_EQ(metrics.retry_share_acquire, 0.6);
}

TEST(VerbMetrics, without_a_counted_cycle_there_are_no_verbs_per_cycle) {
  VerbTally tally;
  count_verbs(tally, 1, VerbKind::cas);
  RepeatMetrics metrics;
  write_verb_metrics(tally, {.atomics = 1}, 0, metrics);
  EXPECT_FALSE(metrics.verbs_per_cycle.atomic);
  EXPECT_TRUE(metrics.verbs_per_cycle_detail.empty());
}

}  // namespace
}  // namespace latchlab
