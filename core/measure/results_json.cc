#include "core/measure/results_json.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"

namespace latchlab {
namespace {
constexpr double kMaxDouble = std::numeric_limits<double>::max();

Json finite(double value) {
  return value >= -kMaxDouble && value <= kMaxDouble ? Json(value) : Json();
}

constexpr std::size_t kTallyCounts = sizeof(VerbTally) / sizeof(std::uint64_t);

Json sequence(const RepeatMetrics::Sequence& values) {
  Json list = Json::array();
  for (const RepeatMetrics::Real& value : values) list.push_back(value ? finite(*value) : Json());
  return list;
}

Json counts_of(const VerbTally& tally) {
  Json counts = Json::array();
  VerbTally().combine(tally, [&](std::uint64_t, std::uint64_t count) { counts.push_back(count); });
  return counts;
}

// Text that is not UTF-8 is repaired, without an exception.
std::string dumped(const Json& json, int indent) {
  return dump_json(json, indent);
}

class Writer {
 public:
  void operator()(const std::string& path, const RepeatMetrics::Real& value,
                  Aggregation /*aggregation*/ = {}) {
    json_[path] = value ? finite(*value) : Json();
  }
  void operator()(const std::string& path, const RepeatMetrics::Count& value,
                  Aggregation /*aggregation*/ = {}) {
    json_[path] = value ? Json(*value) : Json();
  }
  void operator()(const std::string& path, const std::string& value,
                  Aggregation /*aggregation*/ = {}) {
    json_[path] = value;
  }
  void operator()(const std::string& path, const Histogram& value,
                  Aggregation /*aggregation*/ = {}) {
    json_[path] = value.serialised();
  }
  void operator()(const std::string& path, const RepeatMetrics::Table& table,
                  Aggregation /*aggregation*/ = {}) {
    Json& entries = json_[path] = Json::object();
    for (const auto& [name, value] : table)
      if (const Json number = finite(value); !number.is_null()) entries[name] = number;
  }
  template <class T>
  void operator()(const std::string& path, const std::optional<T>& value,
                  Aggregation /*aggregation*/ = {}) {
    json_[path] = Json();
    if (value) (*this)(path, *value);
  }
  void operator()(const std::string& path, const RepeatMetrics::Groups& groups,
                  Aggregation /*aggregation*/ = {}) {
    (*this)(path, groups.values);
  }
  void operator()(const std::string& path, const RepeatMetrics::GroupTimes& times,
                  Aggregation /*aggregation*/ = {}) {
    Json& entries = json_[path] = Json::object();
    for (const auto& [name, values] : times.by_group) entries[name] = values.serialised();
  }
  void operator()(const std::string& path, const std::vector<Histogram>& values) {
    Json& entries = json_[path] = Json::array();
    for (const Histogram& each : values) entries.push_back(each.serialised());
  }
  void operator()(const std::string& path, const std::vector<VerbTally>& values) {
    Json& entries = json_[path] = Json::array();
    for (const VerbTally& each : values) entries.push_back(counts_of(each));
  }
  void operator()(const std::string& path, const RepeatMetrics::Sequence& values,
                  Aggregation /*aggregation*/ = {}) {
    json_[path] = sequence(values);
  }
  void operator()(const std::string& path, bool value) { json_[path] = value; }
  void operator()(const std::string& path, std::uint64_t value) { json_[path] = value; }
  void operator()(const std::string& path, const std::vector<std::uint64_t>& values) {
    json_[path] = values;
  }
  void operator()(const std::string& path, const PhaseTotals& value) {
    json_[path] = {{"operations", value.operations}, {"sum_ps", value.sum_ps}};
  }
  void operator()(const std::string& path, const VerbTally& tally) {
    json_[path] = counts_of(tally);
  }
  void operator()(const std::string& path, const GuardFindings& guard) {
    Json conflicts = Json::array();
    for (const GuardConflict& one : guard.conflicts)
      conflicts.push_back({one.lock, one.client, static_cast<int>(one.mode), one.word, one.times});
    json_[path] = {{"guarded", guard.guarded},
                   {"checks", guard.checks},
                   {"conflicts", std::move(conflicts)},
                   {"expired", guard.expired},
                   {"unguarded", guard.unguarded}};
  }
  void operator()(const std::string& path, const WindowLaw& law, Aggregation /*aggregation*/ = {}) {
    visit_law(law, [&](const char* name, std::uint64_t value) { json_[path][name] = value; });
  }

