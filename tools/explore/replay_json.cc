// A replay of a trace as JSON; docs/export.md describes the keys.

#include <algorithm>
#include <array>
#include <optional>

#include "backends/explorer/state.h"
#include "core/base/json.h"
#include "tools/explore/describe.h"
#include "tools/explore/replay.h"

namespace latchlab::explore {

namespace {
constexpr std::array<const char*, 6> kMoveKinds = {"step",  "crash",  "timeout",
                                                   "pause", "resume", "cut"};

Json extent_json(const Extent& extent) {
  return {{"first", extent.first}, {"count", extent.count}};
}

Json clients_json(const SearchModel& model) {
  const Case& setup = model.setup();
  Json clients = Json::array();
  for (std::uint32_t i = 0; i < setup.clients(); ++i) {
    Json wants = Json::array();
    for (std::uint32_t k = 0; k < setup.operations; ++k) {
      const char letter = setup.letter(i, k);
      if (letter == '-') continue;
      Json locks = Json::array();
      for (const LockId lock : setup.wanted(i, k)) locks.push_back(lock.value);
      wants.push_back({{"mode", name_of(setup.mode(i, k))}, {"locks", locks}});
      if (letter == 'P') wants.back()["upgrades"] = true;
      if (!setup.extents.empty()) wants.back()["extent"] = extent_json(setup.extent(i, k));
    }
    clients.push_back({{"client", i},
                       {"node", model.world().node_of(ClientId{i}).value},
                       {"wants", std::move(wants)}});
  }
  return clients;
}

// Reports what each step and each move has changed.
class JsonTeller final : public ReplayListener {
 public:
  explicit JsonTeller(SearchModel& model) : model_(model), steps_(model) {
    entries_.resize(model.setup().locks);
    at_.resize(model.setup().clients());
  }

  // The state before the first move.
  Json start() {
    Json json;
    json["entries"] = changed_entries();
    json["clients"] = changed_places();
    return json;
  }
  Json moves() { return std::move(moves_); }

  // ---- moves ----
  void move(std::size_t number, const Choice& choice) override {
    move_ = Json();
    move_["move"] = number;
    move_["kind"] = kMoveKinds[static_cast<std::size_t>(choice.kind)];
    move_["text"] = describe_choice(model_, choice);
    if (model_.setup().timed() && choice.kind == Choice::Kind::step)
      move_["at_ns"] = (choice.date - Time{}).nanoseconds();
    if (choice.step.actor == nullptr) move_["client"] = choice.victim.value;
    if (choice.kind == Choice::Kind::crash) move_["with_its"] = name_of(choice.unit);
    move_["steps"] = Json::array();
    crashes_ = choice.kind == Choice::Kind::crash;
  }
  void about_to(const explorer::Step& step, bool forced) override {
    settle();
    step_ = parse_json(steps_.of(step));
    (*step_)["forced"] = forced;
    touched_ = touched_by(step);
    if (touched_.atomic != nullptr) atomic_ = *touched_.atomic;
    before_ = steps_.peek(touched_);
  }
  void moved() override {
    settle();
    if (!events_.empty()) move_["events"] = std::exchange(events_, Json::array());
    if (crashes_) bury();
    for (auto [key, changed] :
         {std::pair("entries", changed_entries()), std::pair("holders", changed_holders()),
          std::pair("clients", changed_places())})
      if (!changed.is_null()) move_[key] = std::move(changed);
    moves_.push_back(std::move(move_));
  }
  void no_such_choice(std::size_t number, std::size_t asked, std::size_t choices) override {
    moves_.push_back({{"move", number}, {"missing_choice", asked}, {"choices", choices}});
  }

  // ---- requests and grants of clients ----
  void acquire_begins(ClientId client, const Want& want) override {
    add_event("asks", client, want.lock.id, want.mode, want.extent);
  }
  void acquire_aborted(ClientId client, const Want& want, AbortReason /*reason*/) override {
    add_event("gives up", client, want.lock.id, want.mode, want.extent);
  }
  void acquired(ClientId client, const Grant& grant) override {
    add_event("granted", client, grant);
    holds_.push_back({client, grant});
  }
  void upgraded(ClientId client, const Grant& grant) override {
    add_event("upgraded", client, grant);
    for (Hold& hold : holds_)
      if (hold.client == client && hold.grant.id == grant.id) hold.grant = grant;
  }
  void extended(ClientId client, const Grant& grant) override {
    add_event("extended", client, grant);
  }
  void release_begins(ClientId client, const Grant& grant) override {
    add_event("releases", client, grant);
    std::erase_if(holds_, [&](const Hold& hold) {
      return hold.client == client && hold.grant.id == grant.id;
    });
  }
  void released(ClientId client, const Grant& grant, ReleaseResult result) override {
    add_event(result == ReleaseResult::released ? "released" : "does not release", client, grant);
  }

