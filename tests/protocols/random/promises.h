#pragma once
// What a lock promises beyond core/protocols/lock.h, read from the rows of
// tests/protocols/NAME/verdicts, which tools/verify searches. A lock without rows promises nothing.
//
//   whose crash it survives   section `dying`: sound rows say so, for readers alone where every
//                             client reads; a row that finds something takes it back for the rest
//   which profiles are sound  those against which no row of another section has a finding, by the
//                             profile's name or by one of its switches, nor the list below

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/split.h"
#include "core/protocols/lock.h"
#include "tests/paths.h"

namespace latchlab::testing {

struct VerdictRow {
  std::string section, expected;
  std::vector<std::pair<std::string, std::string>> arguments;  // --NAME VALUE

  bool sound() const { return expected == "sound"; }
  std::string argument(const std::string& name) const {
    for (const auto& [key, value] : arguments)
      if (key == "--" + name) return value;
    return {};
  }
};

inline std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

inline std::vector<VerdictRow> verdict_rows(const std::string& lock) {
  std::ifstream file(std::string(LATCHLAB_SOURCE_DIR) + "/tests/protocols/" + lock + "/verdicts");
  std::vector<VerdictRow> rows;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = split(line, '|');
    if (fields.size() != 5 || line[0] == '#') continue;
    VerdictRow row{trimmed(fields[0]), trimmed(fields[3]), {}};
    for (const std::string& word : split(trimmed(fields[4]), ' ')) {
      if (word.rfind("--", 0) == 0)
        row.arguments.emplace_back(word, "");
      else if (!row.arguments.empty() && row.arguments.back().second.empty())
        row.arguments.back().second = word;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// ---- crashes ----

enum class Mortal : std::uint8_t { none, readers, any };

inline Mortal survives_the_crash_of(const std::string& lock) {
  bool readers = false, any = false, refuted = false;
  for (const VerdictRow& row : verdict_rows(lock)) {
    if (row.section != "dying") continue;
    const bool all_read =
        !row.argument("readers").empty() && row.argument("readers") == row.argument("clients");
    (row.sound() ? all_read ? readers : any : refuted) = true;
  }
  if (any && !refuted) return Mortal::any;
  return readers ? Mortal::readers : Mortal::none;
}

// ---- profiles ----

inline bool sets_switch(const Profile& profile, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) return false;
  const std::string value = assignment.substr(equals + 1);
  for (const auto& [name, set] : profile.values) {
    if (name != assignment.substr(0, equals)) continue;
    if (const auto* const choice = std::get_if<std::string>(&set)) return *choice == value;
    if (const auto* const yes = std::get_if<bool>(&set)) return value == (*yes ? "true" : "false");
  }
  return false;
}

// Profiles with a counter-example that is in no row: no search finds it in small cases.
inline const std::map<std::string, std::string>& excused_profiles() {
  static const std::string held_up = "readers that fail hold up the writer that makes them fail";
  static const std::map<std::string, std::string> excused = {
      {"retry_on_fail/dslr_code", held_up},
      {"retry_on_fail/dslr_paper", held_up},
      {"retry_on_fail/sigmod18", held_up},
      {"rma_rw/artifact", "two resets by readers lose all counts"},
  };
  return excused;
}

// Why a profile is not expected to be sound; empty: it is expected to be.
inline std::string known_against(const ProtocolEntry& entry, const Profile& profile) {
  const auto listed = excused_profiles().find(entry.info.name + "/" + profile.name);
  if (listed != excused_profiles().end()) return listed->second;
  for (const VerdictRow& row : verdict_rows(entry.info.name)) {
    if (row.sound() || row.section == "dying" || row.section == "standing") continue;
    for (const auto& [name, value] : row.arguments)
      if ((name == "--profile" && value == profile.name) ||
          (name == "--set" && sets_switch(profile, value)))
        return name + " " + value + ": " + row.expected;
  }
  return {};
}

inline std::vector<const Profile*> sound_profiles(const ProtocolEntry& entry) {
  std::vector<const Profile*> sound;
  for (const Profile& profile : entry.info.profiles)
    if (known_against(entry, profile).empty()) sound.push_back(&profile);
  return sound;
}

}  // namespace latchlab::testing
