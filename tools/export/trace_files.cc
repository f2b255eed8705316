#include "tools/export/trace_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/base/json.h"
#include "core/run/files.h"
#include "core/run/repeat.h"
#include "tools/export/tracing.h"
#include "tools/export/worst_acquisition.h"

namespace latchlab::exporting {
namespace {

constexpr std::size_t kFew = 8;  // up to so many points, all are traced by default
constexpr Duration kLength = microseconds(100);
constexpr const char* kWindowHelp =
    "expected FROM+LENGTH in simulated time, for example --trace-window 20ms+200us, or worst";

std::string file_of(const std::string& directory, std::size_t point) {
  return fmt::format("{}/traces/{:04}.json", directory, point);
}

std::string date_text(Time date) {
  return format_duration(Duration{date.ps});
}

// ---- the request ----

struct Span {
  Duration from, length;
};

Result<Span> parse_window(const std::string& text) {
  const std::size_t plus = text.find('+');
  if (plus == std::string::npos)
    return Error{fmt::format("--trace-window {}: {}", text, kWindowHelp), {}};
  const auto from = parse_duration(text.substr(0, plus));
  const auto length = parse_duration(text.substr(plus + 1));
  for (const auto* part : {&from, &length})
    if (!*part)
      return Error{
          fmt::format("--trace-window {}: {}; {}", text, part->error().text(), kWindowHelp), {}};
  if (from.value().ps < 0 || length.value().ps <= 0)
    return Error{fmt::format("--trace-window {}: the window is empty; {}", text, kWindowHelp), {}};
  return Span{from.value(), length.value()};
}

Result<std::vector<std::size_t>> parse_points(const std::string& text, std::size_t count) {
  std::vector<std::size_t> points;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    std::size_t point = 0;
    const auto [stop, error] = std::from_chars(at, end, point);
    if (error != std::errc() || point >= count || (stop != end && *stop != ','))
      return Error{fmt::format("--trace-points {}: expected points from 0 to {}, separated by "
                               "commas, for example 0,3",
                               text, count - 1),
                   {}};
    if (std::find(points.begin(), points.end(), point) == points.end()) points.push_back(point);
    if (stop == end) break;
    at = stop + 1;
  }
  std::sort(points.begin(), points.end());
  return points;
}

Result<std::vector<std::size_t>> chosen_points(const std::string& text, std::size_t count) {
  if (!text.empty()) return parse_points(text, count);
  std::vector<std::size_t> points = {0};
  for (std::size_t i = 1; i < count && count <= kFew; ++i) points.push_back(i);
  return points;
}

// ---- the file ----

std::string other_data(const Point& point, const PlannedTrace& planned,
                       const TraceRecorder& recorder) {
  Json json;
  json["label"] = point.protocol.label;
  json["point"] = planned.point;
  Json axes = Json::object();
  for (const auto& [path, value] : point.axes) axes[path] = value;
  json["axes"] = std::move(axes);
  json["repeat"] = 0;
  json["seed"] = repeat_seed(point.run.seed, 0);
  json["clock"] = "true simulated time";
  json["from"] = date_text(planned.from);
  json["to"] = date_text(recorder.shown_to());
  json["events"] = recorder.log().size();
  json["full"] = recorder.full();
  return dump_json(json);
}

// The value of "otherData", which is on the file's first line.
Json head_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  if (!line.empty() && line.back() == ',') line.back() = '}';
  const Json head = parse_json(line);
  return head.is_object() ? head.value("otherData", Json()) : Json();
}

}  // namespace

Result<TracePlan> plan_traces(const Scenario& scenario, const TraceRequest& request) {
  TracePlan plan;
  if (!request.wanted) return plan;
  const auto points = chosen_points(request.points, scenario.points.size());
  if (!points) return points.error();
  for (const std::size_t index : points.value()) {
    const RunSpec& run = scenario.points[index].run;
    Span span{run.earliest(), kLength};
    if (!request.window.empty() && request.window != kWorst) {
      const auto parsed = parse_window(request.window);
      if (!parsed) return parsed.error();
      span = parsed.value();
    }
    const Time ends = Time{} + run.earliest() + run.duration;
    const Time from = Time{} + span.from;
    if (from >= ends)
      return Error{fmt::format("--trace-window {}: the run of point {} is over at {}",
                               request.window, index, date_text(ends)),
                   {}};
    plan.push_back({index, from, std::min(saturating_add(from, span.length), ends)});
  }
  return plan;
}

Result<TraceHookFactory> tracing_into(const std::string& directory, const Scenario& scenario,
                                      const TracePlan& plan) {
  if (plan.empty()) return TraceHookFactory();
  std::error_code error;
  std::filesystem::create_directories(directory + "/traces", error);
  if (error)
    return Error{fmt::format("cannot create {}/traces: {}", directory, error.message()), {}};
  return TraceHookFactory([&, directory](const Point& point, std::uint32_t repeat) {
    const auto planned = std::find_if(plan.begin(), plan.end(), [&](const PlannedTrace& each) {
      return &scenario.points[each.point] == &point;
    });
    if (repeat != 0 || planned == plan.end()) return std::unique_ptr<TraceHook>();
    TraceWindow window;
    window.from = planned->from;
    window.to = planned->to;
    return make_tracing(window, [&point, planned, directory](const TraceRecorder& recorder) {
      // The status is ignored: describe_traces() reports a missing file.
      static_cast<void>(
          write_atomically(file_of(directory, planned->point),
                           recorder.log().chrome_json(other_data(point, *planned, recorder))));
    });
  });
}

Result<std::vector<std::string>> describe_traces(const std::string& directory,
                                                 const TracePlan& plan) {
  std::vector<std::string> lines;
  for (const PlannedTrace& planned : plan) {
    const std::string path = file_of(directory, planned.point);
    const Json head = head_of(path);
    if (!head.is_object()) return Error{fmt::format("there is no trace {}", path), {}};
    lines.push_back(fmt::format(
        "{}: {} to {}, {} events{}", path, head.value("from", std::string()),
        head.value("to", std::string()), head.value("events", 0),
        head.value("full", false) ? "; the trace was full then: choose a shorter --trace-window, "
                                    "or one that begins there"
                                  : ""));
  }
  return lines;
}

}  // namespace latchlab::exporting
