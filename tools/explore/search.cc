#include "tools/explore/search.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/base/paths.h"
#include "tools/explore/checkpoint.h"
#include "tools/explore/choosers.h"
#include "tools/explore/store.h"
#include "tools/explore/trace.h"

namespace latchlab::explore {

namespace {

constexpr std::uint64_t kTick = 4'096;        // states between two reads of the clock
constexpr std::chrono::minutes kKeptEach{5};  // of checkpoints
// Twice the deepest stack of a step that was seen (3.8 KB).
constexpr std::size_t kScrubbed = 8 * 1024;

// Clears the stack below, so that leftovers of earlier steps do not get into what the next step
// stores.
[[gnu::noinline]] void scrub_stack() {
  unsigned char below[kScrubbed];
  std::memset(below, 0, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory");  // keeps the stores alive
}

// What a checkpoint is of.
std::string searched(const Case& setup, const SearchBounds& bounds) {
  return case_json(setup) + (bounds.compact ? " compact" : "");
}

class Pass {
 public:
  Pass(const Case& setup, const SearchBounds& bounds, const Protocol& protocol,
       explorer::SearchSupport& support, const std::function<bool(const Progress&)>& watch)
      : bounds_(bounds),
        watch_(watch),
        facts_(support.facts),
        model_(setup, protocol, support),
        snapshot_(support.arenas, support.facts),
        states_(support.arenas.count() + (bounds.match ? 0 : 1), bounds.compact),
        began_(std::chrono::steady_clock::now()) {}

  // `before`: where to go on.
  SearchResult run(std::optional<Checkpoint> before) {
    enter(0, {}, true);
    StateId state = 0;
    if (before) state = resume(std::move(*before));
    for (; state < states_.count() && !over(state); ++state) expand(state);
    if (!result_.cut.empty()) keep(state);
    if (result_.cut.empty() && !bounds_.compact) find_stuck();
    result_.chance_of_a_miss = states_.chance_of_a_miss();
    result_.only_case_bounds_cut = result_.cut.empty() && case_bound_reached_;
    if (result_.only_case_bounds_cut) result_.cut = model_.what_cut();
    result_.states = states_.count();
    result_.memory_bytes = snapshot_.bytes() + states_.bytes() +
                           edges_.size() * sizeof(SearchEdge) + origins_.size() * sizeof(Origin);
    result_.exhausted = result_.cut.empty();
    return std::move(result_);
  }
  std::vector<SearchEdge> take_edges() { return std::move(edges_); }

 private:
  // Makes the states of the checkpoint again, in order. If they are not the same, because another
  // build has other frames, the search begins anew. Returns the first state that is not expanded.
  StateId resume(Checkpoint before) {
    resuming_ = true;
    result_.transitions = before.transitions;
    result_.terminals = before.terminals;
    case_bound_reached_ = before.case_bound_reached;
    result_.terminal.insert(before.terminal.begin(), before.terminal.end());
    result_.counterexamples = std::move(before.counterexamples);
    for (const std::string& label : before.reached) paths::reached_elsewhere(label);
    std::vector<Choice> choices;
    StateId loaded = ~StateId{0};
    for (StateId state = 1; state < before.origins.size(); ++state) {
      const Origin& origin = before.origins[state];
      if (origin.parent >= state) return forget_all();
      if (origin.parent != loaded) {
        loaded = origin.parent;
        states_.forget_before(loaded);
        snapshot_.load(row_of(loaded));
        choices = model_.choices();
      }
      if (origin.choice >= choices.size()) return forget_all();
      const auto inner = before.inner.find(state);
      const Move move = {origin.choice, inner == before.inner.end() ? std::vector<std::uint32_t>{}
                                                                    : inner->second};
      ScriptedChooser chooser(move.inner);
      snapshot_.restore();
      scrub_stack();
      model_.make(choices[origin.choice], chooser);
      enter(origin.parent, move, false);
      if (states_.count() != state + 1) return forget_all();
      if (state % kTick == 0 && watch_ && !watch_({state, before.origins.size() - state}))
        result_.cut = "interrupted";
      if (!result_.cut.empty()) return static_cast<StateId>(before.expanded);
    }
    resuming_ = false;
    good_ = std::move(before.good);
    edges_ = std::move(before.edges);
    began_ = kept_ = std::chrono::steady_clock::now();  // a bound on time is for new states
    return static_cast<StateId>(before.expanded);
  }

  StateId forget_all() {
    resuming_ = false;
    case_bound_reached_ = false;
    result_ = {};
    states_.clear();
    origins_.clear();
    inner_.clear();
    good_.clear();
    edges_.clear();
    snapshot_.load(first_);
    enter(0, {}, true);
    return 0;
  }

  // `expanded`: the states before it are.
  void keep(StateId expanded) {
    if (bounds_.checkpoint.empty() || facts_.grown() || expanded == 0 || resuming_) return;
    Checkpoint checkpoint;
    const Case& setup = model_.setup();
    checkpoint.setup = searched(setup, bounds_);
    checkpoint.facts = facts_;
    checkpoint.expanded = expanded;
    checkpoint.case_bound_reached = case_bound_reached_;
    checkpoint.origins = origins_;
    checkpoint.inner = inner_;
    checkpoint.good = good_;
    checkpoint.edges = edges_;
    checkpoint.transitions = result_.transitions;
    checkpoint.terminals = result_.terminals;
    checkpoint.terminal.assign(result_.terminal.begin(), result_.terminal.end());
    checkpoint.counterexamples = result_.counterexamples;
    checkpoint.reached = paths_taken(setup.protocol);
    const Status written = write_checkpoint(bounds_.checkpoint, checkpoint);
    if (!written) result_.cut = "the checkpoint could not be written: " + written.error().message;
    kept_ = std::chrono::steady_clock::now();
  }

  std::span<const BlobId> row_of(StateId state) {
    return states_.row(state).first(model_.arenas().count());
  }

  bool over(StateId state) {
    const bool found =
        !result_.counterexamples.empty() && ends(result_.counterexamples.back().violation);
    if (facts_.grown()) result_.cut = "it begins again";
    if (bounds_.first_only && found) result_.cut = "the first finding ends the search";
    if (bounds_.states > 0 && states_.count() >= bounds_.states)
      result_.cut = "the bound on states was reached";
    if (state % kTick == 0) {
      const auto spent = std::chrono::steady_clock::now() - began_;
      const auto limit = std::chrono::milliseconds(bounds_.milliseconds);
      if (bounds_.milliseconds > 0 && spent > limit) result_.cut = "the bound on time was reached";
      if (watch_ && !watch_({states_.count(), states_.count() - state}))
        result_.cut = "interrupted";
      if (std::chrono::steady_clock::now() - kept_ > kKeptEach) keep(state);
    }
    return !result_.cut.empty();
  }

  // Adds the model's present state if it is new.
  void enter(StateId parent, const Move& move, bool root) {
    snapshot_.intern(row_);
    if (root) first_ = row_;
    if (!bounds_.match) row_.push_back(static_cast<BlobId>(states_.count()));
    const auto [state, fresh] = states_.intern(row_);
    if (!root && !bounds_.compact) edges_.push_back({parent, state});
    if (!fresh) return;
    origins_.push_back({parent, move.choice});
    if (!move.inner.empty()) inner_.emplace(state, move.inner);
    good_.push_back(model_.finished() ? 1 : 0);
  }

  void expand(StateId state) {
    states_.forget_before(state);
    snapshot_.load(row_of(state));
    if (const Violation violation = model_.violation(false); violation != Violation::nothing) {
      report(violation, state);
      if (ends(violation)) {
        good_[state] = 1;  // reported once: not also as missing progress
        return;
      }
    }
    const std::vector<Choice> choices = model_.choices();
    if (model_.cut()) {
      case_bound_reached_ = true;
      good_[state] = 1;  // what follows is not known
    }
    if (choices.empty()) {
      if (model_.cut()) return;
      ++result_.terminals;
      result_.terminal.insert(model_.entry());
      if (const Violation violation = model_.violation(true); violation != Violation::nothing) {
        report(violation, state);
        good_[state] = 1;
      }
      return;
    }
    for (std::uint32_t i = 0; i < choices.size(); ++i) try_all(state, i, choices[i]);
  }

  void try_all(StateId state, std::uint32_t index, const Choice& choice) {
    Odometer inner;
    do {
      inner.restart();
      snapshot_.restore();
      scrub_stack();
      model_.make(choice, inner);
      ++result_.transitions;
      enter(state, {index, inner.values()}, false);
    } while (inner.advance());
  }

  std::vector<Move> path_to(StateId state) const {
    std::vector<Move> path;
    for (; state != 0; state = origins_[state].parent) {
      const auto inner = inner_.find(state);
      path.push_back({origins_[state].choice,
                      inner == inner_.end() ? std::vector<std::uint32_t>{} : inner->second});
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  void report(Violation violation, StateId state) {
    for (const Counterexample& known : result_.counterexamples)
      if (known.violation == violation) return;
    result_.counterexamples.push_back({violation, model_.describe(violation), path_to(state)});
  }

  // Finds states from which no state is reachable in which all live clients have finished.
  void find_stuck() {
    std::vector<std::uint32_t> begin(states_.count() + 1);
    for (const SearchEdge& edge : edges_) ++begin[edge.to + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<StateId> sources(edges_.size());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (const SearchEdge& edge : edges_) sources[next[edge.to]++] = edge.from;
    std::vector<StateId> open;
    for (StateId state = 0; state < good_.size(); ++state)
      if (good_[state] != 0) open.push_back(state);
    while (!open.empty()) {
      const StateId state = open.back();
      open.pop_back();
      for (std::uint32_t i = begin[state]; i < begin[state + 1]; ++i) {
        if (good_[sources[i]] != 0) continue;
        good_[sources[i]] = 1;
        open.push_back(sources[i]);
      }
    }
    const auto stuck = std::find(good_.begin(), good_.end(), 0);
    if (stuck == good_.end()) return;
    const auto state = static_cast<StateId>(stuck - good_.begin());
    snapshot_.load(row_of(state));
    report(Violation::no_progress, state);
  }

  const SearchBounds& bounds_;
  const std::function<bool(const Progress&)>& watch_;
  const explorer::SearchFacts& facts_;
  SearchModel model_;
  Snapshot snapshot_;
  StateStore states_;
  std::vector<BlobId> first_;  // the row of the first state
  bool case_bound_reached_ = false;
  bool resuming_ = false;        // the states of a checkpoint are being made
  std::vector<Origin> origins_;  // by state
  std::map<StateId, std::vector<std::uint32_t>> inner_;  // if choices were made within the move
  std::vector<char> good_;                               // the end is reachable
  std::vector<SearchEdge> edges_;
  std::vector<BlobId> row_;
  SearchResult result_;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point kept_ = began_;  // the last checkpoint
};

}  // namespace

std::vector<std::string> paths_taken(const std::string& protocol) {
  std::vector<std::string> taken;
  for (const paths::PathState& path : paths::all(protocol + ": "))
    if (path.reached) taken.emplace_back(path.label);
  return taken;
}

SearchResult search(const Case& setup, const SearchBounds& bounds,
                    const std::function<bool(const Progress&)>& watch) {
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  std::optional<Checkpoint> before;
  if (!bounds.checkpoint.empty())
    before =
        read_checkpoint(bounds.checkpoint, case_json(setup) + (bounds.compact ? " compact" : ""));
  const explorer::SearchFacts known = before ? before->facts : explorer::SearchFacts{};
  return until_facts_stand(
      [&](explorer::SearchSupport& support) {
        Pass pass(setup, bounds, *protocol, support, watch);
        return pass.run(std::exchange(before, std::nullopt));
      },
      known);
}

SearchGraph search_graph(const Case& setup, const SearchBounds& bounds) {
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  const std::function<bool(const Progress&)> unwatched;
  return until_facts_stand([&](explorer::SearchSupport& support) {
    Pass pass(setup, bounds, *protocol, support, unwatched);
    SearchGraph graph;
    static_cast<SearchResult&>(graph) = pass.run(std::nullopt);
    graph.edges = pass.take_edges();
    return graph;
  });
}

}  // namespace latchlab::explore
