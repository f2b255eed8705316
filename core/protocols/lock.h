#pragma once
// What a lock is: the interface between a protocol and whoever runs it. A protocol supplies a
// client part, and where it needs them a node part and a server part; the runner creates, owns and
// starts every part. A protocol sees the world through core/verbs/verbs.h only.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/params.h"
#include "core/coro/task.h"
#include "core/verbs/capabilities.h"
#include "core/verbs/verbs.h"

namespace latchlab {

enum class LockMode : std::uint8_t { exclusive, shared };

struct LockRef {
  LockId id;
  RemoteAddr entry;  // of its lock entry
};

// The right to use the locked object. Expires for its holder: after `valid_until`, on the holder's
// own clock, the object must not be touched any more (the lock may have been given away).
struct Grant {
  LockRef lock;
  LockMode mode = LockMode::exclusive;  // as granted: a lock without shared mode says exclusive
  Time valid_until = kNever;
  std::array<std::uint64_t, 4> words = {};  // the protocol's own, handed back to release
};

enum class AbortReason : std::uint8_t {
  deadline,       // the caller's deadline passed
  recovered,      // somebody repaired the lock under us; try again
  too_many,       // a counter of the lock would overflow; try again later
  server_failed,  // the lock's node does not answer
  unsupported,
};
struct Aborted {
  AbortReason reason = AbortReason::deadline;
};
using AcquireResult = std::variant<Grant, Aborted>;

enum class ReleaseResult : std::uint8_t {
  released,
  suppressed,  // the grant had expired: the protocol must not touch the lock any more
};

// What a range lock takes: units [first, first + count) of the object.
struct LockRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

struct AcquireOptions {
  Time deadline = kNever;       // on the client's clock; honoured where Limits::abortable says so
  Duration expected_hold = {};  // a hint; zero: unknown
  std::optional<LockRange> range = {};  // range locks only; empty: the whole object
};

class LockClient {
 public:
  virtual ~LockClient() = default;
  virtual Task<AcquireResult> acquire(LockRef lock, LockMode mode, AcquireOptions options) = 0;
  virtual Task<ReleaseResult> release(Grant grant) = 0;
  // Shared to exclusive without letting go; Aborted{unsupported} where the protocol has none.
  virtual Task<AcquireResult> upgrade(Grant grant);
  // A longer validity; Aborted{unsupported} where the protocol has none.
  virtual Task<AcquireResult> extend(Grant grant, Duration longer);
  // How many recoveries this client has carried out (results: `recoveries`).
  virtual std::uint64_t recoveries() const { return 0; }
};

class NodePart {
 public:
  virtual ~NodePart() = default;
  // The node's background work, with a Verbs of its own. Runs until the end of the run.
  virtual Task<void> background(Verbs& verbs);
};

class ServerPart {
 public:
  virtual ~ServerPart() = default;
  // One call; ends with verbs.reply, unless the call is kept to be answered later. The modelled
  // CPU has been paid before; further work is said with verbs.compute.
  virtual Task<void> serve(Verbs& verbs, PendingCall pending) = 0;
  virtual Task<void> background(Verbs& verbs);
};

// Bytes that a protocol wants besides its lock entries, each zeroed and aligned to 64.
struct Layout {
  std::uint64_t entry_bytes = 8;
  std::uint64_t entry_align = 8;
  std::uint64_t server_bytes = 0;  // on each server
  std::uint64_t client_bytes = 0;  // for each client, on its node
  std::uint64_t node_bytes = 0;    // for each client node
};

struct Limits {
  std::uint64_t max_clients = ~0ULL;
  std::uint64_t max_nodes = 65535;
  std::uint64_t max_locks = ~0ULL;
  std::uint64_t held_at_once = ~0ULL;  // by one client
  bool abortable = false;              // a client that waits can give up at its deadline
};

// Where a part finds its extra bytes, and who else there is.
struct ClientEnv {
  Verbs* verbs = nullptr;
  RemoteAddr client_words;   // this client's Layout::client_bytes
  RemoteAddr node_words;     // its node's Layout::node_bytes
  NodePart* node = nullptr;  // its node's part, where the protocol has one
  std::span<const RemoteAddr>
      server_words;           // by server: NodeId - 1; the world's, outlives all parts
  std::uint32_t clients = 0;  // in the whole run
};
struct NodeEnv {
  NodeId node;
  RemoteAddr node_words;
  std::uint32_t clients_here = 0;
};
struct ServerEnv {
  NodeId node;
  RemoteAddr server_words;
};

class Protocol {
 public:
  virtual ~Protocol() = default;
  virtual Layout layout() const = 0;
  virtual Limits limits() const { return {}; }
  virtual std::vector<Capability> needs() const { return {}; }
  virtual std::unique_ptr<LockClient> make_client(const ClientEnv& env) const = 0;
  virtual std::unique_ptr<NodePart> make_node(const NodeEnv& env) const;        // null: none
  virtual std::unique_ptr<ServerPart> make_server(const ServerEnv& env) const;  // null: none
  // Writes the initial image of the entry at `entry` over zeroed words.
  virtual void initial_image(RemoteAddr entry, std::span<std::uint64_t> words) const;
  // May the entry at `entry` look like this when nobody holds the lock or waits for it? By default
  // only if it is as it was at first: to be overridden where something stays behind.
  virtual bool is_free(RemoteAddr entry, std::span<const std::uint64_t> words) const;
  // How often a client that wants the lock in mode `waiter` may be bypassed by clients that want it
  // in mode `winner`: they get it first, though the first verb of their request took effect after
  // the first verb of its own. A count for each acquisition, in a run without crashes and pauses
  // in which the lock is acquired `acquisitions` times at most, from its initial image on. nullopt:
  // the source claims nothing. Where it does, this is overridden, and names paper and section.
  virtual std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                                    std::uint64_t acquisitions) const;
  // A lock entry in words, for people: "nX=1 nS=0 maxX=2 maxS=4".
  virtual std::string decode(std::span<const std::uint64_t> words) const = 0;
};

// A registered protocol: what the parser knows, how to make one, and the explorer's parameters.
struct ProtocolEntry {
  ProtocolInfo info;
  std::unique_ptr<Protocol> (*make)(const ParamSet& params) = nullptr;
  // Values under which rare paths (overflow, thresholds, leases) are reached in small runs.
  ParamSet (*small_model)(const ProtocolInfo& info) = nullptr;
};

}  // namespace latchlab
