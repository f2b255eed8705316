#include "models/fit_spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/scenario/fields.h"
#include "core/scenario/quantities.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/text_file.h"
#include "models/fit_changes.h"

namespace latchlab {
namespace {

// A number with a unit: a time (in nanoseconds), a share, or a plain number with k, M or G.
double read_value(const YamlNode& node, const std::string& path) {
  const std::string& text = scalar(node, path, "a value such as 2.05us, 15.5k or 99.4%");
  if (const Result<Duration> time = parse_duration(text))
    return static_cast<double>(time.value().ps) / kPsPerNs;
  if (const Result<double> number = parse_figure(text, false)) return number.value();
  reject(node.place, "{} is {}; expected a value such as 2.05us, 15.5k or 99.4%", path,
         in_quotes(text));
}

// The items of a list; any other node is an error.
const std::vector<YamlNode>& items_of(const YamlNode& node, const std::string& path) {
  if (!node.is_sequence())
    reject(node.place, "{} holds {}; expected a list", path, kind_name(node));
  return node.items;
}

// The keys of an entry: texts that are stored unchanged, and others. An entry of `others` with an
// example, such as "run: ideal", is required.
template <class T>
Keys entry_keys(std::vector<Row<T>> all, const std::vector<std::string>& others) {
  for (const std::string& other : others) {
    const std::size_t end = std::min(other.find(": "), other.size());
    const bool required = end < other.size();
    all.emplace_back(other.substr(0, end).c_str(), said<T>(KeyKind::text),
                     required ? other.substr(end + 2).c_str() : "", "", required ? kRequired : 0U);
  }
  return rows<T>(all);
}

template <class T>
Row<T> words(const char* name, std::string T::*field, const char* example) {
  return {name, line(field), example, "", *example == 0 ? 0U : kRequired};
}

const Keys kTopKeys = entry_keys<FitSpec>(
    {words("name", &FitSpec::name, "connectx-5"), words("nic", &FitSpec::nic, "connectx-5"),
     words("description", &FitSpec::description, "")},
    {"scenarios: {one-lock: {locks: {count: 1}}}", "runs: [...]", "free: [...]",
     "observations: [...]", "readings", "profiles", "conclusions", "sensitivity"});
const Keys kRunKeys =
    entry_keys<FitRun>({words("id", &FitRun::id, "ideal")}, {"scenario: one-lock", "set"});
const Keys kFreeKeys =
    entry_keys<FreeConstant>({words("constant", &FreeConstant::key, "latency.one_way"),
                              words("source", &FreeConstant::source, "\"why\"")},
                             {"start: 658ns", "step: 60ns", "bounds: [1ns, 2us]"});
const Keys kReadingKeys = entry_keys<Reading>(
    {words("id", &Reading::id, "ideal"), words("because", &Reading::because, "\"why\"")},
    {"without", "widens", "set", "replace"});
const Keys kScanKeys = entry_keys<Scan>(
    {words("constant", &Scan::constant, "atomic.window"), words("because", &Scan::because, "")},
    {"values: [48, 72]"});
const Keys kConclusionKeys = entry_keys<Conclusion>(
    {words("id", &Conclusion::id, "ideal"), words("says", &Conclusion::says, ""),
     words("metric", &Conclusion::metric, "goodput_ops_s")},
    {"run: ideal", "over"});
const Keys kCaseKeys = entry_keys<SensitivityCase>({words("id", &SensitivityCase::id, "ideal")},
                                                   {"set: {atomic.window: 48}"});
const Keys kObservationKeys = entry_keys<Observation>(
    {words("source", &Observation::source, "\"paper, section\"")},
    {"run: ideal", "over", "rounding", "reading", "because", "fit", "compare"});
const Keys kReplacementKeys = entry_keys<Reading::Replacement>(
    {words("by", &Reading::Replacement::metric, "server_nic.verbs_s")},
    {"run: ideal", "metric: goodput_ops_s", "value: 2.6M"});

class FitReader {
 public:
  FitReader(const YamlNode& root, const std::string& directory,
            const std::vector<ProtocolInfo>& protocols, const DataDirs& data)
      : root_(root), directory_(directory), protocols_(protocols), data_(data) {}

