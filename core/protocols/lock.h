#pragma once
// The interface between a lock protocol and the runner. A protocol supplies a client part, and
// where it needs them a node part and a server part; the runner creates, owns and starts every
// part. A protocol accesses the network, memory and time through core/verbs/verbs.h only.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/params.h"
#include "core/base/zero_padding.h"
#include "core/coro/task.h"
#include "core/protocols/peers.h"
#include "core/verbs/capabilities.h"
#include "core/verbs/verbs.h"

namespace latchlab {

// Which modes may be held together: shared with shared and update; exclusive with none. Update
// reads like shared, excludes other updates, and may become exclusive (`upgrade`).
enum class LockMode : std::uint8_t { exclusive, shared, update };
inline constexpr int kLockModes = 3;

constexpr bool compatible(LockMode a, LockMode b) {
  return (a == LockMode::shared && b != LockMode::exclusive) ||
         (b == LockMode::shared && a != LockMode::exclusive);
}

constexpr std::string_view name_of(LockMode mode) {
  if (mode == LockMode::update) return "update";
  return mode == LockMode::shared ? "shared" : "exclusive";
}

// The part of the object that a lock covers: units [first, first + count), or the whole.
struct Extent {
  static constexpr std::uint64_t kWhole = ~0ULL;
  std::uint64_t first = 0;
  std::uint64_t count = kWhole;

  constexpr bool whole() const { return count == kWhole; }
  // May be requested: it has at least one unit, and each of its units has a number.
  constexpr bool valid() const { return whole() ? first == 0 : count > 0 && count - 1 <= ~first; }
  constexpr bool operator==(const Extent&) const = default;
};

// True if they share a unit. Ends are never computed: the end of an invalid extent may have no
// number.
constexpr bool overlap(const Extent& a, const Extent& b) {
  if (a.count == 0 || b.count == 0) return false;
  if (a.whole() || b.whole()) return true;
  return a.first < b.first ? b.first - a.first < a.count : a.first - b.first < b.count;
}

// True if the modes conflict and the extents overlap, for wants or grants of different holders.
template <class A, class B>
constexpr bool conflict(const A& a, const B& b) {
  return !compatible(a.mode, b.mode) && overlap(a.extent, b.extent);
}

// Identifies one acquisition of a client and its grant: the smallest number that the client does
// not use already, chosen by the caller. The run as a whole identifies a grant by client and
// number.
using GrantId = StrongId<struct GrantTag, std::uint32_t>;

// A client's request; its extent is valid. A lock without the mode is acquired exclusively, and one
// without ranges as the whole object.
struct Want {
  LockRef lock;
  LockMode mode = LockMode::exclusive;
  ZeroPadding<std::uint8_t, 7> padding = {};
  Extent extent = {};
  GrantId id = {};
  ZeroPadding<std::uint32_t, 1> more_padding = {};

  Want() = default;
  explicit Want(LockRef of, LockMode as = LockMode::exclusive, Extent what = {}, GrantId by = {})
      : lock(of), mode(as), extent(what), id(by) {}
};

// The right to use the locked object. It expires for its holder: after `valid_until`, on the
// holder's own clock, the holder must not touch the object any more (another client may hold the
// lock).
struct Grant {
  LockRef lock;
  LockMode mode = LockMode::exclusive;  // as granted: exclusive by a lock without shared mode
  ZeroPadding<std::uint8_t, 7> padding = {};
  Extent extent;  // as granted
  GrantId id;     // of the want that it answers
  ZeroPadding<std::uint32_t, 1> more_padding = {};
  Time valid_until = kNever;
  // For the protocol, passed back to release. The client part keeps what needs more, by GrantId
  // (common/per_grant.h).
  std::array<std::uint64_t, 4> words = {};

