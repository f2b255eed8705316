#pragma once
// A small world that a search explores: one protocol, its clients, and what each of them does. All
// that changes lies in arenas, so that a state is their bytes, and can be put back.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/explorer/explorer_backend.h"
#include "backends/explorer/search_support.h"
#include "backends/explorer/slots.h"
#include "core/coro/frame_pool.h"
#include "core/workload/client_loop.h"
#include "core/world/world.h"
#include "tools/explore/case.h"

namespace latchlab::explore {

enum class Wrong : std::uint8_t {
  nothing,
  mutual_exclusion,
  late_effect,  // a verb of an expired holder landed in somebody else's tenure
  deadlock,     // clients are left, and nothing can happen
  foreign,      // an access to memory that is not there, or not the lock's
  not_free,     // everybody is done, nobody has died, and the entry does not look free
  no_progress,  // the end cannot be reached any more
  bypassed,     // a waiting client, more often than the lock claims
};
constexpr std::size_t kWrongs = 8;
const char* name_of(Wrong wrong);
// Is nothing that follows worth a look? An unfair turn must not hide what is worse.
constexpr bool ends(Wrong wrong) {
  return wrong != Wrong::nothing && wrong != Wrong::bypassed;
}

// What may happen next, one of several.
struct Choice {
  enum class Kind : std::uint8_t { step, crash, timeout, pause, resume };
  Kind kind = Kind::step;
  explorer::Step step;                 // step, timeout
  ClientId victim;                     // crash, pause, resume
  Time date;                           // timeout; in a timed case: step, resume
  CrashUnit unit = CrashUnit::client;  // crash: what dies with it
};

// Hears of every step, before it is made, and of what clients ask for and get; for replays.
class StepListener : public LoopObserver {
 public:
  virtual void about_to(const explorer::Step& step, bool forced) = 0;
};

class CaseRun;

class Universe {
 public:
  // Both must outlive it. `support` must be fresh, but for its facts.
  Universe(const Case& setup, const Protocol& protocol, explorer::SearchSupport& support);
  ~Universe();
  Universe(const Universe&) = delete;
  Universe& operator=(const Universe&) = delete;

  // In an order that depends on the state alone. Empty: nothing can happen any more, or the bounds
  // allow nothing more (then cut() says so).
  std::vector<Choice> choices();
  bool cut() const { return cut_; }
  const char* what_cut() const;  // the bound
  // Makes it, and all that needs no choice afterwards. What is decided on the way is asked of
  // `inner`.
  void make(const Choice& choice, Chooser& inner);
  // Of the state as it is; `terminal`: choices() were empty, and not cut.
  Wrong wrong(bool terminal) const;
  std::string describe(Wrong wrong) const;
  // All that live clients can still do is done: those that are left want locks whose node is dead.
  bool finished() const;

  void listen(StepListener* listener);
  ExplorerBackend& backend() const;
  // For people: the entry decoded, and who holds it.
  std::string entry() const;
  std::vector<ClientId> holders() const;
  // What the lock's entry holds.
  std::vector<std::uint64_t> words_of(LockId lock) const;
  const World& world() const;
  const Case& setup() const { return setup_; }

  explorer::Arenas& arenas() { return support_.arenas; }

 private:
  std::vector<Choice> choices_in_time();
  std::vector<Choice> choices_without_time();
  bool all_done() const;
  void settle(Chooser& inner);
  void add_timeouts(const explorer::StepList& steps, std::vector<Choice>& choices);
  void add_faults(std::vector<Choice>& choices);
  void add_resumptions(std::vector<Choice>& choices);

  PlainFrames frames_;
  Case setup_;
  const Protocol& protocol_;
  explorer::SearchSupport& support_;
  CaseRun* run_ = nullptr;  // in the arenas
  StepListener* listener_ = nullptr;
  bool cut_ = false;
};

// A transition as a trace keeps it: which of Universe::choices(), and what was decided inside.
struct Move {
  std::uint32_t choice = 0;
  std::vector<std::uint32_t> inner;
  bool operator==(const Move&) const = default;
};
// Makes moves that fit.
void follow(Universe& universe, const std::vector<Move>& path);

}  // namespace latchlab::explore
