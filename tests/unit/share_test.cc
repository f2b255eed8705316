// Partial metrics of a repeat: they add up to what one observer would have measured, and they are
// transferred between processes completely or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/measure/partial_metrics.h"
#include "core/measure/results_json.h"
#include "core/measure/window.h"

namespace latchlab {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kClients = 6;

// Random cycles of some clients. What a client does depends only on its number.
PartialMetrics share_of(const std::vector<std::uint32_t>& clients) {
  std::vector<ClientId> measured;
  for (const std::uint32_t client : clients) measured.push_back(ClientId{client});
  WindowRecorder window(kClients, measured, Time{1000}, Duration{2001});
  PartialMetrics share;
  for (const ClientId client : measured) {
    Rng rng(client.value + 1);
    Time date{static_cast<std::int64_t>(rng.below(900))};
    while (date.ps < 4000) {
      window.next_cycle(client, date);
      if (rng.below(4) == 0) window.section_cut(client);
      date = date + Duration{1 + static_cast<std::int64_t>(rng.below(700))};
    }
    share.cycle_verbs.sends += client.value;
    share.cycle_verbs.verbs[2][0] += 2 * client.value;
    share.aborted += 1;
  }
  share.saw_everything = clients.size() == kClients;
  window.write_to(share);
  return share;
}

// With fields of every kind.
PartialMetrics full_share() {
  PartialMetrics share = share_of({1, 3, 4});
  share.read_phases.merge({2, {30, 0, 0, 0, 0, 0, 0, 10}});
  for (int i = 0; i < 2; ++i) share.acquire_read.record(Duration{20});
  share.reads_waited.merge({1, {5, 0, 0, 0, 0, 0, 0, 10}});
  share.live_clients = 3;
  share.without_progress = 1;
  share.acquisitions = {7, 5};
  share.shared_as_exclusive = 4;
  share.recoveries = 5;
  share.false_conflicts = 6;
  share.reads_in_acquire = 12;
  share.polls_in_acquire = 11;
  share.writes_in_acquire = 10;
  share.atomics_in_acquire = 9;
  share.polls_in_release = 8;
  share.recovery.record(Duration{13});
  share.ended_ps = 3001;
  share.checks = ~0ULL;
  share.violations = 1;
  share.expired_holds = 2;
  share.late_effects = 3;
  share.max_bypassed = 4;
  share.fingerprint = "00ff";
  share.violation = "client 3 was granted lock 1 \"twice\"";
  share.guard = {true,
                 9,
                 {{4, 2, LockMode::exclusive, kGuardWriter, 3}, {5, 1, LockMode::update, ~0ULL, 1}},
                 {1, 7},
                 {2}};
  share.background_verbs.calls = 8;
  share.background_verbs.probe_misses = 9;
  share.verbs_posted = 100;
  share.events = 200;
  share.server_nic = {1e6 / 3, 0.1, 0.2, 0.3, 0.4, std::nullopt};
  share.server_cpu = {0.6, 1e3 / 7};
  return share;
}

TEST(Shares, add_up_to_what_one_observer_of_all_clients_measures) {
  const PartialMetrics whole = share_of({0, 1, 2, 3, 4, 5});
  const std::vector<PartialMetrics> shares = {share_of({0, 2, 5}), share_of({}),
                                              share_of({1, 3, 4})};
  EXPECT_EQ(why_not_shares(shares), "");
  const RepeatMetrics merged = merge(shares);
  RepeatMetrics expected = metrics_of(whole);
  EXPECT_GT(expected.cycle.count(), 10U);
  EXPECT_GT(expected.cut_sections, 0U);
  EXPECT_LT(*expected.goodput_ops_s * 2001e-12, static_cast<double>(expected.cycle.count()));
  EXPECT_TRUE(merged.window_law.holds());
  // Metrics that only an observer of all clients can measure.
  EXPECT_FALSE(merged.fairness.max_bypassed);
  EXPECT_FALSE(merged.safety.checks);
  expected.fairness.max_bypassed.reset();
  expected.safety = {};
  EXPECT_TRUE(merged == expected);
}

TEST(Shares, the_share_of_waiting_operations_is_relative_to_all) {
  std::vector<PartialMetrics> shares = {share_of({0}), share_of({1})};
  shares[0].read_phases.merge({3, {0, 300, 0, 0, 0, 90, 0, 0}});
  shares[0].reads_waited.merge({1, {0, 100, 0, 0, 0, 90, 0, 0}});
  shares[1].read_phases.merge({1, {0, 100, 0, 0, 0, 0, 0, 0}});
  const RepeatMetrics metrics = merge(shares);
  EXPECT_EQ(metrics.waited.share_of_reads, 0.25);
  EXPECT_EQ(metrics.waited.read->operations, 1U);
  EXPECT_EQ(metrics.waited.read->sum_ps[5], 90U);
  EXPECT_FALSE(metrics.waited.share_of_writes);
}

TEST(Shares, a_violation_in_one_of_them_is_counted) {
  std::vector<PartialMetrics> shares = {share_of({0, 1}), share_of({2})};
  shares[1].violations = 1;
  EXPECT_EQ(merge(shares).safety.violations, 1U);
  EXPECT_FALSE(merge(shares).safety.expired_holds);
}

TEST(Shares, of_different_repeats_are_not_merged) {
  EXPECT_THAT(why_not_shares({}), HasSubstr("no share"));
  std::vector<PartialMetrics> shares = {share_of({0, 1}), share_of({1, 2})};
  EXPECT_THAT(why_not_shares(shares), HasSubstr("client 1 was measured twice"));
  shares[1] = share_of({2});
  shares[1].law.duration_ps += 1;
  EXPECT_THAT(why_not_shares(shares), HasSubstr("differ in length"));
  shares[1].law.duration_ps -= 1;
  shares[1].law.idle_ps = ~0ULL;
  EXPECT_THAT(why_not_shares(shares), HasSubstr("more than any run"));
}

TEST(ShareJson, every_field_survives_the_way_between_processes) {
  const PartialMetrics sent = full_share();
  const auto received = parse_share(serialise_share(sent));
  ASSERT_TRUE(received.ok()) << received.error().text();
  EXPECT_TRUE(received.value() == sent);
  EXPECT_EQ(serialise_share(received.value()), serialise_share(sent));
}

TEST(ShareJson, damaged_text_is_refused_with_the_reason) {
  EXPECT_THAT(parse_share("").error().text(), HasSubstr("not a JSON object"));
  EXPECT_THAT(parse_share("{}").error().text(), HasSubstr("'saw_everything'"));
  std::string text = serialise_share(full_share());
  text.replace(text.find("\"recoveries\":5"), 14, "\"recoveries\":-5");
  EXPECT_THAT(parse_share(text).error().text(), HasSubstr("'recoveries'"));
}

TEST(ShareJson, a_contradictory_share_is_refused) {
  const auto refusal = [](void (*spoil)(PartialMetrics&)) {
    PartialMetrics share = full_share();
    spoil(share);
    const auto received = parse_share(serialise_share(share));
    return received.ok() ? "accepted" : received.error().text();
  };
  EXPECT_THAT(refusal([](PartialMetrics& p) { p.clients[1] = 1; }), HasSubstr("ascending"));
  EXPECT_THAT(refusal([](PartialMetrics& p) { p.cycles_by_client.pop_back(); }),
              HasSubstr("differ in number"));
  EXPECT_THAT(refusal([](PartialMetrics& p) { p.law.duration_ps = 0; }), HasSubstr("no length"));
  EXPECT_THAT(refusal([](PartialMetrics& p) { ++p.law.idle_ps; }), HasSubstr("law"));
  EXPECT_THAT(refusal([](PartialMetrics& p) { ++p.first_half; }), HasSubstr("histogram"));
  EXPECT_THAT(refusal([](PartialMetrics& p) { ++p.cut; }), HasSubstr("batches"));
  EXPECT_THAT(refusal([](PartialMetrics& p) { ++p.release_phases.operations; }),
              HasSubstr("do not add up"));
  EXPECT_THAT(refusal([](PartialMetrics& p) { p.reads_waited.operations = 3; }),
              HasSubstr("more of its operations waited"));
  EXPECT_THAT(refusal([](PartialMetrics& p) { p.writes_waited.sum_ps[4] = 1; }),
              HasSubstr("more of its operations waited"));
}

TEST(Shares, conflicts_of_guard_words_are_violations_unless_a_hold_expired) {
  std::vector<PartialMetrics> shares = {share_of({0, 1}), share_of({2})};
  shares[0].guard = {
      true,
      5,
      {{3, 12, LockMode::exclusive, kGuardWriter, 1}, {4, 0, LockMode::shared, kGuardWriter, 2}},
      {},
      {}};
  shares[1].guard = {true, 6, {}, {4}, {}};
  const RepeatMetrics metrics = merge(shares);
  EXPECT_EQ(metrics.safety.checks, 11U);
  EXPECT_EQ(metrics.safety.violations, 1U);
  EXPECT_EQ(metrics.safety.expired_holds, 2U);
  EXPECT_FALSE(metrics.safety.late_effects);
  EXPECT_EQ(judge(join(shares).guard).violation,
            "client 12 entered lock 3 exclusively while its guard word said 1 writer, 0 readers");
  shares[1].guard.unguarded = {3};
  EXPECT_EQ(merge(shares).safety.violations, 0U);
  EXPECT_EQ(merge(shares).safety.expired_holds, 3U);
}

// Any received text is refused or can be merged with another share.
void expect_harmless(const std::string& text) {
  const auto received = parse_share(text);
  if (!received.ok()) {
    EXPECT_NE(received.error().text(), "");
    return;
  }
  const std::vector<PartialMetrics> shares = {share_of({0}), received.value()};
  if (!why_not_shares(shares).empty()) return;
  EXPECT_GE(merge(shares).cycle.count(), 1U);
}

TEST(ShareJson, truncated_text_is_refused_at_any_length) {
  const std::string text = serialise_share(full_share());
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parse_share(text.substr(0, length)).ok()) << length;
}

TEST(ShareJson, altered_text_does_no_harm) {
  const std::string text = serialise_share(full_share());
  const std::string letters = "0123456789-.eE[]{}\",: ntf\\\x80";
  Rng rng(1);
  for (int i = 0; i < 5'000; ++i) {
    std::string altered = text;
    for (std::uint64_t n = rng.below(3) + 1; n > 0; --n)
      altered[rng.below(altered.size())] = letters[rng.below(letters.size())];
    expect_harmless(altered);
  }
}

}  // namespace
}  // namespace latchlab
