#pragma once
// A step as the JSON of a replay reports it; docs/export.md describes the keys.

#include <span>
#include <string>
#include <vector>

#include "backends/explorer/slots.h"
#include "core/world/address_map.h"
#include "tools/explore/universe.h"

namespace latchlab::explore {

// In hex, the word at the lowest address first.
std::vector<std::string> hex_words(std::span<const std::uint64_t> words);

// The words of a node's memory that a step reads or writes; none: count is 0.
struct TouchedWords {
  RemoteAddr addr;
  std::uint32_t count = 0;
  const Verb* atomic = nullptr;  // its comparison tells whether it matched
  bool writes = false;           // or may write
};
TouchedWords touched_by(const explorer::Step& step);

class StepJson {
 public:
  // `universe` and its world must outlive this.
  explicit StepJson(Universe& universe);

  // The actor and its step as an object; called before the step is made.
  std::string of(const explorer::Step& step) const;
  // The words in memory; empty: the memory does not exist.
  std::vector<std::uint64_t> peek(const TouchedWords& touched) const;

 private:
  Universe& universe_;
  AddressMap places_;
};

}  // namespace latchlab::explore
