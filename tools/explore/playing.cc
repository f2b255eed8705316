#include "tools/explore/playing.h"

#include "tools/explore/choosers.h"

namespace latchlab::explore {

namespace {

bool ends_as_told(Universe& universe, const Trace& trace) {
  const std::vector<Choice> choices = universe.choices();
  if (universe.entry() != trace.entry) return false;
  if (trace.finding.wrong == Wrong::no_progress) return !universe.finished();
  return universe.wrong(choices.empty() && !universe.cut()) == trace.finding.wrong;
}

}  // namespace

Stage::Stage(const Trace& trace) : protocol(make_protocol(trace.setup)) {
  support.facts = trace.facts;
  universe = std::make_unique<Universe>(trace.setup, *protocol, support);
}

bool play(const Trace& trace, Universe& universe, Audience& audience) {
  universe.listen(&audience);
  std::size_t number = 0;
  for (const Move& move : trace.finding.path) {
    const std::vector<Choice> choices = universe.choices();
    ++number;
    if (move.choice >= choices.size()) {
      audience.no_such_choice(number, move.choice + std::size_t{1}, choices.size());
      return false;
    }
    audience.move(number, choices[move.choice]);
    ScriptedChooser inner(move.inner);
    universe.make(choices[move.choice], inner);
    audience.moved();
  }
  return ends_as_told(universe, trace);
}

}  // namespace latchlab::explore
