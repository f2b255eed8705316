#include "tools/explore/game.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "tools/explore/graph.h"
#include "tools/explore/planted_lock.h"
#include "tools/explore/playing.h"
#include "tools/explore/trace.h"

namespace latchlab::explore {

namespace {

using Json = nlohmann::ordered_json;

// For each state, a path from the first one. A search expands states in the order in which it finds
// them, and each state's choices in their order.
std::vector<std::vector<Move>> paths_of(const SearchGraph& found) {
  std::vector<std::vector<Move>> paths(found.states);
  std::uint32_t choice = 0;
  for (std::size_t i = 0; i < found.edges.size(); ++i) {
    const SearchEdge& edge = found.edges[i];
    choice = i > 0 && found.edges[i - 1].from == edge.from ? choice + 1 : 0;
    if (edge.to == 0 || !paths[edge.to].empty()) continue;
    paths[edge.to] = paths[edge.from];
    paths[edge.to].push_back({choice, {}});
  }
  return paths;
}

// The replay of a trace, as JSON.
Json told(const Trace& trace) {
  return Json::parse(replay_json(trace).text);
}

Json state_json(const Trace& trace, std::span<const SearchEdge> edges) {
  Json state;
  {
    Stage stage(trace);
    follow(*stage.universe, trace.finding.path);
    const bool terminal = stage.universe->choices().empty();
    if (const Wrong wrong = stage.universe->wrong(terminal); wrong != Wrong::nothing) {
      state["wrong"] = name_of(wrong);
      state["text"] = stage.universe->describe(wrong);
    }
  }
  state["moves"] = Json::array();
  for (const SearchEdge& edge : edges) {
    Trace longer = trace;
    longer.finding.path.push_back({static_cast<std::uint32_t>(state["moves"].size()), {}});
    Json move = std::move(told(longer)["moves"].back());
    move.erase("move");
    move["to"] = edge.to;
    state["moves"].push_back(std::move(move));
  }
  return state;
}

}  // namespace

Case planted_game() {
  register_planted_lock();
  Case setup;
  setup.protocol = kPlantedLock;
  return setup;
}

Result<std::string> game_json(const Case& setup) {
  LATCHLAB_CHECK(setup.crashes == 0, "nothing is decided inside of a move");
  SearchBounds bounds;
  bounds.states = kMostGameStates;
  const SearchGraph found = search_graph(setup, bounds);
  if (!found.exhausted) return Error{"this is no game: " + found.cut, {}};
  Json json;
  Trace trace{setup, found.facts, {}, {}};
  const Json start = told(trace);
  for (const char* key : {"case", "clients", "start"}) json[key] = start[key];
  json["states"] = Json::array();
  const std::vector<std::vector<Move>> paths = paths_of(found);
  auto edge = found.edges.begin();
  for (std::uint32_t id = 0; id < found.states; ++id) {
    const auto end = std::find_if(edge, found.edges.end(),
                                  [id](const SearchEdge& each) { return each.from != id; });
    trace.finding.path = paths[id];
    json["states"].push_back(state_json(trace, {edge, end}));
    edge = end;
  }
  json["shortest"] = Json::array();
  if (!found.findings.empty())
    for (const Move& move : found.findings.front().path) json["shortest"].push_back(move.choice);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace latchlab::explore
