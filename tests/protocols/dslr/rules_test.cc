// dslr's decisions one by one: what is served and passed, how long a client waits, what a repair
// writes, and how many clients fit.

#include "core/protocols/dslr/rules.h"

#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

using dslr::Options;
using dslr::Ticket;
using dslr::Tickets;

constexpr LockMode kModes[] = {LockMode::exclusive, LockMode::shared, LockMode::update};

Options six_of(unsigned bits) {
  Options options;
  options.six = true;
  options.ticket_bits = bits;
  options.derive();
  return options;
}

Options running_round() {
  Options options;
  options.wide = options.masked = true;
  options.over_limit = dslr::OverLimit::wrap;
  options.derive();
  return options;
}

Ticket two_slots(LockMode mode) {
  return {5, 6, 7, 2, mode};
}

TEST(dslr_rules, count_the_served_tickets_up_to_a_ticket) {
  EXPECT_EQ(served_up_to(two_slots(LockMode::exclusive)), (Tickets{7, 6, 7, 6, 7, 7}));
  EXPECT_EQ(served_up_to(two_slots(LockMode::shared)), (Tickets{5, 8, 5, 8, 7, 7}));
  EXPECT_EQ(served_up_to(two_slots(LockMode::update)), (Tickets{5, 6, 5, 6, 9, 9}));
}

// Counters wrap: half of their range lies behind a ticket, half before it.
TEST(dslr_rules, treat_half_of_the_counter_range_as_past) {
  const Options options = running_round();
  constexpr std::uint32_t kHalf = 1U << 31;
  for (const std::uint32_t ticket : {0U, 7U, kHalf, ~0U}) {
    const Ticket writer{ticket, 0};
    EXPECT_FALSE(passed(options, writer, {ticket, 0}));
    EXPECT_TRUE(passed(options, writer, {ticket + 1, 0}));
    EXPECT_TRUE(passed(options, writer, {ticket + kHalf, 0}));
    EXPECT_FALSE(passed(options, writer, {ticket + kHalf + 1, 0}));
    EXPECT_EQ(outstanding(options, writer, {ticket - 3, 0}), 3U);
  }
}

TEST(dslr_rules, see_progress_in_any_counter_or_in_all_of_them) {
  const Tickets before{1, 1, 9, 9, 1, 9};
  const auto changed = [&](bool x, bool s, bool u) {
    return Tickets{x ? 2U : 1U, s ? 2U : 1U, 8, 7, u ? 2U : 1U, 6};  // new tickets do not count
  };
  for (const bool six : {false, true}) {
    Options any;
    any.six = six;
    Options both = any;
    both.progress = dslr::Progress::both;
    for (const bool x : {false, true}) {
      for (const bool s : {false, true}) {
        for (const bool u : {false, six}) {
          EXPECT_EQ(moved(any, before, changed(x, s, u)), x || s || u);
          EXPECT_EQ(moved(both, before, changed(x, s, u)), x && s && (u || !six));
        }
      }
    }
  }
}

// One writer, two readers and four updates are ahead of all clients.
Duration pause_of(const Options& options, LockMode mode) {
  return pause(options, {3, 5, 8, 1, mode}, {2, 3, 20, 20, 4, 20});
}

TEST(dslr_rules, pause_for_each_ticket_ahead) {
  Options options = six_of(10);
  options.omega = microseconds(1);
  for (const LockMode mode : kModes) EXPECT_EQ(pause_of(options, mode), microseconds(7));
  EXPECT_EQ(pause(options, {3, 5, 8}, {4, 3, 20, 20, 9, 20}), microseconds(2));  // two readers
  options.reader_pacing = dslr::ReaderPacing::exclusive;
  EXPECT_EQ(pause_of(options, LockMode::exclusive), microseconds(7));
  EXPECT_EQ(pause_of(options, LockMode::shared), microseconds(5));
  options.longest_pause = microseconds(6);
  EXPECT_EQ(pause_of(options, LockMode::exclusive), microseconds(6));
  EXPECT_EQ(pause_of(options, LockMode::shared), microseconds(5));
}

