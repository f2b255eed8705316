#pragma once
// Makes the moves of a trace again and reports them to a listener.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/explorer/slots.h"
#include "core/world/address_map.h"
#include "tools/explore/search_model.h"
#include "tools/explore/trace.h"

namespace latchlab::explore {

// Called before each move, before each of its steps, and after all of them are made.
class ReplayListener : public StepListener {
 public:
  virtual void move(std::size_t number, const Choice& choice) = 0;
  virtual void moved() = 0;
  // The next move of the trace is a choice that does not exist: the replay ends here.
  virtual void no_such_choice(std::size_t number, std::size_t asked, std::size_t choices) = 0;
};

// The model of a trace's case, in its initial state.
struct ReplayContext {
  explicit ReplayContext(const Trace& trace);

  explorer::SearchSupport support;
  std::unique_ptr<Protocol> protocol;
  std::unique_ptr<SearchModel> model;
};

// Whether the replay ends as the trace says. `model` is that of the trace's case, in its initial
// state.
bool play(const Trace& trace, SearchModel& model, ReplayListener& listener);

// ---- a step as the JSON of a replay reports it; docs/export.md describes the keys ----

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
  // `model` and its world must outlive this.
  explicit StepJson(SearchModel& model);

  // The actor and its step as an object; called before the step is made.
  std::string of(const explorer::Step& step) const;
  // The words in memory; empty: the memory does not exist.
  std::vector<std::uint64_t> peek(const TouchedWords& touched) const;

 private:
  SearchModel& model_;
  AddressMap places_;
};

}  // namespace latchlab::explore
