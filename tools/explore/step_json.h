#pragma once
// What a step is, as a replay's JSON tells it: docs/export.md has the keys.

#include <span>
#include <string>
#include <vector>

#include "backends/explorer/slots.h"
#include "core/world/places.h"
#include "tools/explore/universe.h"

namespace latchlab::explore {

// In hex, the one at the lowest address first.
std::vector<std::string> hex_words(std::span<const std::uint64_t> words);

// Which words a step reads or writes in some node's memory; none: count is 0.
struct TouchedWords {
  RemoteAddr addr;
  std::uint32_t count = 0;
  const Verb* atomic = nullptr;  // its comparison says whether it matched
  bool writes = false;           // or may
};
TouchedWords touched_by(const explorer::Step& step);

class StepJson {
 public:
  // Both outlive it.
  explicit StepJson(Universe& universe);

  // Who is about to do what, as an object: to be asked before it is done.
  std::string of(const explorer::Step& step) const;
  // What memory holds; empty: there is none.
  std::vector<std::uint64_t> peek(const TouchedWords& touched) const;

 private:
  Universe& universe_;
  Places places_;
};

}  // namespace latchlab::explore
