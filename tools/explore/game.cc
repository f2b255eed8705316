
#include "tools/explore/game.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/json.h"
#include "core/protocols/registry.h"
#include "tools/explore/replay.h"
#include "tools/explore/trace.h"

namespace latchlab::explore {

namespace {

// ---- the planted lock ----

// planted: a lock that is wrong on purpose, for a class to break. It is not part of the build's
// locks: no list, ranking or scenario contains it.
//
// Entry    8 bytes: the next ticket in the lower, the served ticket in the upper 32 bits. All
//          clients draw tickets by FAA; the holder serves the next one by WRITE.
// Acquire  FAA 1, which returns the ticket. Then READ until that ticket is served.
// Release  READ the word, WRITE it with the upper half incremented.
// Unsafe   because the READ and the WRITE of a release are two verbs, and an atomic is atomic only
//          with other atomics. A ticket drawn in between is lost, or the WRITE is.
constexpr const char* kPlantedLock = "planted";

constexpr std::uint64_t kOneCall = 1ULL << 32;

std::uint32_t next_ticket(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}

std::uint32_t served_ticket(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

class PlantedClient final : public LockClient {
 public:
  explicit PlantedClient(const ClientEnv& env) : verbs_(*env.verbs) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    const Completion drawn = co_await verbs_.fetch_add(want.lock.entry, 1);
    const std::uint32_t ticket = next_ticket(drawn.value.lo);
    if (ticket == served_ticket(drawn.value.lo)) co_return Grant(want);
    RemoteWait called;
    called.add(read_verb(want.lock.entry));
    called.classify = [ticket](const ProbeValues& seen) {
      return served_ticket(seen[0].lo) == ticket ? latchlab::Verdict::done
                                                 : latchlab::Verdict::pending;
    };
    co_await verbs_.await_remote(called);
    co_return Grant(want);
  }
  Task<ReleaseResult> release(Grant grant) override {
    const Completion seen = co_await verbs_.read(grant.lock.entry);
    co_await verbs_.write(grant.lock.entry, seen.value.lo + kOneCall);
    co_return ReleaseResult::released;
  }

 private:
  Verbs& verbs_;
};

class Planted final : public Protocol {
 public:
  Layout layout(const Shape& /*shape*/) const override { return {}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<PlantedClient>(env);
  }
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    return next_ticket(words[0]) == served_ticket(words[0]);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return "next=" + std::to_string(next_ticket(words[0])) +
           " serving=" + std::to_string(served_ticket(words[0]));
  }
};

// Registers it, once. Not while another thread looks up protocols.
void register_planted_lock() {
  if (find_protocol(kPlantedLock) != nullptr) return;
  ProtocolEntry entry;
  entry.info.name = kPlantedLock;
  entry.info.summary = "tickets, called by READ and WRITE: wrong on purpose, for lessons";
  entry.info.source = "none";
  entry.info.profiles = {{"only", "the only one", {}}};
  entry.make = [](const ParamSet&) -> std::unique_ptr<Protocol> {
    return std::make_unique<Planted>();
  };
  const Status added = register_protocol(std::move(entry));
  LATCHLAB_CHECK(added.ok(), "the planted lock is a lock");
}

// ---- the game ----
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
  return parse_json(replay_json(trace).text);
}

Json state_json(const Trace& trace, std::span<const SearchEdge> edges) {
  Json state;
  {
    ReplayContext context(trace);
    follow(*context.model, trace.counterexample.path);
    const bool terminal = context.model->choices().empty();
    if (const Violation violation = context.model->violation(terminal);
        violation != Violation::nothing) {
      state["wrong"] = name_of(violation);
      state["text"] = context.model->describe(violation);
    }
  }
  state["moves"] = Json::array();
  for (const SearchEdge& edge : edges) {
    Trace longer = trace;
    longer.counterexample.path.push_back({static_cast<std::uint32_t>(state["moves"].size()), {}});
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
  LATCHLAB_CHECK(setup.crashes == 0, "a move has no choices within it");
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
    trace.counterexample.path = paths[id];
    json["states"].push_back(state_json(trace, {edge, end}));
    edge = end;
  }
  json["shortest"] = Json::array();
  if (!found.counterexamples.empty())
    for (const Move& move : found.counterexamples.front().path)
      json["shortest"].push_back(move.choice);
  return dump_json(json);
}

}  // namespace latchlab::explore
