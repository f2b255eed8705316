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
inline constexpr std::uint32_t kMostDelays = 16;
inline constexpr std::uint32_t kMostCuts = 16;
inline constexpr Duration kLongestTime = seconds(100);  // of each duration below

// What is possible in a timed search, and how long actions of clients take. See
// explorer::TimedModel.
struct CaseTime {
  std::vector<Duration> latencies;      // ascending; empty: untimed
  std::vector<std::int64_t> drift_ppm;  // by client node, in order
  Duration hold;                        // how long a client keeps the lock
  Duration patience;                    // how long it waits for the lock; zero: no limit
  Duration horizon;                     // later events are not explored
  Duration pause = {};                  // how long a paused client stalls
};

// One case: everything that determines what can happen in it.
struct Case {
  std::string protocol;
  std::string profile;            // empty: the protocol's small model
  std::vector<std::string> sets;  // NAME=VALUE, overrides the profile
  std::uint32_t client_nodes = 2;
  std::uint32_t clients_per_node = 1;
  std::uint32_t servers = 1;     // lock i is on server i mod servers
  bool colocated = false;        // client node i is server i
  std::uint32_t operations = 1;  // acquisitions of each client
  std::uint32_t locks = 1;       // a client takes one after the other, and starts over
  std::uint32_t held = 1;        // locks that an operation holds at once
  bool sorted = true;            // takes them in their order; else client i begins with lock i
  // The part of a lock that an operation wants, in turn by client plus operation; empty: all of it.
  std::vector<Extent> extents;
  // By client, then by operation: 'X' exclusive, 'S' shared, 'U' update, 'P' update that is
  // upgraded to exclusive, '-' none. Missing letters: X.
  std::vector<std::string> modes;
  std::uint32_t crashes = 0;            // how often a client may crash
  std::optional<CrashUnit> crash_unit;  // what crashes then; none: as the protocol says
  std::uint32_t pauses = 0;             // how often a client may be paused while leases expire
  bool between_atomics = false;         // a client is not paused while it has an atomic outstanding
  // How many SENDs, and verbs and calls to dead nodes or over paths that are down, RC may retry
  // while leases expire.
  std::uint32_t delays = 0;
  // How often what one client, or part of a node, has under way to another node may meet a path
  // that is down for longer than RC retries: it fails, with its effect or without it. With `delays`
  // it may also outlast leases.
  std::uint32_t cuts = 0;
  std::uint32_t timeouts = 4;  // how often the clock may advance when no step is possible
  bool reduce = true;          // merge steps that are indistinguishable from one
  // Of clients that differ only by number, those that have not begun begin in order.
  bool symmetry = true;
  CaseTime time;

  bool timed() const { return !time.latencies.empty(); }
  std::uint32_t clients() const { return client_nodes * clients_per_node; }
  char letter(std::uint32_t client, std::uint32_t operation) const;
  LockMode mode(std::uint32_t client, std::uint32_t operation) const;
  std::vector<LockId> wanted(std::uint32_t client, std::uint32_t operation) const;
  Extent extent(std::uint32_t client, std::uint32_t operation) const;
  // Whether clients differ only by their numbers, those of their nodes, operations and clocks: all
  // are on one node, or each is on a node of its own and all nodes are alike.
  bool exchangeable() const {
    const bool nodes_alike = client_nodes == 1 || (clients_per_node == 1 && !colocated);
    return nodes_alike && extents.size() <= 1 && sorted;
  }
  // Whether these two differ only by their numbers and those of their nodes.
  bool equal(std::uint32_t one, std::uint32_t other) const;
};

// "0-4": units 0 to 3.
std::string text_of(const Extent& extent);
Result<Extent> extent_of(const std::string& text);

// "client", "process", "node"; nullopt: another name.
const char* name_of(CrashUnit unit);
std::optional<CrashUnit> crash_unit_of(std::string_view name);

// The protocol's parameters in this case.
Result<ParamSet> params_of(const Case& setup, const ProtocolEntry& entry);

// Checks that everything in the case is known and within the limits of a search.
Status check_case(const Case& setup);

// The case's parameters have been checked.
std::unique_ptr<Protocol> make_protocol(const Case& setup);

}  // namespace latchlab::explore
