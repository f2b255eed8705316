#pragma once
// Makes the moves of a trace again and reports them to a listener.

#include <cstddef>
#include <memory>

#include "tools/explore/trace.h"
#include "tools/explore/universe.h"

namespace latchlab::explore {

// Is told of each move before it is made, of its steps, and after all of them are made.
class Audience : public StepListener {
 public:
  virtual void move(std::size_t number, const Choice& choice) = 0;
  virtual void moved() = 0;
  // The next move of the trace is a choice that does not exist: the replay ends here.
  virtual void no_such_choice(std::size_t number, std::size_t asked, std::size_t choices) = 0;
};

// The model of a trace's case, in its initial state.
struct Stage {
  explicit Stage(const Trace& trace);

  explorer::SearchSupport support;
  std::unique_ptr<Protocol> protocol;
  std::unique_ptr<Universe> universe;
};

// Whether the replay ends as the trace says. `universe` is that of the trace's case, in its initial
// state.
bool play(const Trace& trace, Universe& universe, Audience& audience);

}  // namespace latchlab::explore
