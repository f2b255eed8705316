#include "models/fit_spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/scenario/map_reader.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/quantities.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/text_file.h"

namespace latchlab {
namespace {

constexpr double kPpb = 1e9;

// A number with a unit: a time in nanoseconds, a share, or a plain number with k, M or G.
double read_value(const YamlNode& node, const std::string& path) {
  const std::string& text = scalar(node, path, "a value such as 2.05us, 15.5k or 99.4%");
  if (const Result<Duration> time = parse_duration(text))
    return static_cast<double>(time.value().ps) / kPsPerNs;
  if (const Result<std::int64_t> share = parse_ratio_ppb(text); share && text.back() == '%')
    return static_cast<double>(share.value()) / kPpb;
  if (const Result<std::int64_t> number = parse_count(text))
    return static_cast<double>(number.value());
  reject(node.place, fmt::format("{} is {}; expected a value such as 2.05us, 15.5k or 99.4%", path,
                                 quoted(text)));
}

std::string read_constant_key(const YamlNode& node, const std::string& path) {
  const std::string& key = scalar(node, path, "a constant such as latency.one_way");
  if (!find_nic_constant(key))
    reject(node.place, fmt::format("{}: there is no constant {}{}", path, quoted(key),
                                   suggestion(key, nic_keys(""))));
  if (!is_number(key))
    reject(node.place, fmt::format("{}: {} is neither a time nor a count", path, key));
  return key;
}

double read_constant_value(const std::string& constant, const YamlNode& node,
                           const std::string& path) {
  if (is_time(constant))
    return static_cast<double>(read_duration(node, path, Duration{}, seconds(1)).ps) / kPsPerNs;
  return static_cast<double>(read_count(node, path, 0, 1'000'000));
}

NicChanges read_changes(const YamlNode* node, const std::string& path) {
  NicChanges changes;
  if (node == nullptr) return changes;
  if (!node->is_map()) reject(node->place, path + ": expected constants and their changes");
  for (const YamlEntry& entry : node->entries) {
    YamlNode key = yaml_text(entry.key);
    key.place = entry.place;
    NicChange change;
    change.constant = read_constant_key(key, path);
    YamlNode amount = entry.value;
    const std::string& text = scalar(amount, path, "a change such as x0.75, +180ns or 341ns");
    const char sign = text.empty() ? ' ' : text.front();
    if (sign == 'x' || sign == '+' || sign == '-') amount.text = text.substr(1);
    if (sign == 'x') {
      change.kind = NicChange::Kind::scale;
      change.amount = static_cast<double>(read_ratio_ppb(amount, path, 0, 100'000'000'000)) / kPpb;
    } else {
      const double value = read_constant_value(change.constant, amount, path);
      if (sign == '+' || sign == '-') change.kind = NicChange::Kind::add;
      change.amount = sign == '-' ? -value : value;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

// Refuses what is no list.
const std::vector<YamlNode>& items_of(const YamlNode& node, const std::string& path) {
  if (!node.is_sequence())
    reject(node.place, fmt::format("{} holds {}; expected a list", path, kind_name(node)));
  return node.items;
}

class FitReader {
 public:
  FitReader(const YamlNode& root, const std::string& directory,
            const std::vector<ProtocolInfo>& protocols, const DataDirs& data)
      : top_(&root, "", root.place), directory_(directory), protocols_(protocols), data_(data) {}

  FitSpec read() {
    spec_.name = scalar(top_.require("name", "name: connectx-5"), "name", "a text");
    spec_.nic = scalar(top_.require("nic", "nic: connectx-5"), "nic", "the name of a NIC");
    spec_.description = top_.text("description", "");
    scenarios_ = &top_.require("scenarios", "scenarios: {one-lock: {locks: {count: 1}}}");
    each("runs", true, [this](MapReader& reader) { read_run(reader); });
    each("free", true, [this](MapReader& reader) { read_free(reader); });
    each("observations", true, [this](MapReader& reader) { read_observations(reader); });
    each("readings", false, [this](MapReader& reader) { read_reading(reader); });
    each("profiles", false, [this](MapReader& reader) { read_profile(reader); });
    each("conclusions", false, [this](MapReader& reader) { read_conclusion(reader); });
    each("sensitivity", false, [this](MapReader& reader) { read_case(reader); });
    top_.finish();
    return std::move(spec_);
  }

 private:
  template <class Read>
  void each(const std::string& key, bool needed, Read read) {
    const YamlNode* list = needed ? &top_.require(key, key + ": [...]") : top_.find(key);
    if (list == nullptr) return;
    for (const YamlNode& item : items_of(*list, key)) {
      MapReader reader(&item, key, item.place);
      read(reader);
      reader.finish();
    }
  }

  std::string id_of(MapReader& reader) {
    return scalar(reader.require("id", "id: ideal"), reader.path_of("id"), "a text");
  }

  void read_run(MapReader& reader) {
    FitRun run;
    run.id = id_of(reader);
    const YamlNode& name = reader.require("scenario", "scenario: one-lock");
    const YamlNode* fragment =
        scenarios_->find(scalar(name, "runs.scenario", "the name of a scenario above"));
    if (fragment == nullptr)
      reject(name.place, fmt::format("runs.scenario: there is no scenario {}", quoted(name.text)));
    YamlNode whole = *fragment;
    whole.set("schema", yaml_text("1"));
    whole.set("name", yaml_text(run.id));
    std::vector<Override> overrides = {{"platform.nic", spec_.nic}};
    if (const YamlNode* set = reader.find("set"))
      for (const YamlEntry& entry : set->entries)
        overrides.push_back({entry.key, emit_yaml_flow(entry.value)});
    const Result<Scenario> parsed = parse_scenario({emit_yaml(whole), "run " + run.id, directory_},
                                                   overrides, protocols_, data_);
    if (!parsed) reject(reader.place(), parsed.error().text());
    run.point = parsed.value().points.front();
    for (const GroupSpec& group : run.point.groups)
      if (group.nic)
        reject(reader.place(), "a fit changes the one NIC of all nodes; groups cannot have theirs");
    spec_.runs.push_back(std::move(run));
  }

  std::size_t run_named(const YamlNode& node, const std::string& path) {
    const std::string& id = scalar(node, path, "the id of a run");
    std::vector<std::string> known;
    for (const FitRun& run : spec_.runs) known.push_back(run.id);
    const auto found = std::find(known.begin(), known.end(), id);
    if (found == known.end())
      reject(node.place,
             fmt::format("{}: there is no run {}{}", path, quoted(id), suggestion(id, known)));
    return static_cast<std::size_t>(found - known.begin());
  }

  void read_free(MapReader& reader) {
    FreeConstant free;
    free.key =
        read_constant_key(reader.require("constant", "constant: latency.one_way"), "free.constant");
    const auto value = [&](const YamlNode& node, const char* what) {
      return read_constant_value(free.key, node, free.key + "." + what);
    };
    free.start = value(reader.require("start", "start: 658ns"), "start");
    free.step = value(reader.require("step", "step: 60ns"), "step");
    const YamlNode& bounds = reader.require("bounds", "bounds: [1ns, 2us]");
    if (items_of(bounds, "bounds").size() != 2)
      reject(bounds.place, "free.bounds: expected [low, high]");
    free.low = value(bounds.items[0], "bounds");
    free.high = value(bounds.items[1], "bounds");
    free.source = scalar(reader.require("source", "source: \"why\""), "free.source", "a text");
    if (!(free.low > 0 && free.low <= free.start && free.start <= free.high && free.step > 0 &&
          free.step < free.low))
      reject(reader.place(),
             fmt::format("{}: expected 0 < low <= start <= high and 0 < step < low", free.key));
    spec_.free.push_back(std::move(free));
  }

  void read_observations(MapReader& reader) {
    Observation common;
    common.run = run_named(reader.require("run", "run: ideal"), "observations.run");
    common.source =
        scalar(reader.require("source", "source: \"paper, section\""), "source", "a text");
    if (const YamlNode* rounding = reader.find("rounding"))
      common.rounding = read_value(*rounding, "observations.rounding");
    common.reading = static_cast<double>(reader.ratio_ppb("reading", 0, 0, 2'000'000'000)) / kPpb;
    if (common.reading > 0) reader.require("because", "because: \"what is not known\"");
    for (const bool fitted : {true, false}) {
      const YamlNode* values = reader.find(fitted ? "fit" : "compare");
      if (values == nullptr) continue;
      for (const YamlEntry& entry : values->entries) {
        Observation observation = common;
        observation.metric = entry.key;
        observation.value = read_value(entry.value, entry.key);
        observation.fitted = fitted;
        if (fitted && !(sigma_of(observation) > 0))
          reject(entry.place, entry.key + " has no uncertainty; give rounding or reading");
        spec_.observations.push_back(std::move(observation));
      }
    }
  }

  Reading::Replacement read_replacement(MapReader& reader) {
    Reading::Replacement replacement;
    const YamlNode& run = reader.require("run", "run: ideal");
    const std::size_t index = run_named(run, "replace.run");
    const std::string& metric =
        scalar(reader.require("metric", "metric: goodput_ops_s"), "replace.metric", "a metric");
    const auto found = std::find_if(
        spec_.observations.begin(), spec_.observations.end(),
        [&](const Observation& o) { return o.fitted && o.run == index && o.metric == metric; });
    if (found == spec_.observations.end())
      reject(run.place, fmt::format("replace: {} of {} is not fitted", metric, run.text));
    replacement.observation = static_cast<std::size_t>(found - spec_.observations.begin());
    replacement.metric =
        scalar(reader.require("by", "by: server_nic.verbs_s"), "replace.by", "a metric");
    replacement.value = read_value(reader.require("value", "value: 2.6M"), "replace.value");
    reader.finish();
    return replacement;
  }

  void read_reading(MapReader& reader) {
    Reading reading;
    reading.id = id_of(reader);
    reading.because =
        scalar(reader.require("because", "because: \"why\""), "readings.because", "a text");
    if (const YamlNode* without = reader.find("without"))
      for (const YamlNode& prefix : items_of(*without, "readings.without"))
        reading.without.push_back(scalar(prefix, "readings.without", "the start of a run's id"));
    if (const YamlNode* widens = reader.find("widens"))
      for (const YamlNode& key : items_of(*widens, "readings.widens"))
        reading.widens.push_back(read_constant_key(key, "readings.widens"));
    reading.changes = read_changes(reader.find("set"), "readings.set");
    if (const YamlNode* replace = reader.find("replace")) {
      for (const YamlNode& item : items_of(*replace, "readings.replace")) {
        MapReader inner(&item, "readings.replace", item.place);
        reading.replacements.push_back(read_replacement(inner));
      }
    }
    spec_.readings.push_back(std::move(reading));
  }

  void read_profile(MapReader& reader) {
    Scan profile;
    profile.constant =
        read_constant_key(reader.require("constant", "constant: atomic.window"), "constant");
    profile.because = reader.text("because", "");
    for (const YamlNode& value :
         items_of(reader.require("values", "values: [48, 72]"), "profiles.values"))
      profile.values.push_back(read_constant_value(profile.constant, value, "profiles.values"));
    spec_.profiles.push_back(std::move(profile));
  }

  void read_conclusion(MapReader& reader) {
    Conclusion conclusion;
    conclusion.id = id_of(reader);
    conclusion.says = reader.text("says", "");
    conclusion.metric =
        scalar(reader.require("metric", "metric: goodput_ops_s"), "metric", "a metric");
    conclusion.run = run_named(reader.require("run", "run: ideal"), "conclusions.run");
    if (const YamlNode* over = reader.find("over"))
      conclusion.over = run_named(*over, "conclusions.over");
    spec_.conclusions.push_back(std::move(conclusion));
  }

  void read_case(MapReader& reader) {
    const std::string id = id_of(reader);
    const YamlNode& set = reader.require("set", "set: {atomic.window: 48}");
    spec_.sensitivity.push_back({id, read_changes(&set, "sensitivity.set")});
  }

  MapReader top_;
  std::string directory_;
  const std::vector<ProtocolInfo>& protocols_;
  const DataDirs& data_;
  const YamlNode* scenarios_ = nullptr;
  FitSpec spec_;
};

}  // namespace

Result<FitSpec> load_fit(const std::string& name_or_path,
                         const std::vector<ProtocolInfo>& protocols, const DataDirs& data) {
  const std::string path =
      is_file(name_or_path) ? name_or_path : find_data_file(name_or_path, "models/fits", "", data);
  if (path.empty())
    return Error{fmt::format("there is no fit {}; known: {}", quoted(name_or_path),
                             joined(data_names("models/fits", data))),
                 {}};
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.error();
  try {
    return FitReader(parse_yaml(text.value(), path), directory_of(path), protocols, data).read();
  } catch (const InputError& problem) {
    return problem.error;
  }
}

}  // namespace latchlab
