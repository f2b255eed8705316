#pragma once
// Parameters of a protocol as data: declared once in a table; used by the scenario parser (which
// checks type and range and reports the line), by `latchlab list protocols`, and by the protocol.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/claims.h"
#include "core/base/costs.h"
#include "core/base/time.h"

namespace latchlab {

enum class ParamKind : std::uint8_t { integer, duration, boolean, choice };

using ParamValue = std::variant<std::int64_t, Duration, bool, std::string>;
using ParamValues = std::vector<std::pair<std::string, ParamValue>>;  // by name

struct ParamSpec {
  std::string name;  // snake_case, as in the scenario
  ParamKind kind = ParamKind::integer;
  ParamValue fallback;               // the default, in the alternative for `kind`
  std::int64_t min = 0;              // inclusive; picoseconds for durations
  std::int64_t max = 0;              // inclusive
  std::vector<std::string> choices;  // for ParamKind::choice
  std::string help;                  // one line, with the source (paper and section)
};

ParamSpec integer_param(std::string name, std::int64_t fallback, std::int64_t min, std::int64_t max,
                        std::string help);
ParamSpec duration_param(std::string name, Duration fallback, Duration min, Duration max,
                         std::string help);
ParamSpec boolean_param(std::string name, bool fallback, std::string help);
ParamSpec choice_param(std::string name, std::string fallback, std::vector<std::string> choices,
                       std::string help);

// Resolved values, one per declared parameter. A request for an undeclared name or with the wrong
// type is a bug of the caller (CHECK).
class ParamSet {
 public:
  ParamSet() = default;
  explicit ParamSet(const std::vector<ParamSpec>& specs);  // all defaults

  std::int64_t integer(std::string_view name) const;
  Duration duration(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& choice(std::string_view name) const;

  void set(std::string_view name, ParamValue value);
  void set(const ParamValues& values);
  const std::map<std::string, ParamValue, std::less<>>& values() const { return values_; }

 private:
  const ParamValue& find(std::string_view name) const;
  std::map<std::string, ParamValue, std::less<>> values_;
};

// A named preset of parameters. `source` names the paper or artifact.
struct Profile {
  std::string name;
  std::string source;
  ParamValues values = {};
};

// What the scenario parser and `list` need to know of a protocol: plain data and pure functions.
struct ProtocolInfo {
  std::string name = {};
  std::string summary = {};  // one line
  std::string source = {};   // paper, section
  bool shared_mode = false;  // false: readers acquire exclusively
  bool update_mode = false;  // LockMode::update and LockClient::upgrade
  bool ranges = false;       // extents smaller than the whole object
  // A few words each, for the default profile: the order in which clients acquire; how the lock
  // passes from one client to the next; the failures that the other clients survive ("" for none).
  std::string fairness = {};
  std::string handover = {};
  std::string survives = {};
  // Settings "name=value" of forms that are kept as printed: with any of them nothing is claimed.
  std::vector<std::string> printed = {};
  // What it keeps under which faults, with these parameters. Empty: it never recovers from any.
  std::function<Claims(const ParamSet&)> claims = {};
  // With both.
  Claims claims_of(const ParamSet& values) const;
  Costs costs = {};  // with the default profile
  std::vector<ParamSpec> params = {};
  std::vector<Profile> profiles = {};  // first: the default
  std::uint64_t entry_bytes = 8;       // size of a lock entry, with the default parameters
  std::function<std::uint64_t(const ParamSet&)> entry_bytes_of = {};  // empty: entry_bytes
  // Slowest adaptation period and longest timeout for these parameters; zero: none. The advice on
  // warm-up and duration depends on them.
  std::function<Duration(const ParamSet&)> adaptation_period = {};
  std::function<Duration(const ParamSet&)> longest_timeout = {};
  // The longest validity of a grant; zero: until its release. The second one is for readers'
  // grants, if theirs differs.
  std::function<Duration(const ParamSet&)> longest_grant = {};
  std::function<Duration(const ParamSet&)> longest_shared_grant = {};
  // A message for the user if values contradict each other, otherwise empty.
  std::function<std::string(const ParamSet&)> contradiction = {};

  const Profile* find_profile(std::string_view name) const;
  const ParamSpec* find_param(std::string_view name) const;
  // Defaults, overridden by the profile (which must exist).
  ParamSet resolve(std::string_view profile) const;
};

}  // namespace latchlab
