#include "tools/explore/replay.h"

#include <fmt/format.h>

#include "core/scenario/scenario.h"
#include "tools/explore/case_run.h"
#include "tools/explore/choosers.h"
#include "tools/explore/describe.h"

namespace latchlab::explore {

namespace {

bool ends_as_told(SearchModel& model, const Trace& trace) {
  const std::vector<Choice> choices = model.choices();
  if (model.entry() != trace.entry) return false;
  if (trace.counterexample.violation == Violation::no_progress) return !model.finished();
  return model.violation(choices.empty() && !model.cut()) == trace.counterexample.violation;
}

}  // namespace

ReplayContext::ReplayContext(const Trace& trace) : protocol(make_protocol(trace.setup)) {
  support.facts = trace.facts;
  model = std::make_unique<SearchModel>(trace.setup, *protocol, support);
}

bool play(const Trace& trace, SearchModel& model, ReplayListener& listener) {
  model.listen(&listener);
  std::size_t number = 0;
  for (const Move& move : trace.counterexample.path) {
    const std::vector<Choice> choices = model.choices();
    ++number;
    if (move.choice >= choices.size()) {
      listener.no_such_choice(number, move.choice + std::size_t{1}, choices.size());
      return false;
    }
    listener.move(number, choices[move.choice]);
    ScriptedChooser inner(move.inner);
    model.make(choices[move.choice], inner);
    listener.moved();
  }
  return ends_as_told(model, trace);
}

// A replay of a trace as text, step by step.

namespace {

std::string list_of(const Case& setup, const std::vector<ClientId>& holders) {
  std::string text;
  for (const ClientId client : holders)
    text += fmt::format("{}client {}", text.empty() ? "" : ", ", client.value);
  return text.empty() ? "no client" : text + (setup.clients() > 1 ? "" : " alone");
}

std::string verb_of(const Case& setup, std::uint32_t client, std::uint32_t operation) {
  const char letter = setup.letter(client, operation);
  if (letter == '-') return {};
  std::string text = letter == 'S' ? " reads" : letter == 'U' ? " updates" : " writes";
  if (letter == 'P') text = " updates and writes";
  return setup.extents.empty() ? text : text + " " + text_of(setup.extent(client, operation));
}

std::string title(const Trace& trace) {
  const Case& setup = trace.setup;
  std::string text = fmt::format("{}", setup.protocol);
  if (!setup.profile.empty()) text += ", profile " + setup.profile;
  for (const std::string& set : setup.sets) text += ", " + set;
  if (setup.locks > 1) text += fmt::format("\n{} locks, one after the other", setup.locks);
  if (setup.held > 1)
    text += fmt::format(", {} at once{}", setup.held,
                        setup.sorted ? " in their order" : ", client i from lock i on");
  if (setup.servers > 1) text += fmt::format("\n{} servers", setup.servers);
  if (!setup.colocated)
    text += fmt::format("\nnode {} has the lock{}",
                        setup.servers > 1 ? fmt::format("1 to {}", setup.servers) : "1",
                        setup.locks > 1 ? "s" : "");
  text += fmt::format("\n{} clients on {} nodes{}:", setup.clients(), setup.client_nodes,
                      setup.colocated ? ", which are servers too" : "");
  for (std::uint32_t i = 0; i < setup.clients(); ++i) {
    text += fmt::format("{} client {} (node {})", i == 0 ? "" : ",", i,
                        shape_of(setup).node_of(ClientId{i}).value);
    for (std::uint32_t k = 0; k < setup.operations; ++k) text += verb_of(setup, i, k);
  }
  if (!setup.timed()) return text + "\n\n";
  text += "\neach leg of a verb takes";
  for (const Duration latency : setup.time.latencies) text += " " + format_duration(latency);
  text += fmt::format("; the lock is held for {}", format_duration(setup.time.hold));
  for (std::size_t i = 0; i < setup.time.drift_ppm.size(); ++i)
    text += fmt::format("{} {:+}", i == 0 ? "; clocks (ppm):" : ",", setup.time.drift_ppm[i]);
  return text + "\n\n";
}

// Reports each step, and then what has changed.
class Teller final : public ReplayListener {
 public:
  Teller(SearchModel& model, std::string& text) : model_(model), text_(text) {
    told_.resize(model.setup().clients());
  }

  void about_to(const explorer::Step& step, bool forced) override {
    if (forced) text_ += fmt::format("       {}\n", describe_step(step));
  }
  void move(std::size_t number, const Choice& choice) override {
    const bool dated = model_.setup().timed() && choice.kind == Choice::Kind::step;
    const std::string when =
        dated ? fmt::format("{:.3f} us  ", (choice.date - Time{}).nanoseconds() / 1e3) : "";
    text_ += fmt::format("{:4}.  {}{}\n", number, when, describe_choice(model_, choice));
  }
  void no_such_choice(std::size_t number, std::size_t asked, std::size_t choices) override {
    text_ += fmt::format("{:4}.  the trace asks for choice {} of {}\n", number, asked, choices);
    over_ = false;
  }
  // Whether all moves were made.
  bool over() const { return over_; }
  void moved() override {
    const std::string entry = model_.entry();
    if (entry != entry_) text_ += "         entry: " + entry + "\n";
    const std::string holders = list_of(model_.setup(), model_.holders());
    if (holders != holders_) text_ += "         holds: " + holders + "\n";
    for (std::uint32_t i = 0; i < told_.size(); ++i) {
      const std::string now = describe_client(model_, ClientId{i});
      if (now != told_[i]) text_ += fmt::format("         client {} is at: {}\n", i, now);
      told_[i] = now;
    }
    entry_ = entry;
    holders_ = holders;
  }

 private:
  SearchModel& model_;
  std::string& text_;
  std::string entry_, holders_;
  std::vector<std::string> told_;
  bool over_ = true;
};

}  // namespace

Played replay(const Trace& trace) {
  ReplayContext context(trace);
  Played played;
  played.text = title(trace);
  Teller teller(*context.model, played.text);
  teller.moved();
  played.fits = play(trace, *context.model, teller);
  if (teller.over())
    played.text += fmt::format("\n{}: {}\n", name_of(trace.counterexample.violation),
                               trace.counterexample.text);
  return played;
}

}  // namespace latchlab::explore
