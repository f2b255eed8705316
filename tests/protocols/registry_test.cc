// What every registered protocol has to provide: parameters that fit their declarations, profiles
// that resolve, valid layouts.

#include "core/protocols/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/non_empty.h"
#include "tests/paths.h"

namespace latchlab {
namespace {

TEST(registry, names_each_protocol_once_and_finds_it) {
  std::set<std::string> names;
  for (const ProtocolEntry& entry : non_empty(protocol_registry())) {
    EXPECT_TRUE(names.insert(entry.info.name).second) << entry.info.name;
    EXPECT_EQ(find_protocol(entry.info.name), &entry);
  }
  EXPECT_EQ(find_protocol("no such lock"), nullptr);
  EXPECT_EQ(protocol_infos().size(), names.size());
}

TEST(registry, has_profiles_and_small_models_that_fit_their_declarations) {
  for (const ProtocolEntry& entry : non_empty(protocol_registry()))
    EXPECT_EQ(entry_problem(entry), "") << entry.info.name;
}

TEST(registry, says_where_every_parameter_comes_from) {
  for (const ProtocolEntry& entry : non_empty(protocol_registry())) {
    EXPECT_FALSE(entry.info.source.empty()) << entry.info.name;
    for (const ParamSpec& spec : entry.info.params)
      EXPECT_FALSE(spec.help.empty()) << entry.info.name << ": " << spec.name;
    for (const Profile& profile : non_empty(entry.info.profiles))
      EXPECT_FALSE(profile.source.empty()) << entry.info.name << ": " << profile.name;
  }
}

// Whether it has a search with crashes that is expected to find no violation.
bool a_verdict_survives_crashes(const std::string& name) {
  std::ifstream rows(LATCHLAB_SOURCE_DIR "/tests/protocols/" + name + "/verdicts");
  EXPECT_TRUE(rows.good()) << name;
  for (std::string row; std::getline(rows, row);)
    if (row.find("--crashes") != std::string::npos && row.find("| sound |") != std::string::npos)
      return true;
  return false;
}

// Network time is no part of a lock: no lock that can add a delay to messages does so by default.
TEST(registry, delays_no_message_within_a_node_by_default) {
  std::set<std::string> delaying;
  for (const ProtocolEntry& entry : protocol_registry()) {
    const ParamSet params = entry.info.resolve(entry.info.profiles.front().name);
    if (!params.values().contains("intra_node_delay")) continue;
    delaying.insert(entry.info.name);
    EXPECT_EQ(params.duration("intra_node_delay"), Duration{}) << entry.info.name;
  }
  EXPECT_EQ(delaying, (std::set<std::string>{"mcs", "rma_rw", "shiftlock"}));
}

TEST(registry, claims_to_survive_what_searches_confirm) {
  for (const ProtocolEntry& entry : non_empty(protocol_registry()))
    EXPECT_EQ(!entry.info.survives.empty(), a_verdict_survives_crashes(entry.info.name))
        << entry.info.name << " survives '" << entry.info.survives << "'";
}

// `fairness` tells readers what `bypass_bound` tells searches.
TEST(registry, claims_a_bound_on_bypassing_only_with_an_order) {
  for (const ProtocolEntry& entry : non_empty(protocol_registry())) {
    const auto lock = entry.make(entry.small_params());
    bool bounded = false;
    for (int waiter = 0; waiter < kLockModes; ++waiter)
      for (int winner = 0; winner < kLockModes; ++winner)
        bounded = bounded || lock->bypass_bound(LockMode(waiter), LockMode(winner), 1).has_value();
    if (!bounded) continue;
    EXPECT_THAT(entry.info.fairness, ::testing::HasSubstr("first come, first served"))
        << entry.info.name;
  }
}

// The columns of `latchlab list protocols`.
TEST(registry, has_something_in_every_column) {
  for (const ProtocolEntry& entry : non_empty(protocol_registry())) {
    EXPECT_FALSE(entry.info.fairness.empty()) << entry.info.name;
    EXPECT_FALSE(entry.info.handover.empty()) << entry.info.name;
  }
}

// The cas lock under another name.
ProtocolEntry copy_named(const char* name) {
  ProtocolEntry entry = *find_protocol("cas");
  entry.info.name = name;
  return entry;
}

void expect_refused(const ProtocolEntry& entry, const char* reason) {
  const std::size_t before = protocol_registry().size();
  const Status added = register_protocol(entry);
  ASSERT_FALSE(added.ok()) << reason;
  EXPECT_THAT(added.error().message, ::testing::HasSubstr(reason));
  EXPECT_EQ(protocol_registry().size(), before);
}

TEST(registration, refuses_a_name_that_is_taken_or_cannot_be_typed) {
  expect_refused(copy_named("cas"), "the name 'cas' is taken");
  expect_refused(copy_named("My Lock"), "'My Lock' is not snake_case");
  expect_refused(copy_named(""), "'' is not snake_case");
}

TEST(registration, refuses_parameters_and_profiles_that_contradict_each_other) {
  ProtocolEntry entry = copy_named("contradicting");
  entry.info.params.push_back(entry.info.params.front());
  expect_refused(entry, "parameter 'backoff' is declared twice");
  entry = copy_named("contradicting");
  entry.info.params.push_back(integer_param("label", 1, 0, 2, "taken by every protocol"));
  expect_refused(entry, "parameter 'label'");
  entry = copy_named("contradicting");
  entry.info.params.push_back(integer_param("extra", 7, 0, 2, "out of its own range"));
  expect_refused(entry, "the default of parameter 'extra'");
  entry = copy_named("contradicting");
  entry.info.profiles.push_back({"odd", "no source", {{"nothing", true}}});
  expect_refused(entry, "profile 'odd' sets 'nothing'");
  entry.info.profiles.clear();
  expect_refused(entry, "it has no profile");
  entry = copy_named("contradicting");
  entry.make = nullptr;
  expect_refused(entry, "make is not set");
}

// An entry is whole words, or a part of one that does not reach into the next.
class Sized final : public Protocol {
 public:
  explicit Sized(std::uint64_t bytes) : bytes_(bytes) {}
  Layout layout(const Shape&) const override { return {.entry_bytes = bytes_, .entry_align = 1}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv&) const override { return nullptr; }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return std::to_string(words.size()) + " words";
  }

 private:
  std::uint64_t bytes_;
};

TEST(registration, refuses_entries_that_are_neither_words_nor_a_part_of_one) {
  for (std::uint64_t bytes = 0; bytes <= 24; ++bytes) {
    ProtocolEntry entry = copy_named("sized");
    entry.make = [bytes](const ParamSet&) { return std::make_unique<Sized>(bytes); };
    const bool fine = bytes % 8 == 0 || bytes == 1 || bytes == 2 || bytes == 4;
    EXPECT_EQ(
        entry_problem(entry).find("neither a multiple of 8 nor 1, 2 or 4") == std::string::npos,
        fine)
        << bytes;
  }
}

}  // namespace
}  // namespace latchlab
