#pragma once
// One question to the explorer.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/protocols/registry.h"

namespace latchlab::explore {

inline constexpr std::uint32_t kMostClients = 16;
inline constexpr std::uint32_t kMostServers = 16;
inline constexpr std::uint32_t kMostLongSends = 16;
inline constexpr Duration kLongestTime = seconds(100);  // of each of those below

// What a timed search takes for possible, and how long clients do what they do. See
// explorer::TimedModel.
struct CaseTime {
  std::vector<Duration> latencies;      // ascending; empty: untimed
  std::vector<std::int64_t> drift_ppm;  // by client node, in order
  Duration hold;                        // how long a client keeps the lock
  Duration patience;                    // how long it waits for it; zero: for ever
  Duration horizon;                     // what happens later is not looked at
  Duration pause = {};                  // how long a client that is paused stands still
};

// One case: everything that decides what can happen in it.
struct Case {
  std::string protocol;
  std::string profile;            // empty: the protocol's small model
  std::vector<std::string> sets;  // NAME=VALUE, over the profile
  std::uint32_t client_nodes = 2;
  std::uint32_t clients_per_node = 1;
  std::uint32_t servers = 1;     // lock i lies on server i mod servers
  bool colocated = false;        // client node i is server i
  std::uint32_t operations = 1;  // acquisitions of each client
  std::uint32_t locks = 1;       // a client takes one after the other, and begins anew
  std::uint32_t held = 1;        // locks that an operation holds at once
  bool sorted = true;            // it takes them in their order; else client i begins with lock i
  std::vector<Extent> extents;   // what of a lock, by client plus operation in turn; empty: all
  // By client, then by operation: 'X' exclusive, 'S' shared, 'U' update, 'P' update that becomes
  // exclusive, '-' none. Missing letters: X.
  std::vector<std::string> modes;
  std::uint32_t crashes = 0;            // how often somebody may die
  std::optional<CrashUnit> crash_unit;  // what dies then; none: what the protocol says
  std::uint32_t pauses = 0;             // how often a client may stand still while leases run out
  bool between_atomics = false;         // not while it has an atomic under way
  // How many SENDs, and verbs and calls to dead nodes, RC may retry while leases run out.
  std::uint32_t long_sends = 0;
  std::uint32_t timeouts = 4;  // how often the clock may move on when nothing else can
  bool reduce = true;          // make one step of several that cannot be told apart
  CaseTime time;

  bool timed() const { return !time.latencies.empty(); }
  std::uint32_t clients() const { return client_nodes * clients_per_node; }
  char letter(std::uint32_t client, std::uint32_t operation) const;
  LockMode mode(std::uint32_t client, std::uint32_t operation) const;
  std::vector<LockId> wanted(std::uint32_t client, std::uint32_t operation) const;
  Extent extent(std::uint32_t client, std::uint32_t operation) const;
};

// "0-4": units 0 to 3.
std::string text_of(const Extent& extent);
Result<Extent> extent_of(const std::string& text);

// "client", "process", "node"; nothing: that is none.
const char* name_of(CrashUnit unit);
std::optional<CrashUnit> crash_unit_of(std::string_view name);

// The protocol's parameters as the case has them.
Result<ParamSet> params_of(const Case& setup, const ProtocolEntry& entry);

// Of a case whose parameters were checked before.
std::unique_ptr<Protocol> make_protocol(const Case& setup);

}  // namespace latchlab::explore
