#include "tests/export/trace_events.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace latchlab::exporting {
TraceEvents::TraceEvents(const std::string& text) : trace_(parse_json(text)) {
  if (!trace_.is_object() || !trace_.contains("traceEvents")) {
    ADD_FAILURE() << "no trace: " << text.substr(0, 200);
    trace_ = {{"traceEvents", Json::array()}};
  }
  read_slices();
}

// Slices of a thread nest, times do not decrease, and every slice is closed.
void TraceEvents::read_slices() {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::size_t>> open;
  double last = 0;
  for (const Json& event : trace_["traceEvents"]) {  // a window may show nothing
    const std::string phase = event["ph"];
    ASSERT_TRUE(event["pid"].is_number_unsigned() && event["tid"].is_number_unsigned()) << event;
    if (phase == "M") continue;
    ASSERT_TRUE(event["ts"].is_number()) << event;
    const double at = event["ts"];
    ASSERT_GE(at, last) << event;
    last = at;
    auto& stack = open[{event["pid"], event["tid"]}];
    if (phase == "B") {
      stack.push_back(slices_.size());
      slices_.push_back(
          {event["name"], event["pid"], event["tid"], at, at, event.value("args", Json::object())});
    } else if (phase == "E") {
      ASSERT_FALSE(stack.empty()) << event;
      ShownSlice& slice = slices_[stack.back()];
      stack.pop_back();
      slice.to = at;
      if (event.contains("args")) slice.args.update(event["args"]);
    } else if (phase == "s" || phase == "f") {
      ASSERT_FALSE(stack.empty()) << "an arrow without a slice: " << event;
    } else {
      ASSERT_TRUE(phase == "i" || phase == "C") << event;
    }
  }
  for (const auto& [track, stack] : open) EXPECT_TRUE(stack.empty()) << "open on " << track.second;
}

namespace {

bool share_units(const Json& a, const Json& b) {
  if (!a.contains("first") || !b.contains("first")) return true;
  const std::uint64_t a_first = a["first"], b_first = b["first"];
  return a_first < b_first + b["count"].get<std::uint64_t>() &&
         b_first < a_first + a["count"].get<std::uint64_t>();
}

}  // namespace

std::vector<std::string> TraceEvents::conflicts() const {
  std::vector<std::string> found;
  std::vector<const ShownSlice*> holds;
  for (const ShownSlice& slice : slices_)
    if (slice.args.contains("client") && slice.args.contains("mode")) holds.push_back(&slice);
  for (std::size_t i = 0; i < holds.size(); ++i)
    for (std::size_t k = i + 1; k < holds.size(); ++k) {
      const ShownSlice& a = *holds[i];
      const ShownSlice& b = *holds[k];
      const bool exclusive = a.args["mode"] == "exclusive" || b.args["mode"] == "exclusive" ||
                             (a.args["mode"] == "update" && b.args["mode"] == "update");
      if (exclusive && a.args["lock"] == b.args["lock"] && a.from < b.to && b.from < a.to &&
          share_units(a.args, b.args))
        found.push_back(
            fmt::format("lock {}: {} and {}", dump_json(a.args["lock"]), a.name, b.name));
    }
  return found;
}

std::vector<Json> TraceEvents::instants(const std::string& name) const {
  std::vector<Json> found;
  for (const Json& event : trace_["traceEvents"])
    if (event["ph"] == "i" && event["name"] == name) found.push_back(event);
  return found;
}

std::vector<std::pair<double, double>> TraceEvents::arrows() const {
  std::map<std::uint64_t, double> begun;
  std::vector<std::pair<double, double>> found;
  for (const Json& event : trace_["traceEvents"]) {
    if (event["ph"] == "s") begun[event["id"]] = event["ts"];
    if (event["ph"] != "f") continue;
    EXPECT_EQ(event["bp"], "e");
    EXPECT_EQ(begun.count(event["id"]), 1U) << "an arrow from nowhere: " << event;
    found.emplace_back(begun[event["id"]], event["ts"]);
  }
  return found;
}

std::uint64_t TraceEvents::track_named(const std::string& name) const {
  for (const Json& event : trace_["traceEvents"])
    if (event["ph"] == "M" && event["name"] == "thread_name" && event["args"]["name"] == name)
      return event["tid"];
  return 0;
}

}  // namespace latchlab::exporting