  Grant() = default;
  // The whole object in this mode, without expiry. A range lock sets `extent` to the requested one.
  explicit Grant(const Want& want, LockMode as = LockMode::exclusive)
      : lock(want.lock), mode(as), id(want.id) {}
};

enum class AbortReason : std::uint8_t {
  deadline,       // the caller's deadline passed
  recovered,      // another client recovered the lock meanwhile; try again
  too_many,       // a counter of the lock would overflow, or the tries are used up; try later
  server_failed,  // the lock's server does not answer
  unsupported,
};
struct Aborted {
  AbortReason reason = AbortReason::deadline;
};
using AcquireResult = std::variant<Grant, Aborted>;

enum class ReleaseResult : std::uint8_t {
  released,
  suppressed,  // the grant had expired or was lost: the lock must not be touched any more
};

struct AcquireOptions {
  Time deadline = kNever;       // on the client's clock; honoured where Limits::abortable says so
  Duration expected_hold = {};  // a hint; zero: unknown
};

class LockClient {
 public:
  virtual ~LockClient() = default;
  virtual Task<AcquireResult> acquire(Want want, AcquireOptions options) = 0;
  virtual Task<ReleaseResult> release(Grant grant) = 0;
  // Releases after a last WRITE to what the lock guards, on the lock's server, which lands before
  // another client can hold the lock. Only for locks whose frees_with_a_write() is true: they post
  // the WRITE with the verb that frees the lock, on one QP. The default fails a CHECK.
  virtual Task<ReleaseResult> write_and_release(Verb last, Grant grant);
  virtual bool frees_with_a_write() const { return false; }
  // Makes the grant exclusive without releasing it in between, with the same id. If aborted, the
  // old grant stays valid. Aborted{unsupported} where the protocol has no upgrade.
  virtual Task<AcquireResult> upgrade(Grant grant, AcquireOptions options);
  // The same grant with a longer validity; if aborted, the old one stays valid.
  // Aborted{unsupported} where the protocol has none.
  virtual Task<AcquireResult> extend(Grant grant, Duration longer);
  // The number of recoveries that this client has carried out (results: `recoveries`).
  virtual std::uint64_t recoveries() const { return 0; }
};

class NodePart {
 public:
  virtual ~NodePart() = default;
  // The node's background work, with its own Verbs. Runs until the end of the run.
  virtual Task<void> background(Verbs& verbs);
};

class ServerPart {
 public:
  virtual ~ServerPart() = default;
  // Serves one call. It ends with verbs.reply, unless the call is kept to be answered later. The
  // modelled CPU time of a call has been paid before; further CPU time is declared by
  // verbs.compute.
  virtual Task<void> serve(Verbs& verbs, PendingCall pending) = 0;
  virtual Task<void> background(Verbs& verbs);
};

// An endpoint that is opened before any part is made, so that all parts know its address.
struct EndpointPlan {
  std::uint32_t recvs = 0;  // 0: none
  Transport transport = Transport::dc;
};

// Memory that a protocol needs besides its lock entries, each zeroed and aligned to 64 bytes, and
// endpoints that peers find in the directory.
struct Layout {
  std::uint64_t entry_bytes = 8;  // 8n; 1, 2, 4: part of a shared word; 0: no entry
  std::uint64_t entry_align = 8;
  std::uint64_t server_bytes = 0;     // on each server
  std::uint64_t client_bytes = 0;     // for each client, on its node
  std::uint64_t node_bytes = 0;       // for each client node
  std::uint64_t node_lock_bytes = 0;  // for each lock on each client node; a multiple of 8
  EndpointPlan client_endpoint = {};  // for each client
  EndpointPlan node_endpoint = {};    // for each client node's part
};

// The unit that fails at once in a crash, as the protocol's source has it: a client; its process
// (peers notice that it does not acknowledge); or its node with all its clients and its memory.
enum class CrashUnit : std::uint8_t { client, process, node };

// Which part of a lock's correctness depends on time, beyond waits that end at a deadline. Searches
// without time do not model it, and would report a sound lock as broken.
enum class RestsOnTime : std::uint8_t {
  nothing,
  recovery,   // what a dead client leaves behind expires: a request compares a date with a clock
  exclusion,  // two clients exclude each other because one waits for a length of time
};

struct Limits {
  std::uint64_t max_clients = ~0ULL;
  std::uint64_t max_nodes = 65535;  // with clients
  std::uint64_t max_locks = ~0ULL;
  std::uint64_t held_at_once = ~0ULL;        // by one client
  bool abortable = false;                    // a waiting client can give up at its deadline
  bool released_by_time = false;             // shared grants expire: searches wait for that
  CrashUnit crash_unit = CrashUnit::client;  // searches crash this unit
  RestsOnTime rests_on_time = RestsOnTime::nothing;
  // Numbers of clients and of their nodes are names only: if two clients on one node, or on two
  // nodes that are not servers, exchange numbers in every word, message and variable, all that can
  // happen stays the same. Searches then need not try both.
  bool clients_alike = false;
};

// What a part is created with. Everything in it outlives the part.
struct ClientEnv {
  Verbs* verbs = nullptr;
  const Peers* peers = nullptr;
  RemoteAddr client_words;   // this client's Layout::client_bytes
  RemoteAddr node_words;     // its node's Layout::node_bytes
  EndpointAddr endpoint;     // this client's Layout::client_endpoint
  NodePart* node = nullptr;  // its node's part, where the protocol has one
};
struct NodeEnv {
  NodeId node;
  const Peers* peers = nullptr;
  RemoteAddr node_words;
  EndpointAddr endpoint;  // Layout::node_endpoint, owned by the part's Verbs
  std::uint32_t clients_here = 0;
};
struct ServerEnv {
  NodeId node;
  const Peers* peers = nullptr;
  RemoteAddr server_words;
};

class Protocol {
 public:
  virtual ~Protocol() = default;
  virtual Layout layout(const Shape& /*shape*/) const { return {}; }
  virtual Limits limits() const { return {}; }
  virtual std::vector<Capability> needs() const { return {}; }
  virtual std::unique_ptr<LockClient> make_client(const ClientEnv& env) const = 0;
  virtual std::unique_ptr<NodePart> make_node(const NodeEnv& env) const;        // null: none
  virtual std::unique_ptr<ServerPart> make_server(const ServerEnv& env) const;  // null: none
  // Writes a slice of the initial image of the entry at `entry` over zeroed words, from the image's
  // word `first_word` on. Slices are requested in any order, some never. For part of a word: its
  // low bytes.
  virtual void initial_image(RemoteAddr entry, std::uint64_t first_word,
                             std::span<std::uint64_t> words) const;
  // May the entry at `entry` contain these words when no client holds the lock or waits for it? The
  // default accepts the initial image only; a protocol overrides it if other values remain.
  virtual bool is_free(RemoteAddr entry, std::span<const std::uint64_t> words) const;
  // The bound on bypassing: how often clients that want the lock in mode `winner` may be granted it
  // before a client that wants it in mode `waiter`, although the first verb of their request took
  // effect after the first verb of its own. Counted for each acquisition, in a run without crashes
  // and pauses in which the lock is acquired at most `acquisitions` times, starting from its
  // initial image. nullopt: the source claims no bound. An override names the paper and section of
  // the claim.
  virtual std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                                    std::uint64_t acquisitions) const;
  // A lock entry as text: "nX=1 nS=0 maxX=2 maxS=4".
  virtual std::string decode(std::span<const std::uint64_t> words) const = 0;
};

// A registered protocol: its description, its factory, and the explorer's parameters.
struct ProtocolEntry {
  ProtocolInfo info;
  std::function<std::unique_ptr<Protocol>(const ParamSet& params)> make;
  // Changes to the default profile under which small runs reach rare paths (overflow, thresholds,
  // leases).
  ParamValues small_model;

  ParamSet small_params() const;
};

}  // namespace latchlab
