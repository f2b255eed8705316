#pragma once
// Records one window of true time of a run in a TraceLog. Before the window the recorder only
// tracks the open slices; after the window, or when the log is full, it does nothing. A slice that
// crosses a border of the window is kept and marked "cut".

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/protocols/lock.h"
#include "core/protocols/message_names.h"
#include "core/verbs/operation.h"
#include "core/verbs/phases.h"
#include "core/verbs/verbs.h"
#include "core/world/address_map.h"
#include "core/world/effects.h"
#include "tools/export/trace_log.h"

namespace latchlab::exporting {

// The holders of each lock and the number of waiting clients, as tracks of the "process" named
// locks. Holds that overlap (readers, or a broken lock) get separate tracks.
class TraceLocks {
 public:
  // Before open(), calls update the state and log nothing.
  TraceLocks(TraceLog& log, std::uint32_t pid) : log_(log), pid_(pid) {}

  void asked(Time at, LockId lock);
  void gave_up(Time at, LockId lock);
  // The client's wait ends and its hold begins.
  void granted(Time at, ClientId client, const Grant& grant);
  void upgraded(Time at, ClientId client, const Grant& grant);
  void let_go(Time at, ClientId client, const Grant& grant, const std::string& args);
  void crashed(Time at, ClientId client, const std::string& args);

  // Begin and end of the traced window.
  void open(Time at);
  void close(Time at, const std::string& args);  // allowed without open()
  // Call once, at the end. Ranks the most contended locks first.
  void name_tracks();

 private:
  struct Hold {
    ClientId client;
    GrantId id;
    LockMode mode;
    Extent extent;
    Time since;
    Track track;
  };
  struct Lane {
    Track track;
    bool taken = false;
  };
  struct Lock {
    std::uint64_t waiting = 0;
    std::uint64_t most_waiting = 0;
    std::uint64_t holds = 0;
    std::vector<Hold> held;
    std::vector<Lane> lanes;
  };
  void waits(Time at, LockId id, Lock& lock, std::int64_t change);
  void show(Time at, LockId id, Lock& lock, Hold& hold);
  void hide(Time at, Lock& lock, const Hold& hold, const std::string& args);
  void tell_conflict(Time at, LockId id, const Lock& lock, const Hold& hold);

  TraceLog& log_;
  std::uint32_t pid_;
  std::uint32_t next_tid_ = 3'000'000;
  bool shown_ = false;
  std::map<LockId, Lock> locks_;
};

// Describes the effect of an operation on memory for a trace: the lock entry, the word's value
// afterwards, and the protocol's decoding of the entry.
class EffectText {
 public:
  // Both references must outlive this object.
  EffectText(const World& world, Inspecting& memory)
      : world_(world), memory_(memory), places_(world) {}

  // Whether the trace shows the operation: every verb, and CPU accesses that can change an entry.
  bool tells(const Operation& op) const;
  // Time of the effect and its wait at the NIC, in us as `ts`; the effect takes place at `now`.
  static Args dates(const Effect& effect, Time now);
  // The address and the value after the effect.
  Args outcome(const Operation& op) const;

 private:
  void add_entries(Args& args, const Operation& op, const AddressOwner& place) const;

  const World& world_;
  Inspecting& memory_;
  AddressMap places_;
};

struct TraceWindow {
  Time from;
  Time to;
  std::size_t max_events = 100'000;
};

// All times are true times and do not decrease from call to call.
class TraceRecorder {
 public:
  // `nodes`: names such as "node 1 (server)", indexed by NodeId - 1.
  TraceRecorder(const TraceWindow& window, const std::vector<std::string>& nodes);

  // Returns the actor's number for the calls below. A client is also addressed by its ClientId.
  std::size_t add_actor(ActorKind kind, NodeId node, ClientId client);
  std::size_t actor_of(ClientId client) const { return by_client_.at(client); }
  // The protocol's names for its messages; may be null. `names` must outlive the recorder.
  void name_messages(const MessageNames* names) { names_ = names; }

  // ---- the client loop ----
  void cycle_begins(Time at, ClientId client);
  void acquire_begins(Time at, ClientId client, LockId lock, LockMode mode);
  void aborted(Time at, ClientId client, AbortReason reason);
  void granted(Time at, ClientId client, const Grant& grant);
  void upgraded(Time at, ClientId client, const Grant& grant);
  void release_begins(Time at, ClientId client, const Grant& grant);
  void released(Time at, ClientId client, ReleaseResult result);
  void release_skipped(Time at, ClientId client, const Grant& grant);

