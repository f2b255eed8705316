#include "tools/explore/walk.h"

#include <algorithm>
#include <chrono>

#include "backends/explorer/state.h"
#include "core/base/random.h"
#include "tools/explore/choosers.h"
#include "tools/explore/describe.h"
#include "tools/explore/store.h"

namespace latchlab::explore {

namespace {

constexpr std::uint64_t kFaultOdds = 48;   // one choice in this many is a fault, if one is possible
constexpr std::uint64_t kStruckOdds = 16;  // the same with pct
// With pct, one fault in this many may strike any client.
constexpr std::uint64_t kAnyFaultOdds = 8;
constexpr std::size_t kPriorityChanges = 3;  // of one walk
constexpr std::uint64_t kFirstLength = 64;   // of walks, until one has been made
constexpr std::uint64_t kWalksPerLook = 64;  // walks between two reads of the clock

class RandomInner final : public Chooser {
 public:
  explicit RandomInner(Rng& rng) : rng_(rng) {}
  void restart() { values_.clear(); }
  const std::vector<std::uint32_t>& values() const { return values_; }

 private:
  std::size_t pick(std::span<const std::uint32_t> owners) override {
    const explorer::ArenaScope heap(nullptr);
    values_.push_back(static_cast<std::uint32_t>(rng_.below(owners.size())));
    return values_.back();
  }
  Rng& rng_;
  std::vector<std::uint32_t> values_;
};

// A model that returns to its initial state as often as needed.
class WalkContext {
 public:
  WalkContext(const Case& setup, const Protocol& protocol, explorer::SearchSupport& support)
      : model(setup, protocol, support), snapshot_(support.arenas, support.facts) {
    snapshot_.intern(start_);
  }
  void restart() {
    snapshot_.load(start_);
    snapshot_.intern(now_);
    snapshot_.restore();
  }
  SearchModel model;

 private:
  Snapshot snapshot_;
  std::vector<BlobId> start_;
  std::vector<BlobId> now_;
};

class Picker {
 public:
  Picker(Strategy strategy, Rng& rng, std::uint64_t length) : strategy_(strategy), rng_(rng) {
    salt_ = rng_.next();
    for (std::uint64_t& at : changes_) at = rng_.below(length);
  }

  std::size_t pick(const std::vector<Choice>& choices, std::uint64_t depth) {
    const auto is_step = [](const Choice& c) {
      return c.kind == Choice::Kind::step || c.kind == Choice::Kind::timeout;
    };
    const auto steps =  // steps come first
        static_cast<std::size_t>(std::count_if(choices.begin(), choices.end(), is_step));
    const std::size_t faults = choices.size() - steps;
    const std::uint64_t odds = strategy_ == Strategy::pct ? kStruckOdds : kFaultOdds;
    if (steps == 0 || (faults > 0 && rng_.below(odds) == 0)) return fault(choices, steps);
    if (strategy_ == Strategy::random) return rng_.below(steps);
    const std::size_t picked = step_by_priority(choices, steps, depth);
    const explorer::Actor& mover = *choices[picked].step.actor;
    in_front_ = mover.kind() == ActorKind::client ? std::optional(mover.client()) : std::nullopt;
    return picked;
  }

 private:
  // With pct, mostly a fault of the client that has just moved, or a resumption.
  std::size_t fault(const std::vector<Choice>& choices, std::size_t steps) {
    const auto all = choices.size();
    if (strategy_ == Strategy::random) return steps + rng_.below(all - steps);
    std::vector<std::size_t> likely;
    for (std::size_t i = steps; i < all; ++i)
      if (choices[i].kind == Choice::Kind::resume || victim(choices[i]) == in_front_)
        likely.push_back(i);
    if (likely.empty() || rng_.below(kAnyFaultOdds) == 0) return steps + rng_.below(all - steps);
    return likely[rng_.below(likely.size())];
  }
  std::size_t step_by_priority(const std::vector<Choice>& choices, std::size_t steps,
                               std::uint64_t depth) {
    // At a point of change the actor in front gets the lowest priority.
    const std::size_t front = first_by_priority(choices, steps);
    if (std::find(changes_.begin(), changes_.end(), depth) == changes_.end()) return front;
    demoted_.push_back(owner(choices[front]));
    return first_by_priority(choices, steps);
  }