TEST(dslr_rules, pause_for_half_a_lease_at_most) {
  Options options = six_of(10);
  options.omega = microseconds(1);
  options.lease = microseconds(8);
  EXPECT_EQ(pause_of(options, LockMode::exclusive), microseconds(4));
  options.lease = picoseconds(1);
  EXPECT_EQ(pause_of(options, LockMode::exclusive), Duration{});
  options.lease = Duration{};  // there is none
  EXPECT_EQ(pause_of(options, LockMode::exclusive), microseconds(7));
  options.lease = microseconds(8);
  options.repair = dslr::Repair::own_ticket;  // as printed
  EXPECT_EQ(pause_of(options, LockMode::exclusive), microseconds(7));
}

TEST(dslr_rules, end_a_grant_a_lease_after_it_is_seen_or_earlier) {
  Options options;
  options.lease = milliseconds(10);
  const Ticket one{5, 6, 7, 1, LockMode::exclusive};
  const auto end_of = [&](const Ticket& ticket, Time now, Time not_yet) {
    return valid_until(options, ticket, now, not_yet) - Time{};
  };
  const auto at = [](std::int64_t ms) { return Time{} + milliseconds(ms); };
  EXPECT_EQ(end_of(one, at(100), at(100)), milliseconds(110));
  EXPECT_EQ(end_of(one, at(100), at(95)), milliseconds(110));
  EXPECT_EQ(end_of(one, at(100), at(94)), milliseconds(109));
  EXPECT_EQ(end_of(one, at(100), at(80)), milliseconds(95));  // over before it is seen
  EXPECT_EQ(end_of(two_slots(LockMode::shared), at(100), at(95)), milliseconds(120));
  EXPECT_EQ(end_of(two_slots(LockMode::shared), at(100), at(80)), milliseconds(115));
  options.validity = dslr::Validity::from_grant;
  EXPECT_EQ(end_of(one, at(100), at(80)), milliseconds(110));
  options.lease = {};
  EXPECT_EQ(valid_until(options, one, at(100), at(80)), kNever);
}

TEST(dslr_rules, serve_a_late_ticket_while_its_turn_has_not_passed) {
  Options options;
  options.derive();
  const Ticket writer{5, 6, 0, 1, LockMode::exclusive};
  EXPECT_TRUE(still_my_turn(options, writer, {5, 6, 8, 9}));
  EXPECT_FALSE(still_my_turn(options, writer, {6, 6, 8, 9}));
  EXPECT_FALSE(still_my_turn(options, writer, {5, 6, 5, 9}));  // no such ticket in this era
  EXPECT_EQ(served_once_more(writer, {5, 6, 8, 9}), (Tickets{6, 6, 8, 9}));
  const Ticket reader{5, 6, 0, 1, LockMode::shared};
  EXPECT_TRUE(still_my_turn(options, reader, {5, 2, 8, 9}));
  EXPECT_EQ(served_once_more(reader, {5, 2, 8, 9}), (Tickets{5, 3, 8, 9}));
  const Ticket update{5, 6, 7, 1, LockMode::update};
  EXPECT_EQ(served_once_more(update, {5, 6, 5, 6, 7, 8}), (Tickets{5, 6, 5, 6, 8, 8}));
}

