// Every lock under randomly drawn scenarios: each is drawn from a number, played, and checked
// against what the lock promises.
//   LATCHLAB_DRAWS=1000      so many instead of the usual ones
//   LATCHLAB_FIRST_DRAW=17   from this one on

#if LATCHLAB_WITH_SIMGRID

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/non_empty.h"
#include "tests/protocols/random/twice.h"
#include "tests/protocols/reference_lock.h"

namespace latchlab::testing {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// Includes the reference lock, which has features that few locks have: update mode, upgrades,
// extended leases.
std::vector<std::string> all_locks() {
  std::vector<std::string> names = {kReferenceLock};
  for (const ProtocolEntry& entry : protocol_registry()) names.push_back(entry.info.name);
  return names;
}

class Lock : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(random_scenarios, Lock, ::testing::ValuesIn(all_locks()),
                         [](const auto& made) { return made.param; });

TEST_P(Lock, keeps_its_promises) {
  const ProtocolEntry& entry =
      GetParam() == kReferenceLock ? reference_lock() : *find_protocol(GetParam());
  for (const Profile& profile : entry.info.profiles)
    if (const std::string known = known_against(entry, profile); !known.empty())
      std::printf("not drawn: profile %s, %s\n", profile.name.c_str(), known.c_str());
  const std::uint64_t first = from_environment("LATCHLAB_FIRST_DRAW", 1);
  const std::uint64_t draws = from_environment("LATCHLAB_DRAWS", 100);
  Tally sum;
  for (std::uint64_t number = first; number < first + draws; ++number) {
    const Draw draw = drawn(entry, number);
    const Played played = played_twice(draw, draws == 1);
    sum.add(played.tally);
    if (played.broken == Promise::none) continue;
    ADD_FAILURE() << "broken: " << name_of(played.broken) << ": " << played.how << "\n"
                  << in_words(draw) << "\n"
                  << summary("it had", played.tally)
                  << "\nagain, from the build's directory: LATCHLAB_FIRST_DRAW=" << number
                  << " LATCHLAB_DRAWS=1 ctest -V -R 'random_scenarios.*/" << entry.info.name
                  << "( |$)'";
  }
  std::printf("%s\n", summary(entry.info.name, sum).c_str());
  EXPECT_GT(sum.acquired, 0U);
}

// ---- the promises ----

TEST(Promises, are_read_from_the_verdict_files) {
  EXPECT_EQ(survives_the_crash_of("dslr"), Mortal::any);
  EXPECT_EQ(survives_the_crash_of("drtm"), Mortal::readers);
  EXPECT_EQ(survives_the_crash_of("mcs"), Mortal::none);
  EXPECT_EQ(survives_the_crash_of("no such lock"), Mortal::none);
  const ProtocolEntry& drtm = *find_protocol("drtm");
  EXPECT_NE(known_against(drtm, *drtm.info.find_profile("drtm_code")), "");
  EXPECT_EQ(known_against(drtm, *drtm.info.find_profile("dslr_paper")), "");
}

TEST(Promises, of_default_profiles_are_always_kept_and_others_are_excused_by_name) {
  for (const ProtocolEntry& entry : non_empty(protocol_registry()))
    EXPECT_EQ(known_against(entry, entry.info.profiles.front()), "") << entry.info.name;
  for (const auto& [name, why] : non_empty(excused_profiles())) {
    const ProtocolEntry* const entry = find_protocol(name.substr(0, name.find('/')));
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_NE(entry->info.find_profile(name.substr(name.find('/') + 1)), nullptr) << name;
  }
}

}  // namespace
}  // namespace latchlab::testing

#endif