  std::string text() const { return dumped(json_, -1); }

 private:
  Json json_ = Json::object();
};

enum class Missing : std::uint8_t { is_wrong, is_not_measured };

// Remembers the first metric that is wrong; later ones are skipped.
class Reader {
 public:
  Reader(const Json& json, Missing missing) : json_(json), missing_(missing) {}

  template <class Field>
  void operator()(const std::string& path, Field& field, Aggregation /*aggregation*/ = {}) {
    if (!wrong_.empty()) return;
    const auto found = json_.find(path);
    if (found == json_.end() && missing_ == Missing::is_not_measured) return;
    if (found == json_.end() || !read(*found, field)) wrong_ = path;
  }

  const std::string& wrong() const { return wrong_; }

 private:
  static bool read(const Json& json, std::uint64_t& field) {
    if (!json.is_number_integer() || (!json.is_number_unsigned() && json.get<std::int64_t>() < 0))
      return false;
    field = json.get<std::uint64_t>();
    return true;
  }
  static bool read(const Json& json, bool& field) {
    if (!json.is_boolean()) return false;
    field = json.get<bool>();
    return true;
  }
  static bool read(const Json& json, std::vector<std::uint64_t>& field) {
    return read_list(json, field);
  }
  static bool read(const Json& json, GuardConflict& field) {
    std::vector<std::uint64_t> numbers;
    if (!read(json, numbers) || numbers.size() != 5 || numbers[2] >= kLockModes) return false;
    field = {numbers[0], numbers[1], static_cast<LockMode>(numbers[2]), numbers[3], numbers[4]};
    return true;
  }
  static bool read(const Json& json, GuardFindings& field) {
    for (const char* name : {"guarded", "checks", "conflicts", "expired", "unguarded"})
      if (!json.is_object() || !json.contains(name)) return false;
    return read_list(json["conflicts"], field.conflicts) && read(json["guarded"], field.guarded) &&
           read(json["checks"], field.checks) && read(json["expired"], field.expired) &&
           read(json["unguarded"], field.unguarded);
  }
  static bool read(const Json& json, VerbTally& field) {
    std::vector<std::uint64_t> counts;
    if (!read(json, counts) || counts.size() != kTallyCounts) return false;
    std::size_t at = 0;
    field.combine(field, [&](std::uint64_t& own, std::uint64_t) { own = counts[at++]; });
    return true;
  }
  static bool read(const Json& json, double& field) {
    if (!json.is_number()) return false;
    field = json.get<double>();
    return true;
  }
  template <class T>
  static bool read(const Json& json, std::optional<T>& field) {
    field.reset();
    return json.is_null() || read(json, field.emplace());
  }
  static bool read(const Json& json, RepeatMetrics::Sequence& field) {
    return read_list(json, field);
  }
  static bool read(const Json& json, std::string& field) {
    if (!json.is_string()) return false;
    field = json.get<std::string>();
    return true;
  }
  static bool read(const Json& json, Histogram& field) {
    if (!json.is_string()) return false;
    Result<Histogram> histogram = Histogram::parse(json.get_ref<const std::string&>());
    if (!histogram) return false;
    field = std::move(histogram).value();
    return true;
  }
  static bool read(const Json& json, RepeatMetrics::Table& field) {
    if (!json.is_object()) return false;
    for (const auto& [name, value] : json.items())
      if (!read(value, field[name])) return false;
    return true;
  }
  static bool read(const Json& json, RepeatMetrics::GroupTimes& field) {
    if (!json.is_object()) return false;
    for (const auto& [name, values] : json.items())
      if (!read(values, field.by_group[name])) return false;
    return true;
  }
  template <class T>
  static bool read_list(const Json& json, std::vector<T>& field) {
    if (!json.is_array()) return false;
    field.clear();
    for (const Json& value : json)
      if (!read(value, field.emplace_back())) return false;
    return true;
  }
  static bool read(const Json& json, std::vector<Histogram>& field) {
    return read_list(json, field);
  }
  static bool read(const Json& json, std::vector<VerbTally>& field) {
    return read_list(json, field);
  }
  static bool read(const Json& json, RepeatMetrics::Groups& field) {
    return read(json, field.values);
  }
  static bool read(const Json& json, PhaseTotals& field) {
    if (!json.is_object() || !json.contains("operations") || !json.contains("sum_ps")) return false;
    const Json& sums = json["sum_ps"];
    if (!sums.is_array() || sums.size() != field.sum_ps.size()) return false;
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (!read(sums[i], field.sum_ps[i])) return false;
    return read(json["operations"], field.operations);
  }
  static bool read(const Json& json, WindowLaw& field) {
    bool good = json.is_object();
    visit_law(field, [&](const char* name, std::uint64_t& value) {
      good = good && json.contains(name) && read(json[name], value);
    });
    return good;
  }