 private:
  struct Hold {
    ClientId client;
    Grant grant;
  };

  void add_event(const char* what, ClientId client, LockId lock, LockMode mode,
                 const Extent& extent) {
    Json json = {{"event", what}, {"client", client.value}, {"lock", lock.value}};
    json["mode"] = name_of(mode);
    if (!extent.whole()) json["extent"] = extent_json(extent);
    events_.push_back(std::move(json));
  }
  void add_event(const char* what, ClientId client, const Grant& grant) {
    add_event(what, client, grant.lock.id, grant.mode, grant.extent);
  }

  // Adds what the reported step has changed.
  void settle() {
    if (!step_) return;
    Json& step = *step_;
    if (const auto after = steps_.peek(touched_); !after.empty()) {
      step["words_at"] = touched_.addr.offset;
      if (touched_.writes) step["before"] = hex_words(before_);
      step[touched_.writes ? "after" : "value"] = hex_words(after);
      if (touched_.atomic != nullptr && before_.size() == after.size())
        step["matched"] = matched(atomic_, {before_[0], before_.size() > 1 ? before_[1] : 0});
    }
    if (!events_.empty()) step["events"] = std::exchange(events_, Json::array());
    move_["steps"].push_back(std::move(step));
    step_.reset();
  }

  // Dead clients hold no lock.
  void bury() {
    std::erase_if(holds_, [&](const Hold& hold) {
      return !model_.backend().state().find_client(hold.client)->alive;
    });
  }

  Json changed_entries() {
    Json changed;
    for (LockId lock; lock.value < entries_.size(); ++lock.value) {
      std::vector<std::uint64_t> words = model_.words_of(lock);
      std::vector<std::uint64_t>& told = entries_[lock.value];
      if (!changed_before_ && words == told) continue;
      changed.push_back({{"lock", lock.value},
                         {"words", hex_words(words)},
                         {"decoded", model_.world().protocol().decode(words)}});
      told = std::move(words);
    }
    changed_before_ = false;
    return changed;
  }
  Json changed_holders() {
    Json holders = Json::array();
    for (const Hold& hold : holds_) {
      holders.push_back({{"client", hold.client.value}, {"lock", hold.grant.lock.id.value}});
      holders.back()["mode"] = name_of(hold.grant.mode);
      if (!hold.grant.extent.whole()) holders.back()["extent"] = extent_json(hold.grant.extent);
    }
    if (holders == holders_) return {};
    return holders_ = std::move(holders);
  }
  Json changed_places() {
    Json changed;
    for (std::uint32_t i = 0; i < at_.size(); ++i) {
      std::string now = describe_client(model_, ClientId{i});
      if (now == at_[i]) continue;
      changed.push_back({{"client", i}, {"at", now}});
      at_[i] = std::move(now);
    }
    return changed;
  }

  SearchModel& model_;
  StepJson steps_;
  Json moves_ = Json::array();
  Json move_;
  Json events_ = Json::array();
  std::optional<Json> step_;
  TouchedWords touched_;
  Verb atomic_;
  std::vector<std::uint64_t> before_;
  bool crashes_ = false;
  bool changed_before_ = true;  // entries have not been reported yet
  std::vector<std::vector<std::uint64_t>> entries_;
  std::vector<Hold> holds_;
  Json holders_ = Json::array();
  std::vector<std::string> at_;
};

}  // namespace

Played replay_json(const Trace& trace) {
  ReplayContext context(trace);
  JsonTeller teller(*context.model);
  Json json;
  json["latchlab_replay"] = kReplayVersion;
  json["case"] = parse_json(case_json(trace.setup));
  json["clients"] = clients_json(*context.model);
  json["start"] = teller.start();
  const bool fits = play(trace, *context.model, teller);
  json["moves"] = teller.moves();
  json["finding"] = {{"wrong", name_of(trace.counterexample.violation)},
                     {"text", trace.counterexample.text}};
  json["ends_as_told"] = fits;
  return {dump_json(json, 2) + "\n", fits};
}

}  // namespace latchlab::explore