  FitSpec read() {
    read_keys(kTopKeys, root_, "", &spec_);
    each("runs", kRunKeys, spec_.runs, &FitReader::read_run);
    each("free", kFreeKeys, spec_.free, &FitReader::read_free);
    if (const YamlNode* list = root_.find("observations"))
      for (const YamlNode& item : items_of(*list, "observations")) read_observations(item);
    each("readings", kReadingKeys, spec_.readings, &FitReader::read_reading);
    each("profiles", kScanKeys, spec_.profiles, &FitReader::read_profile);
    each("conclusions", kConclusionKeys, spec_.conclusions, &FitReader::read_conclusion);
    each("sensitivity", kCaseKeys, spec_.sensitivity, &FitReader::read_case);
    return std::move(spec_);
  }

 private:
  template <class T>
  void each(const char* key, const Keys& keys, std::vector<T>& all,
            void (FitReader::*finish)(const YamlNode&, T&)) {
    const YamlNode* list = root_.find(key);
    if (list == nullptr) return;
    for (const YamlNode& item : items_of(*list, key)) {
      T made;
      read_keys(keys, item, key, &made);
      (this->*finish)(item, made);
      all.push_back(std::move(made));
    }
  }

  void read_run(const YamlNode& node, FitRun& run) {
    const YamlNode& name = *node.find("scenario");
    const YamlNode* fragment =
        root_.find("scenarios")
            ->find(scalar(name, "runs.scenario", "the name of a scenario above"));
    if (fragment == nullptr)
      reject(name.place, "runs.scenario: there is no scenario {}", in_quotes(name.text));
    YamlNode whole = *fragment;
    whole.set("schema", yaml_text("1"));
    whole.set("name", yaml_text(run.id));
    std::vector<Override> overrides = {{"platform.nic", spec_.nic}};
    if (const YamlNode* set = node.find("set"))
      for (const YamlEntry& entry : set->entries)
        overrides.push_back({entry.key, emit_yaml_flow(entry.value)});
    const Result<Scenario> parsed = parse_scenario({emit_yaml(whole), "run " + run.id, directory_},
                                                   overrides, protocols_, data_);
    if (!parsed) reject(node.place, parsed.error().text());
    run.point = parsed.value().points.front();
    for (const GroupSpec& group : run.point.groups)
      if (group.nic)
        reject(node.place, "a fit changes the one NIC of all nodes; groups cannot have theirs");
  }

  std::size_t run_named(const YamlNode& node, const std::string& path) {
    const std::string& id = scalar(node, path, "the id of a run");
    std::vector<std::string> known;
    for (const FitRun& run : spec_.runs) known.push_back(run.id);
    const auto found = std::find(known.begin(), known.end(), id);
    if (found == known.end())
      reject(node.place, "{}: there is no run {}{}", path, in_quotes(id), suggestion(id, known));
    return static_cast<std::size_t>(found - known.begin());
  }

  void read_free(const YamlNode& node, FreeConstant& free) {
    read_constant_key(*node.find("constant"), "free.constant");
    const auto value = [&](const YamlNode& number, const char* what) {
      return read_constant_value(free.key, number, free.key + "." + what);
    };
    free.start = value(*node.find("start"), "start");
    free.step = value(*node.find("step"), "step");
    const YamlNode& bounds = *node.find("bounds");
    if (items_of(bounds, "bounds").size() != 2)
      reject(bounds.place, "free.bounds: expected [low, high]");
    free.low = value(bounds.items[0], "bounds");
    free.high = value(bounds.items[1], "bounds");
    if (!(free.low > 0 && free.low <= free.start && free.start <= free.high && free.step > 0 &&
          free.step < free.low))
      reject(node.place, "{}: expected 0 < low <= start <= high and 0 < step < low", free.key);
  }

