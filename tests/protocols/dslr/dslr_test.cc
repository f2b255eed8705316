// The dslr lock in the explorer without faults: every profile, and the end of an era.

#include "core/protocols/dslr/rules.h"
#include "tests/non_empty.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

RunSetup dslr_case() {
  RunSetup setup;
  setup.protocol = "dslr";
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.operations = 5;
  setup.shared_percent = 50;
  return setup;
}

RunSetup wide_counters(const char* profile) {
  RunSetup setup = dslr_case();
  setup.profile = profile;
  setup.client_nodes = 5;
  return setup;
}

TEST(dslr, excludes_by_mode_and_all_clients_finish) {
  expect_sound(wide_counters("repaired"), 500);
}

TEST(dslr, is_sound_with_masked_fields) {
  RunSetup setup = wide_counters("repaired");
  setup.params = {{"fields", text("masked_faa")}};
  expect_sound(setup, 200);
}

TEST(dslr, is_sound_as_ported_while_nothing_fails) {
  expect_sound(wide_counters("shiftlock_port"), 500);
}

TEST(dslr, keeps_exclusion_as_printed_while_nothing_fails) {
  expect_sound(wide_counters("sigmod18"), 500);
}

TEST(dslr, needs_no_repair_while_nothing_fails) {
  for (std::uint64_t seed = 1; seed <= seeds(500); ++seed) {
    const Outcome outcome = run(wide_counters("repaired"), seed);
    ASSERT_EQ(outcome.recoveries + outcome.aborted, 0U) << "seed " << seed;
  }
}

TEST(dslr, admits_readers_together) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = wide_counters("repaired");
  setup.shared_percent = 100;
  const std::uint64_t seed =
      first_seed(setup, 100, [](const Outcome& o) { return o.most_inside >= 4; });
  EXPECT_GT(seed, 0U);
}

TEST(dslr, takes_two_verbs_for_a_free_pair_in_either_mode) {
  for (const std::uint32_t shared : {0, 100}) {
    for (const char* profile : {"repaired", "sigmod18", "shiftlock_port"}) {
      RunSetup setup = wide_counters(profile);
      setup.client_nodes = 1;
      setup.shared_percent = shared;
      const Outcome outcome = run(setup, 1);
      EXPECT_EQ(outcome.end, RunEnd::finished);
      EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired) << profile;
      EXPECT_EQ(outcome.tally.atomics(), outcome.tally.one_sided()) << profile;
    }
  }
}

TEST(dslr, starts_new_eras_when_narrow_tickets_run_out) {
  std::uint64_t fresh = 0;
  for (std::uint64_t seed = 1; seed <= seeds(500); ++seed) {
    const Outcome outcome = run(dslr_case(), seed);
    ASSERT_TRUE(outcome.safe()) << "seed " << seed << ": " << outcome.violation;
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed << ": " << outcome.entry;
    ASSERT_EQ(outcome.recoveries, 0U) << "seed " << seed;
    if (outcome.entry == "nX=0 nS=0 maxX=0 maxS=0") ++fresh;
  }
  // There are 15 tickets and at most seven in an era, so that some runs end exactly at the
  // boundary.
  if (!on_hardware()) {
    EXPECT_GT(fresh, 0U);
  }
}

TEST(dslr, starts_new_eras_with_undone_tickets_too) {
  RunSetup setup = dslr_case();
  setup.profile = "sigmod18";
  setup.params = {{"ticket_bits", number(4)}, {"overtaken", text("after_turn")}};
  setup.client_nodes = 5;
  expect_sound(setup, 300);
}

TEST(dslr, ends_with_as_many_tickets_served_as_taken) {
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(wide_counters("repaired"), seed);
    const dslr::TicketWord word(16, false, false);
    const dslr::Tickets end = word.unpack({outcome.words[0], 0});
    EXPECT_EQ(end.nx, end.max_x);
    EXPECT_EQ(end.ns, end.max_s);
    EXPECT_EQ(end.nx + end.ns, outcome.acquired);
  }
}

TEST(dslr, decodes_its_counters_at_every_width) {
  const ProtocolInfo& info = find_protocol("dslr")->info;
  for (const std::int64_t bits : {3, 8, 16}) {
    ParamSet params = info.resolve("repaired");
    params.set("ticket_bits", number(bits));
    const auto protocol = find_protocol("dslr")->make(params);
    const dslr::TicketWord word(static_cast<unsigned>(bits), false, false);
    const std::uint64_t entry = word.pack({1, 0, 2, 4}).lo;
    EXPECT_EQ(protocol->decode({&entry, 1}), "nX=1 nS=0 maxX=2 maxS=4");
  }
  const auto port = find_protocol("dslr")->make(info.resolve("shiftlock_port"));
  const Words wide = dslr::TicketWord(16, true, true).pack({1, 0, 2, 4});
  const std::vector<std::uint64_t> words = {wide.lo, wide.hi};
  EXPECT_EQ(port->decode(words), "nX=1 nS=0 maxX=2 maxS=4");
}

TEST(dslr, adds_to_one_counter_and_to_no_other) {
  for (const bool wide : {false, true}) {
    for (const bool masked : {wide, true}) {
      const dslr::TicketWord word(5, wide, masked);
      const RemoteAddr entry{NodeId{1}, 4096};
      const dslr::Tickets before{3, 4, 5, 6};
      const Verb up = word.add(entry, dslr::Counter::max_x, true);
      const dslr::Tickets more = word.unpack(after_atomic(up, word.pack(before)));
      EXPECT_EQ(more, (dslr::Tickets{3, 4, 6, 6}));
      const Verb down = word.add(entry, dslr::Counter::max_x, false);
      EXPECT_EQ(word.unpack(after_atomic(down, word.pack(more))), before);
    }
  }
}

TEST(dslr, rejects_switches_that_contradict_each_other) {
  const ProtocolInfo& info = find_protocol("dslr")->info;
  for (const Profile& profile : non_empty(info.profiles))
    EXPECT_EQ(info.contradiction(info.resolve(profile.name)), "");
  ParamSet wide = info.resolve("repaired");
  wide.set("entry", text("wide16"));
  EXPECT_THAT(info.contradiction(wide), ::testing::HasSubstr("take wide16 with wrap"));
  ParamSet plain = info.resolve("shiftlock_port");
  plain.set("fields", text("plain_faa"));
  EXPECT_THAT(info.contradiction(plain), ::testing::HasSubstr("set fields to masked_faa"));
  ParamSet backoff = info.resolve("repaired");
  backoff.set("backoff_first", seconds(1));
  EXPECT_THAT(info.contradiction(backoff), ::testing::HasSubstr("raise backoff_bound"));
}

}  // namespace
}  // namespace latchlab::testing
