// What every registered protocol owes: parameters that fit their declarations, profiles that
// resolve, layouts that can be laid out.

#include "core/protocols/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace latchlab {
namespace {

bool fits(const ParamSpec& spec, const ParamValue& value) {
  switch (spec.kind) {
    case ParamKind::integer: {
      const auto* number = std::get_if<std::int64_t>(&value);
      return number != nullptr && *number >= spec.min && *number <= spec.max;
    }
    case ParamKind::duration: {
      const auto* length = std::get_if<Duration>(&value);
      return length != nullptr && length->ps >= spec.min && length->ps <= spec.max;
    }
    case ParamKind::boolean:
      return std::holds_alternative<bool>(value);
    case ParamKind::choice: {
      const auto* word = std::get_if<std::string>(&value);
      return word != nullptr && std::count(spec.choices.begin(), spec.choices.end(), *word) == 1;
    }
  }
  return false;
}

void expect_usable(const ProtocolEntry& entry, const ParamSet& params, const std::string& which) {
  for (const auto& [name, value] : params.values()) {
    const ParamSpec* spec = entry.info.find_param(name);
    ASSERT_NE(spec, nullptr) << which << ": " << name;
    EXPECT_TRUE(fits(*spec, value)) << which << ": " << name;
  }
  if (entry.info.contradiction) {
    EXPECT_EQ(entry.info.contradiction(params), "") << which;
  }
  const auto protocol = entry.make(params);
  const Layout layout = protocol->layout();
  EXPECT_EQ(layout.entry_bytes % 8, 0U) << which;
  EXPECT_EQ(layout.entry_bytes % layout.entry_align, 0U) << which;
  const std::vector<std::uint64_t> free_entry(layout.entry_bytes / 8);
  EXPECT_FALSE(protocol->decode(free_entry).empty()) << which;
}

TEST(registry, names_each_protocol_once_and_finds_it) {
  std::set<std::string> names;
  for (const ProtocolEntry& entry : protocol_registry()) {
    EXPECT_TRUE(names.insert(entry.info.name).second) << entry.info.name;
    EXPECT_EQ(find_protocol(entry.info.name), &entry);
  }
  EXPECT_EQ(find_protocol("no such lock"), nullptr);
  EXPECT_EQ(protocol_infos().size(), names.size());
}

TEST(registry, has_profiles_and_small_models_that_fit_their_declarations) {
  for (const ProtocolEntry& entry : protocol_registry()) {
    ASSERT_FALSE(entry.info.profiles.empty()) << entry.info.name;
    for (const Profile& profile : entry.info.profiles)
      expect_usable(entry, entry.info.resolve(profile.name), entry.info.name + "/" + profile.name);
    expect_usable(entry, entry.small_model(entry.info), entry.info.name + "/small_model");
  }
}

TEST(registry, says_where_every_parameter_comes_from) {
  for (const ProtocolEntry& entry : protocol_registry()) {
    EXPECT_FALSE(entry.info.source.empty()) << entry.info.name;
    for (const ParamSpec& spec : entry.info.params)
      EXPECT_FALSE(spec.help.empty()) << entry.info.name << ": " << spec.name;
    for (const Profile& profile : entry.info.profiles)
      EXPECT_FALSE(profile.source.empty()) << entry.info.name << ": " << profile.name;
  }
}

}  // namespace
}  // namespace latchlab
