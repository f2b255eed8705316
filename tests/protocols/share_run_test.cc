// Runs in several processes, as on hardware: each process hosts some of the nodes. Here every
// process has a world of its own, which the other processes' clients never join; the partial
// results are still real.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/explorer/explorer_backend.h"
#include "core/protocols/registry.h"
#include "core/run/repeat.h"
#include "core/run/share_json.h"
#include "core/world/forwarding.h"

namespace latchlab::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr NodeId kServer{1};

class OneNodeOf final : public ForwardingBackend {
 public:
  OneNodeOf(std::unique_ptr<Backend> inner, NodeId client_node)
      : ForwardingBackend(std::move(inner)), client_node_(client_node) {}
  bool hosts(NodeId node) const override { return node == kServer || node == client_node_; }
  bool sees_all_effects() const override { return false; }

 private:
  NodeId client_node_;
};

BackendFactory hosting(std::uint16_t client_node) {
  return [client_node](const WorldPlan& plan, const Point&) -> std::unique_ptr<Backend> {
    return std::make_unique<OneNodeOf>(make_explorer(plan, {}), NodeId{client_node});
  };
}

// Two client nodes, 2 and 3, of two clients each.
Point small_point() {
  Point point;
  point.platform.client_nodes = point.platform.clients_per_node = 2;
  point.locks.count = 4;
  point.protocol.name = "cas";
  const ProtocolEntry& entry = *find_protocol("cas");
  point.protocol.params = entry.small_params();
  point.run.warmup = microseconds(1);
  point.run.duration = microseconds(4);
  point.run.guard = GuardMode::on;
  return point;
}

ShareOutcome run_on(std::uint16_t client_node, const Point& point = small_point(),
                    const ShareOptions& options = {}) {
  return run_share(point, *find_protocol("cas"), 0, hosting(client_node), options);
}

