#include "tools/explore/search.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>

#include "core/base/check.h"
#include "tools/explore/choosers.h"
#include "tools/explore/store.h"

namespace latchlab::explore {

namespace {

constexpr std::uint64_t kTick = 4'096;  // states between two reads of the clock
// Twice the deepest stack of a step that was seen (3.8 KB).
constexpr std::size_t kScrubbed = 8 * 1024;

// Clears the stack below, so that leftovers of earlier steps do not get into what the next step
// stores.
[[gnu::noinline]] void scrub_stack() {
  unsigned char below[kScrubbed];
  std::memset(below, 0, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory");  // keeps the stores alive
}

class Pass {
 public:
  Pass(const Case& setup, const SearchBounds& bounds, const Protocol& protocol,
       explorer::SearchSupport& support, const std::function<bool(const Progress&)>& watch)
      : bounds_(bounds),
        watch_(watch),
        model_(setup, protocol, support),
        snapshot_(support.arenas, support.facts),
        states_(support.arenas.count() + (bounds.match ? 0 : 1)),
        began_(std::chrono::steady_clock::now()) {}

  SearchResult run() {
    enter(0, {}, true);
    for (StateId state = 0; state < states_.count() && !over(state); ++state) expand(state);
    if (result_.cut.empty() || case_bound_reached()) find_stuck();
    result_.only_case_bounds_cut = case_bound_reached();
    result_.states = states_.count();
    result_.memory_bytes = snapshot_.bytes() + states_.bytes() + edges_.size() * sizeof(SearchEdge);
    result_.exhausted = result_.cut.empty();
    return std::move(result_);
  }
  std::vector<SearchEdge> take_edges() { return std::move(edges_); }

 private:
  struct Origin {
    StateId parent = 0;
    std::uint32_t choice = 0;
  };

  bool over(StateId state) {
    const bool found =
        !result_.counterexamples.empty() && ends(result_.counterexamples.back().violation);
    if (bounds_.first_only && found) result_.cut = "the first finding ends the search";
    if (bounds_.states > 0 && states_.count() >= bounds_.states)
      result_.cut = "the bound on states was reached";
    if (state % kTick == 0) {
      const auto spent = std::chrono::steady_clock::now() - began_;
      const auto limit = std::chrono::milliseconds(bounds_.milliseconds);
      if (bounds_.milliseconds > 0 && spent > limit) result_.cut = "the bound on time was reached";
      if (watch_ && !watch_({states_.count(), states_.count() - state}))
        result_.cut = "interrupted";
    }
    return !result_.cut.empty() && !case_bound_reached();
  }
  bool case_bound_reached() const { return result_.cut == model_.what_cut(); }

  // Adds the model's present state if it is new.
  void enter(StateId parent, const Move& move, bool root) {
    snapshot_.intern(row_);
    if (!bounds_.match) row_.push_back(static_cast<BlobId>(states_.count()));
    const auto [state, fresh] = states_.intern(row_);
    if (!root) edges_.push_back({parent, state});
    if (!fresh) return;
    origins_.push_back({parent, move.choice});
    if (!move.inner.empty()) inner_.emplace(state, move.inner);
    good_.push_back(model_.finished() ? 1 : 0);
  }

  void expand(StateId state) {
    snapshot_.load(states_.row(state).first(model_.arenas().count()));
    if (const Violation violation = model_.violation(false); violation != Violation::nothing) {
      report(violation, state);
      if (ends(violation)) {
        good_[state] = 1;  // reported once: not also as missing progress
        return;
      }
    }
    const std::vector<Choice> choices = model_.choices();
    if (model_.cut()) {
      result_.cut = model_.what_cut();
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
    snapshot_.load(states_.row(state).first(model_.arenas().count()));
    report(Violation::no_progress, state);
  }

  const SearchBounds& bounds_;
  const std::function<bool(const Progress&)>& watch_;
  SearchModel model_;
  Snapshot snapshot_;
  StateStore states_;
  std::vector<Origin> origins_;                          // by state
  std::map<StateId, std::vector<std::uint32_t>> inner_;  // if choices were made within the move
  std::vector<char> good_;                               // the end is reachable
  std::vector<SearchEdge> edges_;
  std::vector<BlobId> row_;
  SearchResult result_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace

SearchResult search(const Case& setup, const SearchBounds& bounds,
                    const std::function<bool(const Progress&)>& watch) {
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  return until_facts_stand([&](explorer::SearchSupport& support) {
    return Pass(setup, bounds, *protocol, support, watch).run();
  });
}

SearchGraph search_graph(const Case& setup, const SearchBounds& bounds) {
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  const std::function<bool(const Progress&)> unwatched;
  return until_facts_stand([&](explorer::SearchSupport& support) {
    Pass pass(setup, bounds, *protocol, support, unwatched);
    SearchGraph graph;
    static_cast<SearchResult&>(graph) = pass.run();
    graph.edges = pass.take_edges();
    return graph;
  });
}

}  // namespace latchlab::explore
