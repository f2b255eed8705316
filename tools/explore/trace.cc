#include "tools/explore/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/json.h"
#include "core/scenario/scenario.h"

namespace latchlab::explore {

namespace {
constexpr std::uint32_t kMostOperations = 64;
constexpr std::size_t kMostMoves = 1'000'000;

// Reads fields one by one and keeps the first error.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  std::string text(const char* name) {
    const Json* field = find(name);
    if (field == nullptr) return {};
    if (!field->is_string()) fail(name, "a text");
    return field->is_string() ? field->get<std::string>() : std::string();
  }
  std::uint32_t number(const char* name, std::uint32_t least, std::uint32_t most) {
    const Json* field = find(name);
    if (field == nullptr) return least;
    const bool fits = field->is_number_unsigned() && field->get<std::uint64_t>() >= least &&
                      field->get<std::uint64_t>() <= most;
    if (!fits) fail(name, fmt::format("a whole number from {} to {}", least, most));
    return fits ? field->get<std::uint32_t>() : least;
  }
  bool flag(const char* name) {
    const Json* field = find(name);
    if (field != nullptr && !field->is_boolean()) fail(name, "true or false");
    return field != nullptr && field->is_boolean() && field->get<bool>();
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> texts;
    const Json* field = find(name);
    if (field == nullptr) return texts;
    const auto is_text = [](const Json& each) { return each.is_string(); };
    if (!field->is_array() || !std::all_of(field->begin(), field->end(), is_text)) {
      fail(name, "a list of texts");
      return texts;
    }
    for (const Json& each : *field) texts.push_back(each.get<std::string>());
    return texts;
  }
  std::vector<std::vector<std::uint64_t>> rows(const char* name, std::uint64_t most) {
    std::vector<std::vector<std::uint64_t>> rows;
    const Json* field = find(name);
    const auto is_number = [most](const Json& each) {
      return each.is_number_unsigned() && each.get<std::uint64_t>() <= most;
    };
    const auto is_row = [&](const Json& row) {
      return row.is_array() && !row.empty() && std::all_of(row.begin(), row.end(), is_number);
    };
    if (field == nullptr) return rows;
    const bool fits = field->is_array() && field->size() <= kMostMoves &&
                      std::all_of(field->begin(), field->end(), is_row);
    if (!fits) fail(name, fmt::format("a list of lists of whole numbers up to {}", most));
    if (fits)
      for (const Json& row : *field) rows.push_back(row.get<std::vector<std::uint64_t>>());
    return rows;
  }
  bool has(const char* name) const { return json_.contains(name); }
  Duration duration(const char* name, const std::string& text) {
    const Result<Duration> read = parse_duration(text);
    if (!read) fail(name, "a duration such as 1us, or a list of such");
    return read ? read.value() : Duration{};
  }
  void fail(const char* name, const std::string& expected) {
    if (!error_) error_ = Error{fmt::format("'{}': expected {}", name, expected), where_};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const Json* find(const char* name) {
    const auto field = json_.find(name);
    if (field != json_.end()) return &*field;
    if (!error_) error_ = Error{fmt::format("'{}' is missing from this trace", name), where_};
    return nullptr;
  }

  const Json& json_;
  std::string where_;
  std::optional<Error> error_;
};

CaseTime read_time(Reader& reader) {
  CaseTime time;
  for (const std::string& text : reader.texts("latencies"))
    time.latencies.push_back(reader.duration("latencies", text));
  if (time.latencies.empty()) reader.fail("latencies", "at least one");
  for (const std::string& text : reader.texts("drift_ppm")) {
    std::int64_t drift = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, drift);
    if (error != std::errc() || stop != end) reader.fail("drift_ppm", "whole numbers, as texts");
    time.drift_ppm.push_back(drift);
  }
  time.hold = reader.duration("hold", reader.text("hold"));
  time.patience = reader.duration("patience", reader.text("patience"));
  if (reader.has("pause_length"))
    time.pause = reader.duration("pause_length", reader.text("pause_length"));
  time.horizon = reader.duration("horizon", reader.text("horizon"));
  return time;
}

std::vector<Extent> read_extents(Reader& reader) {
  std::vector<Extent> extents;
  for (const std::string& text : reader.texts("extents")) {
    const Result<Extent> extent = extent_of(text);
    if (!extent) reader.fail("extents", "texts such as 0-4");
    if (extent) extents.push_back(extent.value());
  }
  return extents;
}