  void read_observations(const YamlNode& node) {
    static const ScenarioKey share = quantity(KeyKind::ratio, "0", "2");
    Observation common;
    read_keys(kObservationKeys, node, "observations", &common);
    common.run = run_named(*node.find("run"), "observations.run");
    if (const YamlNode* over = node.find("over"))
      common.over = run_named(*over, "observations.over");
    if (const YamlNode* rounding = node.find("rounding"))
      common.rounding = read_value(*rounding, "observations.rounding");
    if (const YamlNode* reading = node.find("reading"))
      common.reading =
          static_cast<double>(read_number({share, *reading, "observations.reading"})) / kPpb;
    if (common.reading > 0 && node.find("because") == nullptr)
      reject(
          node.place,
          "observations.because is missing; add it, for example 'because: \"what is not known\"'");
    for (const bool fitted : {true, false}) {
      const YamlNode* values = node.find(fitted ? "fit" : "compare");
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

  Reading::Replacement read_replacement(const YamlNode& node) {
    Reading::Replacement replacement;
    read_keys(kReplacementKeys, node, "readings.replace", &replacement);
    const YamlNode& run = *node.find("run");
    const std::size_t index = run_named(run, "replace.run");
    const std::string& metric = scalar(*node.find("metric"), "replace.metric", "a metric");
    const auto found = std::find_if(
        spec_.observations.begin(), spec_.observations.end(),
        [&](const Observation& o) { return o.fitted && o.run == index && o.metric == metric; });
    if (found == spec_.observations.end())
      reject(run.place, "replace: {} of {} is not fitted", metric, run.text);
    replacement.observation = static_cast<std::size_t>(found - spec_.observations.begin());
    replacement.value = read_value(*node.find("value"), "replace.value");
    return replacement;
  }

  void read_reading(const YamlNode& node, Reading& reading) {
    const auto all = [&](const char* key, const auto& take) {
      const std::string path = path_of("readings", key);
      if (const YamlNode* list = node.find(key))
        for (const YamlNode& item : items_of(*list, path)) take(item, path);
    };
    all("without", [&](const YamlNode& prefix, const std::string& path) {
      reading.without.push_back(scalar(prefix, path, "the start of a run's id"));
    });
    all("widens", [&](const YamlNode& key, const std::string& path) {
      reading.widens.push_back(read_constant_key(key, path));
    });
    reading.changes = read_changes(node.find("set"), "readings.set");
    all("replace", [&](const YamlNode& item, const std::string&) {
      reading.replacements.push_back(read_replacement(item));
    });
  }

  void read_profile(const YamlNode& node, Scan& profile) {
    read_constant_key(*node.find("constant"), "constant");
    for (const YamlNode& value : items_of(*node.find("values"), "profiles.values"))
      profile.values.push_back(read_constant_value(profile.constant, value, "profiles.values"));
  }

  void read_conclusion(const YamlNode& node, Conclusion& conclusion) {
    conclusion.run = run_named(*node.find("run"), "conclusions.run");
    if (const YamlNode* over = node.find("over"))
      conclusion.over = run_named(*over, "conclusions.over");
  }

  void read_case(const YamlNode& node, SensitivityCase& made) {
    made.changes = read_changes(node.find("set"), "sensitivity.set");
  }

  const YamlNode& root_;
  std::string directory_;
  const std::vector<ProtocolInfo>& protocols_;
  const DataDirs& data_;
  FitSpec spec_;
};

}  // namespace

Result<FitSpec> load_fit(const std::string& name_or_path,
                         const std::vector<ProtocolInfo>& protocols, const DataDirs& data) {
  const std::string path =
      is_file(name_or_path) ? name_or_path : find_data_file(name_or_path, "models/fits", "", data);
  if (path.empty())
    return Error{fmt::format("there is no fit {}; known: {}", in_quotes(name_or_path),
                             joined(data_names("models/fits", data))),
                 {}};
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.error();
  try {
    const YamlNode root = parse_yaml(text.value(), path);
    return FitReader(root, directory_of(path), protocols, data).read();
  } catch (const InputError& problem) {
    return problem.error;
  }
}

}  // namespace latchlab
