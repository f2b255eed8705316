#pragma once
// One run of a swarm as data: what is drawn, what shrinking makes smaller, and the scenario that
// `latchlab run` can play.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/claims.h"
#include "core/base/result.h"
#include "core/protocols/lock.h"
#include "core/scenario/scenario.h"

namespace latchlab::swarm {

// A key of the scenario and its value, as written there. The constants of the RNIC have paths below
// "platform.nic".
struct Setting {
  std::string path, value;

  bool operator==(const Setting&) const = default;
};

// Workers acquire and release locks; a last client comes when they have stopped asking, and takes
// each lock once. Faults happen up to `calm_from`; sections begin up to `until`; the run ends at
// `end`. By then each live client must have left.
struct Case {
  std::string protocol;
  std::uint64_t seed = 1;  // run.seed
  std::uint32_t servers = 1;
  std::uint32_t nodes = 1, per_node = 1;  // of workers
  bool colocated = false;
  bool last = true;    // there is a last client
  bool early = false;  // ... which comes while the workers still ask
  std::uint64_t locks = 1;
  Duration calm_from, until, end;
  std::vector<Setting> settings;  // each can be left out, or has another value in a smaller case
  ParamValues forced;             // parameters of the lock that all cases of a hunt have
  std::vector<FaultSpec> faults;

  std::uint32_t clients() const { return nodes * per_node; }  // workers
  std::uint32_t all_clients() const { return clients() + (last ? 1 : 0); }
  std::uint32_t first_client_node() const { return colocated ? 0 : servers; }
  const Setting* find(std::string_view path) const;
  void set(const std::string& path, std::string value);
  void set(const std::string& path, Duration value);
  void unset(std::string_view path);
};

// A whole scenario; `name` and `description` are the file's.
std::string scenario_text(const Case& drawn, const std::string& name,
                          const std::string& description);

// The scenario of one point, or why it cannot be. Sets `drawn.end`, and the end of the run, by what
// the lock, the RNIC and the faults need in the worst case.
Result<Scenario> scenario_of(Case& drawn, const std::string& name, const std::string& description,
                             const DataDirs& data);

// How long after its request a live client has the lock at the latest, if no fault happens any more
// and all clients stop asking: the lock's longest timeout and grant, the time in which the RNIC
// gives a verb up, and the turns of all clients.
Duration longest_wait(const Point& point, const ProtocolInfo& info, const Claims& claims);

// How long a request waits at most without faults, by the lock's claim; zero: no claim.
Duration fair_wait(const Point& point, const Claims& claims);

// When the last fault is over.
Duration last_fault(const Case& drawn);

// The workload of all clients but the last.
const WorkloadSpec& workers_of(const Point& point);

// The time in which RC gives up a verb that is not answered.
Duration retry_time(const NicModel& nic);

// What the lock claims with these parameters, but for the names in `forced`, which have their
// defaults: a form that is kept as printed is held to what the lock claims without it.
Claims claims_without(const ParamValues& forced, ParamSet params, const ProtocolInfo& info);

// The kinds of faults that the point has, ascending, each once.
std::vector<Mishap> mishaps_of(const Point& point, const ProtocolEntry& entry,
                               const Claims& claims);
// The kind of one of them, by whom it strikes. Whether cuts are long is a matter of all of them.
Mishap mishap_of(const FaultSpec& fault, const PlatformSpec& platform);

// The longest time from a client's decision to the effect of its verb, pauses of the client apart:
// the way, a crowd at the word, and what RC needs over a path that loses packets or is cut.
Duration landing_time(const Point& point);

// True if the lock receives messages over UD.
bool receives_datagrams(const ProtocolEntry& entry, const ParamSet& params);

// The clients that a fault of the point ends, by ClientId.
std::vector<bool> mortal_clients(const Point& point);

}  // namespace latchlab::swarm
