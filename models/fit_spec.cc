#include "models/fit_spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/scenario/fields.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/quantities.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/text_file.h"

namespace latchlab {
namespace {

constexpr double kPsPerNs = 1000;
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
  static const ScenarioKey time = quantity(KeyKind::duration, "0us", "1s");
  static const ScenarioKey number = quantity(KeyKind::count, "0", "1M");
  if (!is_time(constant)) return static_cast<double>(read_number({number, node, path}));
  return static_cast<double>(read_number({time, node, path})) / kPsPerNs;
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
      static const ScenarioKey factor = quantity(KeyKind::ratio, "0", "100", Form::decimal);
      change.amount = static_cast<double>(read_number({factor, amount, path})) / kPpb;
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

// The keys of an entry: texts that are stored as they are, and others, each with an example.
using Others = std::vector<std::pair<const char*, const char*>>;
template <class T>
Keys entry_keys(std::vector<Row<T>> texts, const Others& needed, const Others& optional) {
  for (const auto& [name, example] : needed)
    texts.emplace_back(name, said<T>(KeyKind::text), example, "", kRequired);
  for (const auto& [name, example] : optional)
    texts.emplace_back(name, said<T>(KeyKind::text), example, "");
  return rows<T>(texts);
}

template <class T>
Row<T> text_row(const char* name, std::string T::*field, const char* example,
                unsigned flags = kRequired) {
  return {name, line(field), example, "", flags};
}

const Keys& top_keys() {
  static const Keys keys = entry_keys<FitSpec>(
      {text_row("name", &FitSpec::name, "connectx-5"), text_row("nic", &FitSpec::nic, "connectx-5"),
       text_row("description", &FitSpec::description, "", 0)},
      {{"scenarios", "{one-lock: {locks: {count: 1}}}"},
       {"runs", "[...]"},
       {"free", "[...]"},
       {"observations", "[...]"}},
      {{"readings", ""}, {"profiles", ""}, {"conclusions", ""}, {"sensitivity", ""}});
  return keys;
}

class FitReader {
 public:
  FitReader(const YamlNode& root, const std::string& directory,
            const std::vector<ProtocolInfo>& protocols, const DataDirs& data)
      : root_(root), directory_(directory), protocols_(protocols), data_(data) {}

