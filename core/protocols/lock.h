#pragma once
// What a lock is: the interface between a protocol and whoever runs it. A protocol supplies a
// client part, and where it needs them a node part and a server part; the runner creates, owns and
// starts every part. A protocol sees the world through core/verbs/verbs.h only.

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

// What may be held beside what: shared beside shared and update, and nothing beside exclusive.
// Update reads like shared, keeps other updates out, and may become exclusive (`upgrade`).
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

// What of the object a lock is about: units [first, first + count), or the whole.
struct Extent {
  static constexpr std::uint64_t kWhole = ~0ULL;
  std::uint64_t first = 0;
  std::uint64_t count = kWhole;

  constexpr bool whole() const { return count == kWhole; }
  // May be asked for: one unit at least, and each has a number.
  constexpr bool valid() const { return whole() ? first == 0 : count > 0 && count - 1 <= ~first; }
  constexpr bool operator==(const Extent&) const = default;
};

// Have they units in common? Ends are never computed: that of an extent which is not valid may have
// no number.
constexpr bool overlap(const Extent& a, const Extent& b) {
  if (a.count == 0 || b.count == 0) return false;
  if (a.whole() || b.whole()) return true;
  return a.first < b.first ? b.first - a.first < a.count : a.first - b.first < b.count;
}

// Of two wants, grants or the like, by different holders: may they not be held at once?
template <class A, class B>
constexpr bool conflict(const A& a, const B& b) {
  return !compatible(a.mode, b.mode) && overlap(a.extent, b.extent);
}

// One of a client's acquisitions and what it is granted: the smallest number that this client does
// not use already, chosen by whoever asks. The run as a whole knows a grant by client and number.
using GrantId = StrongId<struct GrantTag, std::uint32_t>;

// What a client asks for; the extent is valid. A lock without the mode takes it exclusively, and
// one without ranges the whole object.
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

// The right to use the locked object. Expires for its holder: after `valid_until`, on the holder's
// own clock, the object must not be touched any more (the lock may have been given away).
struct Grant {
  LockRef lock;
  LockMode mode = LockMode::exclusive;  // as granted: a lock without shared mode says exclusive
  ZeroPadding<std::uint8_t, 7> padding = {};
  Extent extent;  // as granted
  GrantId id;     // of the want that it answers
  ZeroPadding<std::uint32_t, 1> more_padding = {};
  Time valid_until = kNever;
  // The protocol's own, handed back to release. What needs more is kept by the client part, by
  // GrantId (common/per_grant.h).
  std::array<std::uint64_t, 4> words = {};

  Grant() = default;
  // The whole object in this mode, for ever. A range lock sets `extent` to what was asked for.
  explicit Grant(const Want& want, LockMode as = LockMode::exclusive)
      : lock(want.lock), mode(as), id(want.id) {}
};

enum class AbortReason : std::uint8_t {
  deadline,       // the caller's deadline passed
  recovered,      // somebody repaired the lock under us; try again
  too_many,       // a counter of the lock would overflow, or its tries are used up; try later
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

struct AcquireOptions {
  Time deadline = kNever;       // on the client's clock; honoured where Limits::abortable says so
  Duration expected_hold = {};  // a hint; zero: unknown
};

class LockClient {
 public:
  virtual ~LockClient() = default;
  virtual Task<AcquireResult> acquire(Want want, AcquireOptions options) = 0;
  virtual Task<ReleaseResult> release(Grant grant) = 0;
  // The same, and before it a last WRITE to what the lock guards, on the lock's server: it has
  // landed before anybody else may enter. By default it is waited for first. Called where
  // frees_with_a_write() says that the lock posts it with what frees the lock, on one QP.
  virtual Task<ReleaseResult> write_and_release(Verb last, Grant grant);
  virtual bool frees_with_a_write() const { return false; }
  // To exclusive without letting go: the grant in its new mode, with the same id. When it is
  // aborted, the old grant stands. Aborted{unsupported} where the protocol has none.
  virtual Task<AcquireResult> upgrade(Grant grant, AcquireOptions options);
  // The same grant with a longer validity; when aborted, the old one stands. Aborted{unsupported}
  // where the protocol has none.
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

// An endpoint that is opened before any part is made, so that everybody knows its address.
struct EndpointPlan {
  std::uint32_t recvs = 0;  // 0: none
  Transport transport = Transport::dc;
};

// Bytes that a protocol wants besides its lock entries, each zeroed and aligned to 64, and
// endpoints that peers find in the directory.
struct Layout {
  std::uint64_t entry_bytes = 8;  // 8n; 1, 2, 4: part of a word, beside others; 0: nothing
  std::uint64_t entry_align = 8;
  std::uint64_t server_bytes = 0;     // on each server
  std::uint64_t client_bytes = 0;     // for each client, on its node
  std::uint64_t node_bytes = 0;       // for each client node
  std::uint64_t node_lock_bytes = 0;  // for each lock on each client node; a multiple of 8
  EndpointPlan client_endpoint = {};  // of each client
  EndpointPlan node_endpoint = {};    // of each client node's part
};

// What dies at once when somebody dies, as the source of the protocol has it: a client, its process
// (others notice that it does not acknowledge), or its node with everybody on it and its memory.
enum class CrashUnit : std::uint8_t { client, process, node };

// What of a lock is right only because time passes, beyond waits that end at a deadline: searches
// without time see none of it, and would call a sound lock broken.
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
  bool abortable = false;                    // a client that waits can give up at its deadline
  bool released_by_time = false;             // shared grants end alone: searches wait for that
  CrashUnit crash_unit = CrashUnit::client;  // searches crash this
  RestsOnTime rests_on_time = RestsOnTime::nothing;
};

// What a part is given. Everything in it outlives the part.
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
  // Writes a slice of the initial image of the entry at `entry` over zeroed words: that from its
  // `first_word`-th word on. Slices come in any order, some never. Part of a word: its low bytes.
  virtual void initial_image(RemoteAddr entry, std::uint64_t first_word,
                             std::span<std::uint64_t> words) const;
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
  std::function<std::unique_ptr<Protocol>(const ParamSet& params)> make;
  // Over the default profile: values under which rare paths (overflow, thresholds, leases) are
  // reached in small runs.
  ParamValues small_model;

  ParamSet small_params() const;
};

}  // namespace latchlab
