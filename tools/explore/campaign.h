#pragma once
// All cases of one question: every assignment of modes and every placement, up to symmetry.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/explore/search.h"
#include "tools/explore/trace.h"
#include "tools/explore/walk.h"

namespace latchlab::explore {

// spread: one node per client; together: one node for all.
enum class Placement : std::uint8_t { spread, together, both };
enum class Method : std::uint8_t { exhaustive, pct, random };
const char* name_of(Method method);

struct Campaign {
  Case base;  // its nodes and modes are set for each case
  std::uint32_t clients = 2;
  // The number of clients that only read, while the others only write; none: all assignments.
  std::optional<std::uint32_t> readers;
  Placement placement = Placement::both;
  std::uint32_t nodes = 0;  // number of client nodes with equally many clients; 0: by `placement`
  Method method = Method::exhaustive;
  std::uint64_t budget = 0;        // exhaustive: states in total; else walks per case; 0: default
  std::uint64_t milliseconds = 0;  // in total; 0: no bound
  std::uint64_t seed = 1;
  std::int64_t drift_ppm = 0;  // timed: each node's clock is slow or fast by this, or exact
  // So many cases are explored at a time, in processes of their own. The verdict is the same for
  // any number, except that a bound on time reaches further with more.
  std::uint32_t jobs = 1;
  bool compact = false;  // exhaustive: SearchBounds::compact
  // A directory that exists, in which a search leaves what it has done, and from which it goes on.
  std::string checkpoint;
};

// A case in a few words: "XX XS, a node each".
std::string describe(const Case& setup);
// Rejects campaigns with too many cases, and modes that do not fit.
Status check_campaign(const Campaign& campaign);
std::vector<Case> cases_of(const Campaign& campaign);

struct Verdict {
  std::uint64_t cases = 0;  // of cases_of(), that were explored
  std::uint64_t all_cases = 0;
  bool exhausted = false;    // every order of events of every case was explored
  std::string cut;           // why not
  std::uint64_t states = 0;  // for walks: steps
  std::uint64_t transitions = 0;
  std::uint64_t walks = 0;
  std::uint64_t unfinished = 0;    // walks
  std::uint64_t memory_bytes = 0;  // of the largest case
  double chance_of_a_miss = 0;     // compact: that any state was missed, at most
  double seconds = 0;
  std::vector<Trace> counterexamples;  // the shortest of each kind
  std::vector<std::string> unreached;  // labelled paths of the protocol that were never taken
  std::uint64_t paths = 0;             // number of labels
};

struct CampaignProgress {
  std::uint64_t number = 0;  // of the case, from 1
  std::uint64_t cases = 0;
  const Case* setup = nullptr;
  std::uint64_t states = 0;  // of this case; or walks
  std::uint64_t open = 0;
};

// The campaign's case must have passed check_case(). `watch` is called often; false: stop.
Verdict run(const Campaign& campaign,
            const std::function<bool(const CampaignProgress&)>& watch = {});

std::string verdict_json(const Campaign& campaign, const Verdict& verdict,
                         const std::vector<std::string>& trace_files);

}  // namespace latchlab::explore