  FitSpec read() {
    read_keys(top_keys(), root_, "", &spec_);
    each("runs", run_keys(), spec_.runs, &FitReader::read_run);
    each("free", free_keys(), spec_.free, &FitReader::read_free);
    if (const YamlNode* list = root_.find("observations"))
      for (const YamlNode& item : items_of(*list, "observations")) read_observations(item);
    each("readings", reading_keys(), spec_.readings, &FitReader::read_reading);
    each("profiles", scan_keys(), spec_.profiles, &FitReader::read_profile);
    each("conclusions", conclusion_keys(), spec_.conclusions, &FitReader::read_conclusion);
    each("sensitivity", case_keys(), spec_.sensitivity, &FitReader::read_case);
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

  static const Keys& run_keys() {
    static const Keys keys = entry_keys<FitRun>({text_row("id", &FitRun::id, "ideal")},
                                                {{"scenario", "one-lock"}}, {{"set", ""}});
    return keys;
  }
  void read_run(const YamlNode& node, FitRun& run) {
    const YamlNode& name = *node.find("scenario");
    const YamlNode* fragment =
        root_.find("scenarios")
            ->find(scalar(name, "runs.scenario", "the name of a scenario above"));
    if (fragment == nullptr)
      reject(name.place, fmt::format("runs.scenario: there is no scenario {}", quoted(name.text)));
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
      reject(node.place,
             fmt::format("{}: there is no run {}{}", path, quoted(id), suggestion(id, known)));
    return static_cast<std::size_t>(found - known.begin());
  }

  static const Keys& free_keys() {
    static const Keys keys = entry_keys<FreeConstant>(
        {text_row("constant", &FreeConstant::key, "latency.one_way"),
         text_row("source", &FreeConstant::source, "\"why\"")},
        {{"start", "658ns"}, {"step", "60ns"}, {"bounds", "[1ns, 2us]"}}, {});
    return keys;
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
      reject(node.place,
             fmt::format("{}: expected 0 < low <= start <= high and 0 < step < low", free.key));
  }

  void read_observations(const YamlNode& node) {
    static const Keys keys = entry_keys<Observation>(
        {text_row("source", &Observation::source, "\"paper, section\"")}, {{"run", "ideal"}},
        {{"rounding", ""}, {"reading", ""}, {"because", ""}, {"fit", ""}, {"compare", ""}});
    static const ScenarioKey share = quantity(KeyKind::ratio, "0", "2");
    Observation common;
    read_keys(keys, node, "observations", &common);
    common.run = run_named(*node.find("run"), "observations.run");
    if (const YamlNode* rounding = node.find("rounding"))
      common.rounding = read_value(*rounding, "observations.rounding");
    if (const YamlNode* reading = node.find("reading"))
      common.reading =
          static_cast<double>(read_number({share, *reading, "observations.reading"})) / kPpb;
    if (common.reading > 0 && node.find("because") == nullptr)
      reject(node.place,
             "observations.because is missing; add it, for example 'because: \"what is not "
             "known\"'");
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
    using Replacement = Reading::Replacement;
    static const Keys keys = entry_keys<Replacement>(
        {text_row("by", &Replacement::metric, "server_nic.verbs_s")},
        {{"run", "ideal"}, {"metric", "goodput_ops_s"}, {"value", "2.6M"}}, {});
    Replacement replacement;
    read_keys(keys, node, "readings.replace", &replacement);
    const YamlNode& run = *node.find("run");
    const std::size_t index = run_named(run, "replace.run");
    const std::string& metric = scalar(*node.find("metric"), "replace.metric", "a metric");
    const auto found = std::find_if(
        spec_.observations.begin(), spec_.observations.end(),
        [&](const Observation& o) { return o.fitted && o.run == index && o.metric == metric; });
    if (found == spec_.observations.end())
      reject(run.place, fmt::format("replace: {} of {} is not fitted", metric, run.text));
    replacement.observation = static_cast<std::size_t>(found - spec_.observations.begin());
    replacement.value = read_value(*node.find("value"), "replace.value");
    return replacement;
  }

  static const Keys& reading_keys() {
    static const Keys keys = entry_keys<Reading>(
        {text_row("id", &Reading::id, "ideal"), text_row("because", &Reading::because, "\"why\"")},
        {}, {{"without", ""}, {"widens", ""}, {"set", ""}, {"replace", ""}});
    return keys;
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

  static const Keys& scan_keys() {
    static const Keys keys =
        entry_keys<Scan>({text_row("constant", &Scan::constant, "atomic.window"),
                          text_row("because", &Scan::because, "", 0)},
                         {{"values", "[48, 72]"}}, {});
    return keys;
  }
  void read_profile(const YamlNode& node, Scan& profile) {
    read_constant_key(*node.find("constant"), "constant");
    for (const YamlNode& value : items_of(*node.find("values"), "profiles.values"))
      profile.values.push_back(read_constant_value(profile.constant, value, "profiles.values"));
  }

  static const Keys& conclusion_keys() {
    static const Keys keys = entry_keys<Conclusion>(
        {text_row("id", &Conclusion::id, "ideal"), text_row("says", &Conclusion::says, "", 0),
         text_row("metric", &Conclusion::metric, "goodput_ops_s")},
        {{"run", "ideal"}}, {{"over", ""}});
    return keys;
  }
  void read_conclusion(const YamlNode& node, Conclusion& conclusion) {
    conclusion.run = run_named(*node.find("run"), "conclusions.run");
    if (const YamlNode* over = node.find("over"))
      conclusion.over = run_named(*over, "conclusions.over");
  }

  static const Keys& case_keys() {
    static const Keys keys = entry_keys<SensitivityCase>(
        {text_row("id", &SensitivityCase::id, "ideal")}, {{"set", "{atomic.window: 48}"}}, {});
    return keys;
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
    return Error{fmt::format("there is no fit {}; known: {}", quoted(name_or_path),
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