  // The client that a fault strikes; none: a part of a node.
  static std::optional<ClientId> victim(const Choice& choice) {
    if (choice.kind != Choice::Kind::cut) return choice.victim;
    const explorer::Actor& actor = *choice.step.actor;
    return actor.kind() == ActorKind::client ? std::optional(actor.client()) : std::nullopt;
  }
  static std::uint32_t owner(const Choice& choice) { return choice.step.actor->index(); }
  std::uint64_t priority(std::uint32_t owner) const {
    const auto at = std::find(demoted_.rbegin(), demoted_.rend(), owner);
    if (at != demoted_.rend()) return static_cast<std::uint64_t>(at - demoted_.rbegin());
    return kPriorityChanges + 1 + (hash_of(salt_, owner) >> 8);
  }
  std::size_t first_by_priority(const std::vector<Choice>& choices, std::size_t steps) {
    std::size_t best = 0;
    std::size_t equal = 1;
    for (std::size_t i = 1; i < steps; ++i) {
      const std::uint64_t mine = priority(owner(choices[i]));
      const std::uint64_t other = priority(owner(choices[best]));
      if (mine < other) continue;
      equal = mine > other ? 1 : equal + 1;
      if (mine > other || rng_.below(equal) == 0) best = i;
    }
    return best;
  }

