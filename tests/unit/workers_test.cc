// What threads and clocks report about a run on hardware, and which reports are impossible.
#include <gmock/gmock.h>

#include "core/measure/leaves.h"
#include "core/measure/partial_metrics.h"
#include "core/measure/results_json.h"
#include "core/measure/window.h"

namespace latchlab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Thread {
  std::uint64_t busy_ps, turn_max_ps, began_ps;
};

// The share of one worker with one client, which ends cycles in a window of 2000 ps.
PartialMetrics share_of(std::uint32_t client, const Thread& thread) {
  WindowRecorder window(9, {ClientId{client}}, Time{1000}, Duration{2000});
  for (const std::int64_t date : {500, 1500, 2500, 3500})
    window.next_cycle(ClientId{client}, Time{date});
  PartialMetrics share;
  window.write_to(share);
  share.worker_ps = {2000};
  share.worker_busy_ps = {thread.busy_ps};
  share.worker_turn_max_ps = {thread.turn_max_ps};
  share.worker_began_ps = {thread.began_ps};
  share.worker_clients = {1};
  return share;
}

TEST(Workers, are_reported_one_by_one_and_by_the_busiest) {
  std::vector<PartialMetrics> shares = {share_of(0, {500, 70'000, 3'000}),
                                        share_of(1, {1'900, 40'000, 9'000})};
  shares[0].clock_error_ns = {0};
  shares[1].clock_error_ns = {800};
  shares.push_back(share_of(2, {100, 1, 5'000}));
  shares[2].clock_error_ns = {300};
  const RepeatMetrics metrics = merge(shares);
  EXPECT_THAT(metrics.workers.busy, ElementsAre(0.25, 0.95, 0.05));
  EXPECT_THAT(metrics.workers.turn_max_ns, ElementsAre(70.0, 40.0, 0.001));
  EXPECT_EQ(metrics.workers.busiest, 0.95);
  EXPECT_EQ(metrics.workers.longest_turn_ns, 70.0);
  EXPECT_EQ(metrics.clocks.start_skew_ns, 6.0);
  EXPECT_EQ(metrics.clocks.error_ns, 1100.0);  // of the last two
}

TEST(Workers, without_clients_do_not_count_as_the_busiest) {
  std::vector<PartialMetrics> shares = {share_of(0, {500, 1, 0}), share_of(1, {1'900, 1, 0})};
  shares[1].worker_clients = {0};
  EXPECT_EQ(merge(shares).workers.busiest, 0.25);
}

TEST(Workers, are_not_reported_for_a_simulation) {
  PartialMetrics share = share_of(0, {});
  share.worker_ps = share.worker_busy_ps = share.worker_turn_max_ps = share.worker_clients =
      share.worker_began_ps = {};
  const std::string text = leaves_json(repeat_leaves(metrics_of(share)));
  EXPECT_EQ(text.find("workers"), std::string::npos);
  EXPECT_EQ(text.find("clocks"), std::string::npos);
}

TEST(Workers, with_impossible_values_are_refused_on_receipt) {
  const auto refusal = [](void (*spoil)(PartialMetrics&)) {
    PartialMetrics share = share_of(0, {500, 1, 0});
    spoil(share);
    const auto received = parse_share(serialise_share(share));
    return received.ok() ? "accepted" : received.error().text();
  };
  EXPECT_EQ(refusal([](PartialMetrics&) {}), "accepted");
  // Cycles were counted, so the worker cannot have been idle all the time.
  EXPECT_THAT(refusal([](PartialMetrics& s) { s.worker_busy_ps = {0}; }),
              HasSubstr("workers that did nothing"));
  EXPECT_THAT(refusal([](PartialMetrics& s) { s.worker_busy_ps = {2001}; }),
              HasSubstr("longer than there was time"));
  EXPECT_THAT(refusal([](PartialMetrics& s) { s.worker_clients.clear(); }),
              HasSubstr("not told of alike"));
}

TEST(Workers, of_several_repeats_are_aggregated_for_a_point) {
  const std::vector<RepeatMetrics> repeats = {metrics_of(share_of(0, {500, 70'000, 0})),
                                              metrics_of(share_of(0, {700, 90'000, 0}))};
  const Leaves point = aggregate(repeats);
  EXPECT_EQ(number_of(*find_leaf(point, "workers.busiest")), 0.3);
  EXPECT_EQ(number_of(*find_leaf(point, "workers.longest_turn_ns")), 90.0);
  EXPECT_EQ(find_leaf(point, "workers.busy"), nullptr);  // each repeat has its own
}

}  // namespace
}  // namespace latchlab
