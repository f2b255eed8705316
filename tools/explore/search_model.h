#pragma once
// The model that a search explores: one protocol, its clients, and their operations. All that
// changes is in arenas, so that a state is their bytes and can be restored.

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

enum class Violation : std::uint8_t {
  nothing,
  mutual_exclusion,
  late_effect,  // a verb of an expired holder took effect while another client held the lock
  deadlock,     // clients are left, and no step is possible
  foreign,      // an access to memory that does not exist or is not the lock's
  not_free,     // all clients are done without a fault, and the entry does not look free
  no_progress,  // the end is not reachable any more
  bypassed,     // a waiting client was bypassed more often than the lock claims
};
constexpr std::size_t kViolations = 8;
const char* name_of(Violation violation);
// Whether the search need not go on after this. A bypass must not hide a worse violation.
constexpr bool ends(Violation violation) {
  return violation != Violation::nothing && violation != Violation::bypassed;
}

// One of the possible next moves.
struct Choice {
  enum class Kind : std::uint8_t { step, crash, timeout, pause, resume, cut };
  Kind kind = Kind::step;
  explorer::Step step;                 // step, timeout, cut
  ClientId victim;                     // crash, pause, resume
  Time date;                           // timeout; in a timed case: step, resume
  CrashUnit unit = CrashUnit::client;  // crash: what crashes with it
};

// Is told of every step before it is made, and of requests and grants of clients; for replays.
class StepListener : public LoopObserver {
 public:
  virtual void about_to(const explorer::Step& step, bool forced) = 0;
};

class CaseRun;

class SearchModel {
 public:
  // Both must outlive it. `support` must be fresh except for its facts.
  SearchModel(const Case& setup, const Protocol& protocol, explorer::SearchSupport& support);
  ~SearchModel();
  SearchModel(const SearchModel&) = delete;
  SearchModel& operator=(const SearchModel&) = delete;

  // In an order that depends only on the state. Empty: no step is possible, or the bounds allow
  // none (then cut() is true).
  std::vector<Choice> choices();
  bool cut() const { return cut_; }
  const char* what_cut() const;  // the bound
  // Makes the move, and then all steps that need no choice. `inner` makes the choices within them.
  void make(const Choice& choice, Chooser& inner);
  // The violation in the present state. `terminal`: choices() was empty and not cut.
  Violation violation(bool terminal) const;
  std::string describe(Violation violation) const;
  // Whether live clients have done all that they can: those that are left want locks of dead nodes.
  bool finished() const;

  void listen(StepListener* listener);
  ExplorerBackend& backend() const;
  // For the user: the entry, decoded.
  std::string entry() const;
  std::vector<ClientId> holders() const;
  // The words of the lock's entry.
  std::vector<std::uint64_t> words_of(LockId lock) const;
  const World& world() const;
  const Case& setup() const { return setup_; }

  explorer::Arenas& arenas() { return support_.arenas; }

 private:
  std::vector<Choice> timed_choices();
  std::vector<Choice> untimed_choices();
  bool all_done() const;
  void settle(Chooser& inner);
  bool out_of_turn(const explorer::Step& step) const;
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

// A move as a trace keeps it: an index into SearchModel::choices(), and the choices within the
// move.
struct Move {
  std::uint32_t choice = 0;
  std::vector<std::uint32_t> inner;
  bool operator==(const Move&) const = default;
};
// Makes the moves; checks that each of them exists.
void follow(SearchModel& model, const std::vector<Move>& path);

}  // namespace latchlab::explore