TEST(dslr_rules, let_no_product_of_leases_overflow) {
  Options options;
  options.max_slots = 4096;
  options.lease = seconds(60);
  EXPECT_EQ(options.timeout(70'000), options.lease * 140'000);
  EXPECT_GT(options.timeout(~0ULL), kForever - options.lease * 2);
}

TEST(dslr_rules, repair_all_tickets_as_if_one_more_writer_had_released) {
  const Ticket any{1, 1, 1};
  EXPECT_EQ(repaired(six_of(10), any, {0, 1, 2, 3, 0, 4}), (Tickets{3, 3, 3, 3, 4, 4}));
  // The last ticket is left: with that writer the era would be over.
  EXPECT_EQ(repaired(six_of(3), any, {0, 1, 3, 2, 0, 1}), (Tickets{7, 1, 4, 2, 0, 1}));
  EXPECT_EQ(repaired(six_of(3), any, {0, 1, 1, 6, 0, 1}), (Tickets{7, 1, 4, 6, 0, 1}));
  EXPECT_EQ(repaired(six_of(3), any, {0, 1, 6, 1, 0, 1}), (Tickets{7, 1, 6, 1, 0, 1}));
}

TEST(dslr_rules, repair_up_to_the_client_s_own_ticket_as_printed) {
  Options options = six_of(10);
  options.repair = dslr::Repair::own_ticket;
  const Tickets now{0, 1, 7, 8, 2, 9};
  EXPECT_EQ(repaired(options, {5, 6, 4, 1, LockMode::exclusive}, now), (Tickets{6, 6, 7, 8, 4, 9}));
  EXPECT_EQ(repaired(options, {5, 6, 4, 1, LockMode::update}, now), (Tickets{5, 6, 7, 8, 5, 9}));
}

// ---- what the lock declares ----

dslr::TicketWord word_of(std::int64_t bits, bool six) {
  return {static_cast<unsigned>(bits), false, false, six};
}

// All tickets but one have been taken, and then all clients arrive at once.
TEST(dslr_limits, have_room_for_all_clients_that_find_no_ticket) {
  struct Era {
    std::int64_t bits;
    std::int64_t slots;
    bool six;
  };
  for (const Era& era : {Era{3, 1, false}, Era{16, 1, false}, Era{5, 3, false}, Era{16, 16, false},
                         Era{10, 1, true}, Era{10, 16, true}}) {
    ParamSet params = find_protocol("dslr")->small_params();
    params.set("ticket_bits", number(era.bits));
    params.set("max_slots", number(era.slots));
    params.set("counters", text(era.six ? "six" : "four"));
    const auto protocol = find_protocol("dslr")->make(params);
    const dslr::TicketWord word = word_of(era.bits, era.six);
    const auto when_all_have_come = [&](std::uint64_t clients) {
      Words entry = word.pack({0, 0, word.count_max() - 1, 0});
      const Verb take = word.add({NodeId{1}, 4096}, dslr::Counter::max_x, true,
                                 static_cast<std::uint32_t>(era.slots));
      for (std::uint64_t i = 0; i <= clients; ++i) entry = after_atomic(take, entry);
      return word.unpack(entry);  // the client with the last ticket has tried twice
    };
    const std::uint64_t most = protocol->limits().max_clients;
    EXPECT_GE(when_all_have_come(most).max_x, word.count_max()) << era.bits;
    EXPECT_LT(when_all_have_come(most + 1).max_x, word.count_max()) << era.bits << ": a carry";
  }
}

TEST(dslr_limits, let_slots_take_half_an_era) {
  const ProtocolInfo& info = find_protocol("dslr")->info;
  ParamSet params = info.resolve("multi_slot");
  params.set("ticket_bits", number(6));  // 32 in an era
  EXPECT_EQ(info.contradiction(params), "");
  EXPECT_EQ(find_protocol("dslr")->make(params)->limits().max_clients, 1U);
  params.set("max_slots", number(17));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("not even one client fits"));
}

TEST(dslr_limits, name_what_each_profile_and_switch_needs) {
  const auto needs = [](const char* profile, const ParamValues& over = {}) {
    ParamSet params = find_protocol("dslr")->info.resolve(profile);
    params.set(over);
    return find_protocol("dslr")->make(params)->needs();
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(needs("repaired"), ElementsAre(Capability::timing));
  EXPECT_THAT(needs("repaired", {{"lease", Duration{}}}), ElementsAre());
  EXPECT_THAT(needs("repaired", {{"fields", text("masked_faa")}}),
              ElementsAre(Capability::timing, Capability::masked_atomics_8));
  EXPECT_THAT(needs("shiftlock_port"),
              ElementsAre(Capability::timing, Capability::masked_atomics_16));
}

// The time from which a scenario is warned that it is too short for a recovery.
TEST(dslr_limits, need_two_leases_of_every_slot_to_detect_a_failure) {
  const ProtocolInfo& info = find_protocol("dslr")->info;
  EXPECT_EQ(info.longest_timeout(info.resolve("repaired")), milliseconds(20));
  EXPECT_EQ(info.longest_timeout(info.resolve("multi_slot")), milliseconds(320));
}

}  // namespace
}  // namespace latchlab::testing
