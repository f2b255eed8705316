#pragma once
// Plays cases and judges them by what their lock claims.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/claims.h"
#include "core/run/study.h"
#include "tools/swarm/case.h"
#include "tools/swarm/watch.h"

namespace latchlab::swarm {

// What a run did not keep. `died`: the program itself ended, which no claim covers.
struct Broken {
  std::optional<Keeps> what;  // none: died
  std::string how;            // for the user
  bool claimed = true;        // the lock claims to keep it under these faults

  std::string name() const { return std::string(what ? name_of(*what) : "the run itself"); }
};

struct Played {
  std::vector<Broken> broken;  // the worst first
  std::vector<Mishap> mishaps;
  Seen seen;
  std::uint64_t expired_holds = 0, late_effects = 0;
  std::uint64_t checksum = 0;  // equal runs have equal ones
  bool refused = false;        // the case cannot be played, for the reason in `how`
  std::string how;

  // The first that is claimed; null: the claims hold.
  const Broken* finding() const;
};

Played judge(const Point& point, const ProtocolEntry& entry, const ParamValues& forced,
             const RepeatOutcome& outcome);

struct Batch {
  std::vector<Played> played;  // in the order of the scenarios
  bool interrupted = false;
};
// Plays the only point of each scenario, `jobs` at a time, each in a process of its own. `forced`
// as in Case.
Batch play(std::span<const Scenario* const> scenarios, const ParamValues& forced,
           std::uint32_t jobs, const BackendFactory& make_backend);

}  // namespace latchlab::swarm
