// Problems of the paths between nodes.

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "tools/latchlab/hardware/fabric.h"

namespace latchlab::tool {

namespace {

using WayEnd = ib::WayReport::End;

struct BadWay {
  std::uint32_t from = 0, to = 0;
  const ib::WayReport* report = nullptr;
};

std::vector<BadWay> bad_ways(const std::vector<FabricNode>& nodes) {
  std::vector<BadWay> all;
  for (const FabricNode& from : nodes)
    for (std::uint32_t to = 1; to <= nodes.size(); ++to) {
      // A node without a port is reported by judge_fabric().
      if (to == from.node || !from.trouble.empty() || !nodes[to - 1].trouble.empty()) continue;
      static const ib::WayReport kUnknown{.why = "the node has told nothing of it"};
      const ib::WayReport& way = to <= from.ways.size() ? from.ways[to - 1] : kUnknown;
      if (way.end != WayEnd::fine) all.push_back({from.node, to, &way});
    }
  return all;
}

// Paths that one line can report: all from one node or all to one node, with the same problem.
using GroupKey = std::tuple<bool, std::uint32_t, WayEnd, std::string>;

GroupKey key_of(const BadWay& way, bool from_one) {
  const bool lossy = way.report->end == WayEnd::lossy;  // the reasons differ only in numbers
  return {from_one, from_one ? way.from : way.to, way.report->end, lossy ? "" : way.report->why};
}

const char* remedy(WayEnd end) {
  switch (end) {
    case WayEnd::lossy:
      return "no verb should wait for a second try: PFC or ECN of the switches between (RoCE), "
             "cables, ibqueryerrors";
    case WayEnd::wrong_data:
      return "believe no result of these nodes: firmware, memory of the machine, its PCIe";
    case WayEnd::unreachable:
      return "ping from address to address; RoCE needs UDP port 4791 open, and an MTU that every "
             "switch between has; perftest: ib_read_lat between the two";
    case WayEnd::not_tried:
    case WayEnd::fine:
      break;
  }
  return "put that right first, and ask again";
}

std::string reason(const std::vector<BadWay>& ways) {
  if (ways.front().report->end != WayEnd::lossy) return ways.front().report->why;
  std::uint64_t lost = 0;
  std::uint64_t verbs = 0;
  for (const BadWay& way : ways) {
    lost += way.report->lost;
    verbs += way.report->verbs;
  }
  return fmt::format("{} of {} verbs waited for a packet that was lost", lost, verbs);
}

Line line_of_ways(const std::vector<BadWay>& ways, bool from_one) {
  std::vector<int> others;
  for (const BadWay& way : ways) others.push_back(static_cast<int>(from_one ? way.to : way.from));
  const std::string what =
      fmt::format("{} {}", from_one ? "from" : "to", from_one ? ways[0].from : ways[0].to);
  return {Health::wrong, what,
          fmt::format("{} {}: {}", from_one ? "to" : "from", text_of_nodes(others), reason(ways)),
          remedy(ways.front().report->end)};
}

}  // namespace

Lines judge_ways(const std::vector<FabricNode>& nodes) {
  std::vector<BadWay> bad = bad_ways(nodes);
  Lines lines;
  const auto is_not_tried = [](const BadWay& way) { return way.report->end == WayEnd::not_tried; };
  const auto not_tried = std::find_if(bad.begin(), bad.end(), is_not_tried);
  if (not_tried != bad.end())
    lines.push_back({Health::wrong, "ways",
                     fmt::format("{} of {} were not tried: {}",
                                 std::count_if(not_tried, bad.end(), is_not_tried),
                                 nodes.size() * (nodes.size() - 1), not_tried->report->why),
                     remedy(WayEnd::not_tried)});
  std::erase_if(bad, is_not_tried);
  // Reports the largest remaining group first, so that a bad node yields one line per direction
  // rather than one line per other node.
  while (!bad.empty()) {
    std::map<GroupKey, std::vector<BadWay>> groups;
    for (const BadWay& way : bad)
      for (const bool from_one : {true, false}) groups[key_of(way, from_one)].push_back(way);
    const auto largest = std::max_element(
        groups.begin(), groups.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    const auto& [key, ways] = *largest;
    const bool from_one = std::get<0>(key);
    lines.push_back(line_of_ways(ways, from_one));
    bad.erase(std::remove_if(bad.begin(), bad.end(),
                             [&](const BadWay& way) { return key_of(way, from_one) == key; }),
              bad.end());
  }
  return lines;
}

}  // namespace latchlab::tool
