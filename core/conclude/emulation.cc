#include "core/conclude/emulation.h"

#include <algorithm>

namespace latchlab {

bool is_of_the_rnic(const std::string& line) {
  for (const char* each : {"reliable_messages:", "datagrams:", "receive_timestamps:"})
    if (line.starts_with(each)) return true;
  return false;
}

namespace {

// The suffix " (mcs)" of a line about a capability that was emulated for mcs alone.
std::string mark_of(const Point& point) {
  return " (" + point.protocol.label + ")";
}

bool is_of_some_label(const Scenario& scenario, const std::string& line) {
  return std::any_of(scenario.points.begin(), scenario.points.end(),
                     [&](const Point& point) { return line.ends_with(mark_of(point)); });
}

}  // namespace

void mark_emulated(const Scenario& scenario, const RunManifest& manifest, StudyOutcome& outcome) {
  const auto add = [](std::string& all, const std::string& more) {
    all += (all.empty() ? "" : "; ") + more;
  };
  outcome.software.clear();
  for (const std::string& device : manifest.software) add(outcome.software, device);
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const std::string mark = mark_of(scenario.points[i]);
    std::string& emulated = outcome.points[i].emulated = outcome.software;
    for (const std::string& line : manifest.emulated) {
      if (is_of_the_rnic(line)) continue;
      if (line.ends_with(mark))
        add(emulated, line.substr(0, line.size() - mark.size()));
      else if (!is_of_some_label(scenario, line))
        add(emulated, line);
    }
  }
}

}  // namespace latchlab