Case read_case(Reader& reader) {
  Case setup;
  setup.protocol = reader.text("protocol");
  setup.profile = reader.text("profile");
  setup.sets = reader.texts("set");
  setup.client_nodes = reader.number("client_nodes", 1, kMostClients);
  setup.clients_per_node = reader.number("clients_per_node", 1, kMostClients);
  if (reader.has("servers")) setup.servers = reader.number("servers", 1, kMostServers);
  if (reader.has("colocated")) setup.colocated = reader.flag("colocated");
  setup.operations = reader.number("operations", 1, kMostOperations);
  if (reader.has("locks")) setup.locks = reader.number("locks", 1, kMostOperations);
  if (reader.has("held")) setup.held = reader.number("held", 1, kMostOperations);
  if (reader.has("sorted")) setup.sorted = reader.flag("sorted");
  if (reader.has("extents")) setup.extents = read_extents(reader);
  setup.modes = reader.texts("modes");
  setup.crashes = reader.number("crashes", 0, kMostClients);
  if (reader.has("crash_unit")) {
    setup.crash_unit = crash_unit_of(reader.text("crash_unit"));
    if (!setup.crash_unit) reader.fail("crash_unit", "client, process or node");
  }
  setup.pauses = reader.number("pauses", 0, kMostClients);
  if (reader.has("between_atomics")) setup.between_atomics = reader.flag("between_atomics");
  if (reader.has("delays")) setup.delays = reader.number("delays", 0, kMostDelays);
  if (reader.has("cuts")) setup.cuts = reader.number("cuts", 0, kMostCuts);
  setup.timeouts = reader.number("timeouts", 0, 1'000'000);
  setup.reduce = reader.flag("reduce");
  setup.symmetry = reader.has("symmetry") && reader.flag("symmetry");
  bool timed = false;
  for (const char* name : {"latencies", "drift_ppm", "hold", "patience", "pause_length", "horizon"})
    timed = timed || reader.has(name);
  if (timed) setup.time = read_time(reader);
  return setup;
}

std::optional<Violation> wrong_of(const std::string& name) {
  for (std::size_t i = 1; i < kViolations; ++i)
    if (name == name_of(static_cast<Violation>(i))) return static_cast<Violation>(i);
  return std::nullopt;
}

}  // namespace

Trace make_trace(const Case& setup, const explorer::SearchFacts& facts,
                 const Counterexample& counterexample) {
  Trace trace{setup, facts, counterexample, {}};
  // As the search that found it, whatever facts a reader of the trace has.
  if (setup.timed() && facts.draws()) trace.setup.symmetry = false;
  explorer::SearchSupport support;
  support.facts = facts;
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  SearchModel model(setup, *protocol, support);
  follow(model, counterexample.path);
  trace.entry = model.entry();
  return trace;
}

Result<Trace> parse_trace(const std::string& text, const std::string& file) {
  const Json json = parse_json(text);
  if (!json.is_object() || !json.contains("latchlab_trace"))
    return Error{"this is no trace: expected the JSON that latchlab explore writes", file};
  if (json["latchlab_trace"] != kTraceVersion)
    return Error{
        fmt::format("this build reads traces of version {}; record it again", kTraceVersion), file};
  Reader reader(json, file);
  Trace trace;
  trace.setup = read_case(reader);
  const std::string violation = reader.text("wrong");
  trace.counterexample.text = reader.text("text");
  trace.entry = reader.text("entry");
  std::vector<std::uint64_t> mixed;
  for (const auto& row : reader.rows("mixed_words", ~0ULL)) mixed.push_back(row.front());
  trace.facts = explorer::SearchFacts::restored(mixed, reader.flag("reads_membership"));
  for (const auto& row : reader.rows("moves", ~0U)) {
    Move move;
    move.choice = static_cast<std::uint32_t>(row.front());
    for (std::size_t i = 1; i < row.size(); ++i)
      move.inner.push_back(static_cast<std::uint32_t>(row[i]));
    trace.counterexample.path.push_back(std::move(move));
  }
  if (reader.error()) return *reader.error();
  const std::optional<Violation> known = wrong_of(violation);
  if (!known) return Error{fmt::format("'wrong': '{}' is no kind of finding", violation), file};
  trace.counterexample.violation = *known;
  if (const Status fine = check_case(trace.setup); !fine) return Error{fine.error().message, file};
  return trace;
}

}  // namespace latchlab::explore
