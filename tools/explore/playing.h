#pragma once
// The moves of a trace made again, before whoever tells of them.

#include <cstddef>
#include <memory>

#include "tools/explore/trace.h"
#include "tools/explore/universe.h"

namespace latchlab::explore {

// Hears of each move before it is made, of its steps, and when all of them are.
class Audience : public StepListener {
 public:
  virtual void move(std::size_t number, const Choice& choice) = 0;
  virtual void moved() = 0;
  // The trace goes on with a choice that there is not: here it ends.
  virtual void no_such_choice(std::size_t number, std::size_t asked, std::size_t choices) = 0;
};

// The universe of a trace's case, in which nothing has happened yet.
struct Stage {
  explicit Stage(const Trace& trace);

  explorer::SearchSupport support;
  std::unique_ptr<Protocol> protocol;
  std::unique_ptr<Universe> universe;
};

// Whether it ends as the trace says. The universe is that of the trace's case, and fresh.
bool play(const Trace& trace, Universe& universe, Audience& audience);

}  // namespace latchlab::explore