  // ---- inside acquire and release ----
  void phase(Time at, ClientId client, Phase phase);
  void started(Time at, std::size_t actor, const Operation& op);
  void ended(Time at, std::size_t actor, const Operation& op);
  void wait_started(Time at, std::size_t actor, const WaitOperation& wait);
  void wait_ended(Time at, std::size_t actor, const WaitOperation& wait);
  void sleeps(Time at, std::size_t actor);
  void opened(std::size_t actor, EndpointAddr endpoint);

  // ---- at the other end ----
  // `actor` requested the operation. Its open slice for the operation stores the effect's time.
  void took_effect(Time at, std::size_t actor, const Effect& effect, const EffectText& text);
  // `op` is a message or a call.
  void arrived(Time at, std::size_t sender, const Operation& op);

  // ---- faults ----
  void crashed(Time at, ClientId client, std::string_view kind);
  void node_crashed(Time at, NodeId node);
  // Another fault of a client or a node; `args` is Args::str().
  void happened(Time at, ClientId client, std::string_view what, const std::string& args);
  void happened(Time at, NodeId node, std::string_view what, const std::string& args);

  // Call once, when the run has ended.
  void finish(Time at);
  const TraceLog& log() const { return log_; }
  // End of the recorded part of the window; full(): the limit on events cut the window short.
  Time shown_to() const { return shown_to_; }
  bool full() const { return full_; }

 private:
  enum class Kind : std::uint8_t { cycle, acquire, hold, release, phase, operation, wait, sleep };
  struct Slice {
    Kind kind = Kind::cycle;
    LockMode mode = LockMode::exclusive;
    Phase phase = Phase::other;
    bool ended = false;  // still open, because a slice begun after it has not ended
    Time since = {};
    LockId lock = {};
    const void* key = nullptr;  // Operation or WaitOperation
    std::uint64_t arrow = 0;
    Args effect = {};
    std::string result = {};
  };
  struct Actor {
    ActorKind kind = ActorKind::client;
    Track track;
    std::string name;
    NodeId node;
    std::vector<Slice> open;   // each nested in the one before
    Time idle_since = kNever;  // set between a client's release and its next cycle
  };
  using MessageKey = std::tuple<std::uint64_t, std::uint16_t, std::uint32_t, std::uint64_t,
                                std::array<std::uint64_t, 3>>;

  bool looks(Time at);
  void open(Time at);
  void close(Time at, std::string_view why);
  Actor& actor(ClientId client) { return actors_[actor_of(client)]; }
  Slice& push(Time at, Actor& actor, Slice slice);
  void pop(Time at, Actor& actor, const std::string& args);
  void pop_to(Time at, Actor& actor, Kind kind, const std::string& args = {});
  void wake(Time at, Actor& actor);
  void settle(Time at, Actor& actor, const void* key, const std::string& result);
  void end_idle(Time at, Actor& actor, const std::string& args = {});
  void clear(Time at, Actor& actor, const std::string& args);
  static bool inside(const Actor& actor, Kind kind);
  static int level(Kind kind);  // nesting depth: a slice lies within one of a smaller level
  static std::string name_of_slice(const Slice& slice);
  std::string args_of_slice(const Slice& slice) const;
  const Actor* target_of(const Operation& op) const;
  std::string receiver_of(const Operation& op) const;
  static MessageKey key_of(EndpointAddr target, const Message& message);
  void forget_arrow(const Operation& op, std::uint64_t arrow);

  TraceWindow window_;
  TraceLog log_;
  TraceLocks locks_;
  bool shown_ = false;
  bool closed_ = false;
  bool full_ = false;
  Time shown_to_;
  std::vector<Actor> actors_;
  std::map<ClientId, std::size_t> by_client_;
  std::map<std::uint64_t, std::size_t> owners_;  // of endpoints
  std::map<MessageKey, std::deque<std::uint64_t>> on_their_way_;
  std::uint64_t next_arrow_ = 1;
  const MessageNames* names_ = nullptr;
};

}  // namespace latchlab::exporting
