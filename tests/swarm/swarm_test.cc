// What a hunt draws, plays, judges and makes smaller.

#include <gmock/gmock.h>

#include <set>

#include "tests/non_empty.h"
#include "tests/swarm/hunt.h"

namespace latchlab::swarm {
namespace {

using ::testing::HasSubstr;

std::string text_of(const Drawn& drawn) {
  return scenario_text(drawn.drawn, "some", {});
}

TEST(Drawing, gives_the_same_case_for_the_same_number) {
  for (const bool own : {false, true})
    for (std::uint64_t number = 0; number < 20; ++number)
      EXPECT_EQ(text_of(drawn("dslr", number, own)), text_of(drawn("dslr", number, own)));
  std::set<std::string> texts;
  for (std::uint64_t number = 0; number < 20; ++number)
    texts.insert(text_of(drawn("dslr", number)));
  EXPECT_EQ(texts.size(), 20U);
}

TEST(Drawing, keeps_parameters_unless_told_and_draws_none_of_a_printed_form) {
  bool changed = false;
  for (std::uint64_t number = 0; number < 40; ++number) {
    const ProtocolEntry& citron = *find_protocol("citron");
    const ParamSet usual = citron.info.resolve(citron.info.profiles.front().name);
    const auto params = [](const Drawn& one) {
      return one.scenario.points.front().protocol.params;
    };
    EXPECT_EQ(params(drawn("citron", number)).values(), usual.values());
    const ParamSet own = params(drawn("citron", number, true));
    EXPECT_EQ(citron.info.claims_of(own).none, "");
    changed = changed || own.values() != usual.values();
  }
  EXPECT_TRUE(changed);
}

TEST(Drawing, has_every_kind_of_fault_in_a_few_hundred_cases) {
  std::set<Mishap> seen;
  for (std::uint64_t number = 0; number < 300; ++number) {
    const Drawn one = drawn("cql", number, true);
    const Point& point = one.scenario.points.front();
    const ProtocolEntry& cql = *find_protocol("cql");
    for (const Mishap mishap :
         mishaps_of(point, cql, claims_without({}, point.protocol.params, cql.info)))
      seen.insert(mishap);
  }
  for (const Mishap mishap :
       {Mishap::client_crash, Mishap::process_crash, Mishap::node_crash, Mishap::server_crash,
        Mishap::server_loss, Mishap::cut_path, Mishap::long_cut, Mishap::pause,
        Mishap::server_pause, Mishap::slow_client, Mishap::clock_jump, Mishap::forgotten_release,
        Mishap::lost_datagram, Mishap::late_datagram, Mishap::packet_loss})
    EXPECT_TRUE(seen.contains(mishap)) << latchlab::name_of(mishap);
}

TEST(Cases, are_scenarios_that_read_back_as_they_are) {
  for (const ProtocolEntry& lock : non_empty(protocol_registry())) {
    if (lock.info.name == "ideal_local") continue;  // on one node
    const Drawn one = drawn(lock.info.name, 3, true);
    const auto again =
        parse_scenario({text_of(one), "again.yaml", {}}, {}, protocol_infos(), data());
    ASSERT_TRUE(again) << again.error().text() << text_of(one);
    const Point &here = one.scenario.points.front(), &there = again.value().points.front();
    EXPECT_EQ(here.run.duration, there.run.duration);
    EXPECT_EQ(here.run.seed, there.run.seed);
    EXPECT_EQ(here.protocol.params.values(), there.protocol.params.values());
    EXPECT_EQ(here.faults.size(), there.faults.size());
  }
}

TEST(Playing, has_the_same_outcome_with_any_number_of_jobs) {
  std::vector<Drawn> cases;
  for (const char* lock : {"shiftlock", "cql", "mcs"})
    for (std::uint64_t number = 0; number < 8; ++number)
      cases.push_back(drawn(lock, number, number % 2 == 1));
  const std::vector<Played> one = play_all(cases, 1), two = play_all(cases, 2);
  ASSERT_EQ(one.size(), cases.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].checksum, two[i].checksum) << i;
}

// ---- judging ----

Played played(const std::string& scenario, const ParamValues& forced = {}) {
  auto parsed = parse_scenario({"schema: 1\nname: some\n" + scenario, "some.yaml", {}}, {},
                               protocol_infos(), data());
  if (!parsed) {
    ADD_FAILURE() << parsed.error().text();
    return {};
  }
  const Scenario* const one = &parsed.value();
  const std::vector<Played> all = play({&one, 1}, forced, 1, simulated).played;
  return all.empty() ? Played{} : all.front();
}

std::string crowd(const std::string& lock, const std::string& faults,
                  const std::string& workload = {}) {
  return "platform: {client_nodes: 2, clients_per_node: 2}\nworkload: {until: 200us" + workload +
         "}\nprotocol: {name: " + lock + "}\nfaults: [" + faults +
         "]\nrun: {warmup: 100us, duration: 1ms}\n";
}

TEST(Judging, says_nothing_of_a_lock_that_keeps_all) {
  const Played calm = played(crowd("mcs", ""));
  EXPECT_TRUE(calm.broken.empty());
  EXPECT_GT(calm.seen.grants, 50U);
  EXPECT_TRUE(calm.mishaps.empty());
}

TEST(Judging, tells_what_the_lock_says_it_may_lose_from_a_finding) {
  // The holder dies at some time: the others wait for ever, as mcs says.
  const Played told = played(crowd("mcs", "{kind: client_crash, at: 50us, client: 1}"));
  ASSERT_FALSE(told.broken.empty());
  EXPECT_EQ(told.broken.front().what, Keeps::progress);
  EXPECT_FALSE(told.broken.front().claimed);
  EXPECT_EQ(told.finding(), nullptr);
  EXPECT_THAT(told.broken.front().how, HasSubstr("live clients have not left"));
}

TEST(Judging, finds_waiting_clients_where_progress_is_claimed) {
  // With `enqueue: single_cas` alock hangs, without any fault (Algorithm 3 as printed).
  const std::string printed = crowd("alock, enqueue: single_cas", "");
  EXPECT_EQ(played(printed).finding(), nullptr) << "nothing is claimed of what is printed";
  const Played hung = played(printed, {{"enqueue", "single_cas"}});
  ASSERT_NE(hung.finding(), nullptr);
  EXPECT_EQ(hung.finding()->what, Keeps::progress);
}

TEST(Judging, finds_two_holders) {
  const Played both = played(
      crowd("rpc, guards: per_thread, threads: 1", "", ", read_ratio: 50%, critical_section: 5us"),
      {{"guards", "per_thread"}});
  ASSERT_NE(both.finding(), nullptr);
  EXPECT_EQ(both.finding()->what, Keeps::exclusion);
}

// ---- shrinking ----

TEST(Shrinking, leaves_what_is_needed_and_breaks_the_same) {
  const ParamValues forced = {{"enqueue", "single_cas"}};
  const std::optional<Found> found = hunt({"alock", forced}, 50);
  ASSERT_TRUE(found);
  const Shrunk one = shrink(found->drawn, found->broken, "one", {}, 1, 200, data(), simulated);
  EXPECT_EQ(one.broken.what, found->broken.what);
  EXPECT_LE(one.smallest.clients(), 3U);
  EXPECT_TRUE(one.smallest.faults.empty());
  EXPECT_EQ(one.smallest.locks, 1U);
  const Shrunk two = shrink(found->drawn, found->broken, "one", {}, 2, 200, data(), simulated);
  EXPECT_EQ(scenario_text(one.smallest, "one", {}), scenario_text(two.smallest, "one", {}));
}

// ---- claims ----

TEST(Claims, are_made_by_every_lock_for_its_default) {
  for (const ProtocolEntry& lock : non_empty(protocol_registry())) {
    const ParamSet usual = lock.info.resolve(lock.info.profiles.front().name);
    EXPECT_EQ(lock.info.claims_of(usual).none, "") << lock.info.name;
    for (const std::string& setting : lock.info.printed) {
      const ParamSpec* const spec = lock.info.find_param(setting.substr(0, setting.find('=')));
      ASSERT_NE(spec, nullptr) << lock.info.name << ": " << setting;
      ParamSet printed = usual;
      const std::string value = setting.substr(setting.find('=') + 1);
      if (spec->kind == ParamKind::boolean)
        printed.set(spec->name, value == "true");
      else if (spec->kind == ParamKind::choice)
        printed.set(spec->name, value);
      else
        printed.set(spec->name, std::int64_t{std::stoll(value)});
      EXPECT_NE(lock.info.claims_of(printed).none, "") << lock.info.name << ": " << setting;
    }
  }
}

}  // namespace
}  // namespace latchlab::swarm