  Strategy strategy_;
  Rng& rng_;
  std::uint64_t salt_ = 0;
  std::array<std::uint64_t, kPriorityChanges> changes_ = {};
  std::vector<std::uint32_t> demoted_;  // the latest, which has the lowest priority, last
  std::optional<ClientId> in_front_;    // the client that made the last step, if it was a client
};

struct Walked {
  std::optional<Counterexample> counterexample;
  std::uint64_t steps = 0;
  bool unfinished = false;
};

Walked walk_once(WalkContext& context, Strategy strategy, std::uint64_t seed, std::uint64_t length,
                 std::uint64_t most) {
  SearchModel& model = context.model;
  context.restart();
  Rng rng(seed, 0, StreamPurpose::schedule);
  Picker picker(strategy, rng, length);
  RandomInner inner(rng);
  Walked walked;
  std::vector<Move> path;
  for (; walked.steps < most; ++walked.steps) {
    const std::vector<Choice> choices = model.choices();
    const Violation violation = model.violation(choices.empty() && !model.cut());
    if (ends(violation) || (violation != Violation::nothing && !walked.counterexample))
      walked.counterexample = Counterexample{violation, model.describe(violation), path};
    if (ends(violation) || choices.empty()) return walked;
    const std::size_t picked = picker.pick(choices, walked.steps);
    inner.restart();
    model.make(choices[picked], inner);
    path.push_back({static_cast<std::uint32_t>(picked), inner.values()});
  }
  walked.unfinished = true;
  return walked;
}

WalkResult walk_pass(const Case& setup, const Protocol& protocol, Strategy strategy,
                     const WalkBounds& bounds, explorer::SearchSupport& support,
                     const std::function<bool(std::uint64_t)>& watch) {
  const auto began = std::chrono::steady_clock::now();
  WalkContext context(setup, protocol, support);
  WalkResult result;
  std::uint64_t length = kFirstLength;
  const auto worst_found = [&result] {
    return result.counterexample && ends(result.counterexample->violation);
  };
  while (result.walks < bounds.walks && !worst_found()) {
    if (result.walks % kWalksPerLook == 0) {
      const auto limit = std::chrono::milliseconds(bounds.milliseconds);
      const bool late = std::chrono::steady_clock::now() - began > limit;
      if (bounds.milliseconds > 0 && late) break;
      if (watch && !watch(result.walks)) break;
    }
    const std::uint64_t seed = hash_of(bounds.seed, ++result.walks);
    Walked walked = walk_once(context, strategy, seed, length, bounds.steps);
    length = std::max(length, walked.steps);
    result.steps += walked.steps;
    result.unfinished += walked.unfinished ? 1 : 0;
    if (!walked.counterexample ||
        (result.counterexample && !ends(walked.counterexample->violation)))
      continue;
    result.found_by = result.walks;
    result.counterexample = std::move(walked.counterexample);
  }
  return result;
}

// A move, identified by what it does and not by its place among the choices.
struct Intent {
  std::uint64_t likeness = 0;
  std::vector<std::uint32_t> inner;
};

// Makes those of `intents` that are possible, in order; returns the moves if they end in the same
// violation.
std::optional<Counterexample> try_out(WalkContext& context, const std::vector<Intent>& intents,
                                      Violation wanted) {
  SearchModel& model = context.model;
  context.restart();
  std::vector<Move> path;
  for (std::size_t i = 0;; ++i) {
    const std::vector<Choice> choices = model.choices();
    const Violation violation = model.violation(choices.empty() && !model.cut());
    if (violation == wanted)
      return Counterexample{violation, model.describe(violation), std::move(path)};
    if (ends(violation) || choices.empty()) return std::nullopt;
    std::size_t picked = choices.size();
    for (; i < intents.size() && picked == choices.size(); ++i)
      for (std::size_t c = 0; c < choices.size() && picked == choices.size(); ++c)
        if (likeness(choices[c]) == intents[i].likeness) picked = c;
    if (picked == choices.size()) return std::nullopt;
    --i;
    ScriptedChooser inner(intents[i].inner);
    model.make(choices[picked], inner);
    path.push_back({static_cast<std::uint32_t>(picked), intents[i].inner});
  }
}

std::vector<Intent> intents_of(WalkContext& context, const std::vector<Move>& path) {
  context.restart();
  std::vector<Intent> intents;
  for (const Move& move : path) {
    const std::vector<Choice> choices = context.model.choices();
    LATCHLAB_CHECK(move.choice < choices.size(), "a path fits the model that it was found in");
    intents.push_back({likeness(choices[move.choice]), move.inner});
    ScriptedChooser inner(move.inner);
    context.model.make(choices[move.choice], inner);
  }
  return intents;
}

}  // namespace

WalkResult walk(const Case& setup, Strategy strategy, const WalkBounds& bounds,
                const std::function<bool(std::uint64_t)>& watch) {
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  WalkResult result = until_facts_stand([&](explorer::SearchSupport& support) {
    return walk_pass(setup, *protocol, strategy, bounds, support, watch);
  });
  if (result.counterexample)
    result.counterexample = minimised(setup, *result.counterexample, result.facts);
  return result;
}

Counterexample minimised(const Case& setup, const Counterexample& counterexample,
                         const explorer::SearchFacts& facts) {
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  explorer::SearchSupport support;
  support.facts = facts;
  WalkContext context(setup, *protocol, support);
  Counterexample best = counterexample;
  std::vector<Intent> intents = intents_of(context, best.path);
  for (std::size_t piece = std::max<std::size_t>(intents.size() / 2, 1); piece > 0; piece /= 2) {
    for (std::size_t at = 0; at + piece <= intents.size();) {
      std::vector<Intent> shorter = intents;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(at),
                    shorter.begin() + static_cast<std::ptrdiff_t>(at + piece));
      const std::optional<Counterexample> found =
          try_out(context, shorter, counterexample.violation);
      if (!found || found->path.size() >= best.path.size()) {
        at += piece;
        continue;
      }
      best = *found;
      intents = intents_of(context, best.path);
    }
  }
  return best;
}

}  // namespace latchlab::explore
