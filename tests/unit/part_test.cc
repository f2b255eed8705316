// Parts of a repeat: they add up to what one observer would have seen, and they cross from process
// to process whole or not at all.
#include "core/measure/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/measure/results_json.h"
#include "core/measure/window.h"

namespace latchlab {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kClients = 6;

// Random cycles of some clients. What a client does depends on its number alone.
MeasuredPart part_of(const std::vector<std::uint32_t>& clients) {
  std::vector<ClientId> measured;
  for (const std::uint32_t client : clients) measured.push_back(ClientId{client});
  WindowRecorder window(kClients, measured, Time{1000}, Duration{2001});
  MeasuredPart part;
  for (const ClientId client : measured) {
    Rng rng(client.value + 1);
    Time date{static_cast<std::int64_t>(rng.below(900))};
    while (date.ps < 4000) {
      window.next_cycle(client, date);
      date = date + Duration{1 + static_cast<std::int64_t>(rng.below(700))};
    }
    part.cycle_verbs.sends += client.value;
    part.cycle_verbs.verbs[2][0] += 2 * client.value;
    part.aborted += 1;
  }
  part.saw_everything = clients.size() == kClients;
  window.write_to(part);
  return part;
}

// Every field away from its default.
MeasuredPart full_part() {
  MeasuredPart part = part_of({1, 3, 4});
  part.read_phases.merge({2, {30, 0, 0, 0, 0, 0, 0, 10}});
  for (int i = 0; i < 2; ++i) part.acquire_read.record(Duration{20});
  part.live_clients = 3;
  part.without_progress = 1;
  part.acquisitions = {7, 5};
  part.shared_as_exclusive = 4;
  part.recoveries = 5;
  part.ended_ps = 3001;
  part.checks = ~0ULL;
  part.violations = 1;
  part.expired_holds = 2;
  part.late_effects = 3;
  part.max_bypassed = 4;
  part.fingerprint = "00ff";
  part.violation = "client 3 was granted lock 1 \"twice\"";
  part.guard = {true,
                9,
                {{4, 2, LockMode::exclusive, kGuardWriter, 3}, {5, 1, LockMode::update, ~0ULL, 1}},
                {1, 7},
                {2}};
  part.background_verbs.calls = 8;
  part.background_verbs.probe_misses = 9;
  part.verbs_posted = 100;
  part.events = 200;
  part.server_nic = {1e6 / 3, 0.1, 0.2, 0.3, 0.4, std::nullopt};
  part.server_cpu = {0.6, 1e3 / 7};
  return part;
}

TEST(Parts, add_up_to_what_one_observer_of_everybody_sees) {
  const MeasuredPart whole = part_of({0, 1, 2, 3, 4, 5});
  const std::vector<MeasuredPart> parts = {part_of({0, 2, 5}), part_of({}), part_of({1, 3, 4})};
  EXPECT_EQ(why_not_parts(parts), "");
  const RepeatMetrics merged = merge(parts);
  RepeatMetrics expected = metrics_of(whole);
  EXPECT_GT(expected.cycle.count(), 10U);
  EXPECT_TRUE(merged.window_law.holds());
  // What only a part that saw everything can say.
  EXPECT_FALSE(merged.fairness.max_bypassed);
  EXPECT_FALSE(merged.safety.checks);
  expected.fairness.max_bypassed.reset();
  expected.safety = {};
  EXPECT_TRUE(merged == expected);
}

TEST(Parts, a_violation_that_one_of_them_saw_is_counted) {
  std::vector<MeasuredPart> parts = {part_of({0, 1}), part_of({2})};
  parts[1].violations = 1;
  EXPECT_EQ(merge(parts).safety.violations, 1U);
  EXPECT_FALSE(merge(parts).safety.expired_holds);
}

TEST(Parts, of_different_repeats_are_not_merged) {
  EXPECT_THAT(why_not_parts({}), HasSubstr("nobody"));
  std::vector<MeasuredPart> parts = {part_of({0, 1}), part_of({1, 2})};
  EXPECT_THAT(why_not_parts(parts), HasSubstr("client 1 was measured twice"));
  parts[1] = part_of({2});
  parts[1].law.duration_ps += 1;
  EXPECT_THAT(why_not_parts(parts), HasSubstr("differ in length"));
  parts[1].law.duration_ps -= 1;
  parts[1].law.idle_ps = ~0ULL;
  EXPECT_THAT(why_not_parts(parts), HasSubstr("more than any run"));
}

TEST(PartJson, everything_survives_the_way_between_processes) {
  const MeasuredPart sent = full_part();
  const auto received = parse_part(serialise_part(sent));
  ASSERT_TRUE(received.ok()) << received.error().text();
  EXPECT_TRUE(received.value() == sent);
  EXPECT_EQ(serialise_part(received.value()), serialise_part(sent));
}

TEST(PartJson, damaged_text_is_refused_with_what_is_wrong) {
  EXPECT_THAT(parse_part("").error().text(), HasSubstr("not a JSON object"));
  EXPECT_THAT(parse_part("{}").error().text(), HasSubstr("'saw_everything'"));
  std::string text = serialise_part(full_part());
  text.replace(text.find("\"recoveries\":5"), 14, "\"recoveries\":-5");
  EXPECT_THAT(parse_part(text).error().text(), HasSubstr("'recoveries'"));
}

TEST(PartJson, a_part_that_contradicts_itself_is_refused) {
  const auto refusal = [](void (*spoil)(MeasuredPart&)) {
    MeasuredPart part = full_part();
    spoil(part);
    const auto received = parse_part(serialise_part(part));
    return received.ok() ? "accepted" : received.error().text();
  };
  EXPECT_THAT(refusal([](MeasuredPart& p) { p.clients[1] = 1; }), HasSubstr("ascending"));
  EXPECT_THAT(refusal([](MeasuredPart& p) { p.cycles_by_client.pop_back(); }),
              HasSubstr("differ in number"));
  EXPECT_THAT(refusal([](MeasuredPart& p) { p.law.duration_ps = 0; }), HasSubstr("no length"));
  EXPECT_THAT(refusal([](MeasuredPart& p) { ++p.law.idle_ps; }), HasSubstr("law"));
  EXPECT_THAT(refusal([](MeasuredPart& p) { ++p.first_half; }), HasSubstr("histogram"));
  EXPECT_THAT(refusal([](MeasuredPart& p) { ++p.release_phases.operations; }),
              HasSubstr("do not add up"));
}

TEST(Parts, conflicts_of_guard_words_are_violations_unless_somebody_overstayed) {
  std::vector<MeasuredPart> parts = {part_of({0, 1}), part_of({2})};
  parts[0].guard = {
      true,
      5,
      {{3, 12, LockMode::exclusive, kGuardWriter, 1}, {4, 0, LockMode::shared, kGuardWriter, 2}},
      {},
      {}};
  parts[1].guard = {true, 6, {}, {4}, {}};
  const RepeatMetrics metrics = merge(parts);
  EXPECT_EQ(metrics.safety.checks, 11U);
  EXPECT_EQ(metrics.safety.violations, 1U);
  EXPECT_EQ(metrics.safety.expired_holds, 2U);
  EXPECT_FALSE(metrics.safety.late_effects);
  EXPECT_EQ(judge(join(parts).guard).violation,
            "client 12 entered lock 3 exclusively while its guard word said 1 writer, 0 readers");
  parts[1].guard.unguarded = {3};
  EXPECT_EQ(merge(parts).safety.violations, 0U);
  EXPECT_EQ(merge(parts).safety.expired_holds, 3U);
}

// Whatever arrives is refused or can be merged with another part.
void expect_harmless(const std::string& text) {
  const auto received = parse_part(text);
  if (!received.ok()) {
    EXPECT_NE(received.error().text(), "");
    return;
  }
  const std::vector<MeasuredPart> parts = {part_of({0}), received.value()};
  if (!why_not_parts(parts).empty()) return;
  EXPECT_GE(merge(parts).cycle.count(), 1U);
}

TEST(PartJson, truncated_text_is_refused_wherever_it_ends) {
  const std::string text = serialise_part(full_part());
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parse_part(text.substr(0, length)).ok()) << length;
}

TEST(PartJson, altered_text_never_does_harm) {
  const std::string text = serialise_part(full_part());
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