TEST(ShareRuns, of_all_nodes_merge_into_a_repeat) {
  const std::vector<ShareOutcome> shares = {run_on(2), run_on(3)};
  ASSERT_THAT(shares[0].shares, SizeIs(1));
  EXPECT_EQ(shares[0].shares[0].clients, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(shares[1].shares[0].clients, (std::vector<std::uint64_t>{2, 3}));
  const RepeatOutcome repeat = merge_outcomes(small_point(), shares);
  EXPECT_EQ(repeat.status, RepeatStatus::ok) << repeat.message;
  EXPECT_EQ(repeat.seed, repeat_seed(1, 0));
  EXPECT_EQ(repeat.metrics.cycle.count(),
            shares[0].shares[0].cycle.count() + shares[1].shares[0].cycle.count());
  EXPECT_GT(repeat.metrics.cycle.count(), 10U);
  EXPECT_EQ(repeat.metrics.window_law.clients, 4U);
  EXPECT_TRUE(repeat.metrics.window_law.holds());
  EXPECT_GT(repeat.metrics.safety.checks.value_or(0), 10U);
  EXPECT_EQ(repeat.metrics.fingerprint, "");
  EXPECT_FALSE(repeat.metrics.fairness.max_bypassed);
}

TEST(ShareRuns, that_are_missing_fail_the_repeat_unless_a_fault_explains_it) {
  Point point = small_point();
  const std::vector<ShareOutcome> shares = {run_on(2)};
  RepeatOutcome repeat = merge_outcomes(point, shares);
  EXPECT_EQ(repeat.status, RepeatStatus::failed);
  EXPECT_EQ(repeat.message, "only 2 of 4 clients were measured");

  const std::vector<LostNode> lost = {{NodeId{3}, "killed by signal 9", {}}};
  repeat = merge_outcomes(point, shares, lost);
  EXPECT_EQ(repeat.status, RepeatStatus::failed);
  EXPECT_EQ(repeat.message, "node 3 was lost: killed by signal 9");

  FaultSpec fault;
  fault.kind = FaultKind::process_crash;
  fault.client = 3;
  point.faults = {fault};
  EXPECT_EQ(merge_outcomes(point, shares, lost).status, RepeatStatus::ok);
  EXPECT_EQ(merge_outcomes(point, {}, lost).status, RepeatStatus::failed);
}

TEST(ShareRuns, of_different_repeats_do_not_belong_together) {
  std::vector<ShareOutcome> shares = {run_on(2), run_on(2)};
  EXPECT_THAT(merge_outcomes(small_point(), shares).message, HasSubstr("measured twice"));
  shares[1] = run_share(small_point(), *find_protocol("cas"), 1, hosting(3));
  EXPECT_EQ(merge_outcomes(small_point(), shares).message, "the shares are of different repeats");
}

TEST(ShareRuns, a_refusal_by_one_process_refuses_the_repeat) {
  std::vector<ShareOutcome> shares = {run_on(2), run_on(3)};
  shares[1].status = RepeatStatus::unavailable;
  shares[1].message = "no device";
  const RepeatOutcome repeat = merge_outcomes(small_point(), shares);
  EXPECT_EQ(repeat.status, RepeatStatus::unavailable);
  EXPECT_EQ(repeat.message, "no device");
}

ShareOutcome refusal(const std::string& why, bool secondary) {
  ShareOutcome outcome;
  outcome.status = RepeatStatus::failed;
  outcome.message = why;
  outcome.secondary = secondary;
  return outcome;
}

TEST(ShareRuns, of_several_reasons_to_fail_the_cause_is_named) {
  std::vector<ShareOutcome> shares = {refusal("node 2 waited in vain", true),
                                      refusal("no GID", false)};
  EXPECT_EQ(merge_outcomes(small_point(), shares).message, "no GID");
  shares.pop_back();
  EXPECT_EQ(merge_outcomes(small_point(), shares).message, "node 2 waited in vain");

  const std::vector<LostNode> lost = {{NodeId{3}, "exit code 3", {}}};
  EXPECT_EQ(merge_outcomes(small_point(), shares, lost).message, "node 3 was lost: exit code 3");
  EXPECT_EQ(merge_outcomes(small_point(), {}, lost).message, "node 3 was lost: exit code 3");
}

TEST(ShareRuns, a_violation_is_worse_than_a_lost_node) {
  std::vector<ShareOutcome> shares = {run_on(2)};
  shares[0].shares[0].violations = 1;
  shares[0].shares[0].violation = "two at once";
  const std::vector<LostNode> lost = {{NodeId{3}, "gone", {}}};
  const RepeatOutcome repeat = merge_outcomes(small_point(), shares, lost);
  EXPECT_EQ(repeat.status, RepeatStatus::unsafe);
  EXPECT_EQ(repeat.message, "two at once");
}

TEST(ShareRuns, a_conflict_of_guard_words_is_unsafe_unless_a_lost_node_left_it) {
  std::vector<ShareOutcome> shares = {run_on(2), run_on(3)};
  shares[1].shares[0].guard.conflicts = {{1, 2, LockMode::exclusive, 1, 1}};
  RepeatOutcome repeat = merge_outcomes(small_point(), shares);
  EXPECT_EQ(repeat.status, RepeatStatus::unsafe);
  EXPECT_EQ(repeat.message,
            "client 2 entered lock 1 exclusively while its guard word said 0 writers, 1 reader");
  EXPECT_EQ(repeat.metrics.safety.violations, 1U);

  Point point = small_point();
  FaultSpec fault;
  fault.kind = FaultKind::node_crash;
  fault.node = 2;
  point.faults = {fault};
  std::vector<LostNode> lost = {{NodeId{3}, "gone", {{ClientId{3}, LockId{1}, 1, true}}, true}};
  repeat = merge_outcomes(point, shares, lost);
  EXPECT_EQ(repeat.status, RepeatStatus::ok) << repeat.message;
  EXPECT_EQ(repeat.metrics.safety.expired_holds, 1U);

  // Several of its clients held locks, two of them the same one.
  lost[0].left = {{ClientId{4}, LockId{2}, 1, true},
                  {ClientId{3}, LockId{1}, 1, true},
                  {ClientId{5}, LockId{1}, 1, true}};
  repeat = merge_outcomes(point, shares, lost);
  EXPECT_EQ(repeat.status, RepeatStatus::ok) << repeat.message;
  EXPECT_EQ(repeat.metrics.safety.expired_holds, 1U);

  lost[0].left.clear();
  EXPECT_EQ(merge_outcomes(point, shares, lost).status, RepeatStatus::unsafe);
}

TEST(ShareRuns, guard_words_say_nothing_once_a_node_without_a_journal_is_lost) {
  std::vector<ShareOutcome> shares = {run_on(2)};
  shares[0].shares[0].guard.conflicts = {{1, 0, LockMode::exclusive, 1, 1}};
  const std::vector<LostNode> lost = {{NodeId{3}, "gone", {}, false}};
  RepeatOutcome repeat = merge_outcomes(small_point(), shares, lost);
  EXPECT_EQ(repeat.status, RepeatStatus::failed);
  EXPECT_EQ(repeat.message, "node 3 was lost: gone");

  Point point = small_point();
  FaultSpec fault;
  fault.kind = FaultKind::process_crash;
  fault.client = 2;
  point.faults = {fault};
  repeat = merge_outcomes(point, shares, lost);
  EXPECT_EQ(repeat.status, RepeatStatus::ok) << repeat.message;
  EXPECT_FALSE(repeat.metrics.safety.checks);
  EXPECT_FALSE(repeat.metrics.safety.violations);
}

TEST(ShareRuns, keep_the_journal_that_they_are_given) {
  std::vector<GuardRecord> journal(4);
  bool told = false;
  ShareOptions options;
  options.guard_journal = journal;
  options.about_to_run = [&told](Backend& backend) { told = backend.hosts(NodeId{2}); };
  run_on(2, small_point(), options);
  EXPECT_TRUE(told);
  EXPECT_NE(journal[0].slots[0].amount.load(), 0U);
  EXPECT_EQ(journal[2].slots[0].amount.load(), 0U) << "a client that is not here";
}

TEST(ShareRuns, cross_between_processes_as_text) {
  ShareOutcome sent = run_on(2);
  sent.secondary = true;
  const std::string text = serialise_share_outcome(sent);
  const auto received = parse_share_outcome(text);
  ASSERT_TRUE(received.ok()) << received.error().text();
  EXPECT_TRUE(received.value().shares == sent.shares);
  EXPECT_EQ(received.value().seed, sent.seed);
  EXPECT_EQ(received.value().end, sent.end);
  EXPECT_TRUE(received.value().secondary);
  EXPECT_EQ(serialise_share_outcome(received.value()), text);
  for (std::size_t length = 0; length < text.size(); length += 7)
    EXPECT_FALSE(parse_share_outcome(text.substr(0, length)).ok());
  EXPECT_FALSE(parse_share_outcome("{\"status\":9}").ok());
}

}  // namespace
}  // namespace latchlab::testing