  const Json& json_;
  Missing missing_;
  std::string wrong_;
};

struct ValueToJson {
  Json operator()(std::monostate) const { return {}; }
  Json operator()(std::uint64_t value) const { return value; }
  Json operator()(double value) const { return finite(value); }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const RepeatMetrics::Sequence& values) const { return sequence(values); }
  Json operator()(const MeanCi& value) const {
    Json json = Json::object();
    json["mean"] = finite(value.mean);
    json["ci95"] = value.ci95 ? finite(*value.ci95) : Json();
    return json;
  }
};

}  // namespace

std::string serialise_repeat(const RepeatMetrics& metrics) {
  Writer writer;
  visit_metrics(metrics, writer);
  return writer.text();
}

Result<RepeatMetrics> parse_repeat(std::string_view text) {
  const Json json = parse_json(text);
  if (!json.is_object() || !json.contains("goodput_ops_s"))
    return Error{"not the metrics of a repeat; run the point again", {}};
  RepeatMetrics metrics;
  Reader reader(json, Missing::is_not_measured);
  visit_metrics(metrics, reader);
  if (!reader.wrong().empty())
    return Error{"the metrics of a repeat lack a valid '" + reader.wrong() +
                     "'; run the point again with this version",
                 {}};
  return metrics;
}

std::string serialise_share(const PartialMetrics& share) {
  Writer writer;
  visit_share(share, writer);
  return writer.text();
}

Result<PartialMetrics> parse_share(std::string_view text) {
  const Json json = parse_json(text);
  if (!json.is_object()) return Error{"what another process measured is not a JSON object", {}};
  PartialMetrics share;
  Reader reader(json, Missing::is_wrong);
  visit_share(share, reader);
  if (!reader.wrong().empty())
    return Error{"what another process measured lacks a valid '" + reader.wrong() + "'", {}};
  if (std::string why = share.contradiction(); !why.empty())
    return Error{"what another process measured contradicts itself: " + why, {}};
  return share;
}

std::string leaves_json(const Leaves& leaves, int indent) {
  Json json = Json::object();
  for (const Leaf& leaf : leaves) {
    std::string pointer = "/" + leaf.path;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    json[Json::json_pointer(pointer)] = std::visit(ValueToJson{}, leaf.value);
  }
  return dumped(json, indent);
}

}  // namespace latchlab
