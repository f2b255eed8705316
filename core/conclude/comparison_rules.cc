#include <fmt/format.h>

#include <algorithm>

#include "core/conclude/study_comparison.h"

namespace latchlab {
namespace {

constexpr std::size_t kMostNamed = 4;

bool is_below(const std::string& path, const std::string& section) {
  return path == section || path.starts_with(section + ".");
}

// True for a path such as "groups.0.nic.latency.one_way", which belongs to "groups.*.nic".
bool is_hardware_of_a_group(const std::string& path) {
  if (!path.starts_with("groups.")) return false;
  const std::size_t dot = path.find('.', 7);
  if (dot == std::string::npos) return false;
  const std::string rest = path.substr(dot + 1);
  return is_below(rest, "nic") || is_below(rest, "clocks") || is_below(rest, "packet_loss");
}

std::string setting(const RunDifference& difference, bool first_is_simulated) {
  const std::string& value = first_is_simulated ? difference.b : difference.a;
  const bool plain = value.find_first_of(" {}[]\"'") == std::string::npos;
  return fmt::format("--set {}", plain ? difference.path + "=" + value
                                       : "'" + difference.path + "=" + value + "'");
}

}  // namespace

bool may_differ(const std::string& path) {
  static const char* const sections[] = {"platform.nic",
                                         "platform.topology",
                                         "platform.bulk",
                                         "platform.datagrams",
                                         "platform.clocks",
                                         "platform.qps",
                                         "platform.cores",
                                         "platform.core_sharing",
                                         "platform.server_cpu",
                                         "platform.client_link_latency",
                                         "platform.packet_loss",
                                         "platform.switch_queue",
                                         "platform.software",
                                         "run.seed",
                                         "run.repeats",
                                         "run.precision",
                                         "run.precision_of",
                                         "run.most_repeats",
                                         "run.series",
                                         "run.hottest_lock",
                                         "backend",
                                         "version"};
  return path.starts_with("plug-in ") || is_hardware_of_a_group(path) ||
         std::any_of(std::begin(sections), std::end(sections),
                     [&](const char* section) { return is_below(path, section); });
}

Status check_rules(const RunManifest& a, const RunManifest& b,
                   const std::vector<RunDifference>& differences) {
  if (!is_prediction(a, b)) return fine();
  std::vector<const RunDifference*> wrong;
  for (const RunDifference& each : differences)
    if (!may_differ(each.path)) wrong.push_back(&each);
  if (wrong.empty()) return fine();
  const RunDifference& first = *wrong.front();
  std::string text = fmt::format(
      "{} is {} in the first run ({}) and {} in the second ({}): what is measured is "
      "not the same; ",
      first.path, first.a, a.backend, first.b, b.backend);
  // One run lacks this key: another version, or another lock.
  const auto absent = std::find_if(wrong.begin(), wrong.end(), [](const RunDifference* each) {
    return each->a == "-" || each->b == "-";
  });
  if (absent != wrong.end())
    return Error{text + "run both with the same scenario and the same version", {}};
  text += "run the simulation again with";
  const std::size_t named = std::min(wrong.size(), kMostNamed);
  for (std::size_t i = 0; i < named; ++i) text += " " + setting(*wrong[i], is_simulated(a));
  if (wrong.size() > named) text += fmt::format(" and {} more", wrong.size() - named);
  return Error{text, {}};
}

}  // namespace latchlab
