#pragma once
// The share of one repeat that one process runs: the clients of the nodes that its backend hosts.
// In a simulation that is all clients, and repeat.h turns it into a repeat. On hardware each node's
// process runs one share, and a collecting process merges them.
//
// Threads. A client's loop, faults and observer belong to the client's worker (Backend::worker_of)
// and access nothing of another worker: there is one observer per worker, its window opens through
// Backend::at_worker, and the workload keeps its random state per client. Everything else happens
// before or after the run.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checks/guard_words.h"
#include "core/measure/partial_metrics.h"
#include "core/measure/window.h"
#include "core/protocols/lock.h"
#include "core/run/trace_hook.h"
#include "core/scenario/scenario.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// Creates the backend for a plan of the world; the tool binds it to a concrete backend. Null: it
// cannot be set up here.
using BackendFactory =
    std::function<std::unique_ptr<Backend>(const WorldPlan& plan, const Point& point)>;

// From best to worst.
enum class RepeatStatus : std::uint8_t {
  ok,
  starved,      // a warning: some clients waited for one lock through the whole window
  too_short,    // a warning: cycles ended after the window, but none in it
  unavailable,  // the backend lacks what the protocol needs
  no_progress,  // all clients waited for one lock through the whole window; no deadlock
  stuck,        // deadlock: clients wait and no further event is possible
  failed,       // the process died, or the input was refused late
  unsafe,       // a violation of mutual exclusion
};
inline constexpr RepeatStatus kWorstStatus = RepeatStatus::unsafe;
std::string_view name_of(RepeatStatus status);
std::optional<RepeatStatus> repeat_status(std::string_view name);
// True if the metrics come from a run.
constexpr bool has_run(RepeatStatus status) {
  return status != RepeatStatus::unavailable && status != RepeatStatus::failed;
}

// The seed of repeat r of every point.
std::uint64_t repeat_seed(std::uint64_t seed, std::uint32_t repeat);

WorldShape shape_of(const Point& point, std::uint64_t seed);

// The largest number of locks that a section holds at once. Reads the point's traces completely; an
// error in a trace names its line.
Result<std::uint32_t> held_at_once(const Point& point);

// Why the point exceeds the limits of its protocol, given how many locks its sections hold at once;
// empty: it does not.
std::string limits_exceeded(const Point& point, const Protocol& protocol,
                            std::uint32_t held_at_once = 1);

// The first capability that the point's protocol needs and `has` lacks; empty: none.
std::string lacking(const Point& point, const Protocol& protocol, const Capabilities& has);

// No cycle ended in the window although clients were active: either the window is too short for the
// initial queue to drain, or the lock makes no progress. Running longer distinguishes the two; this
// extra time is not measured.
struct RunOn {
  Duration length;           // after the end of the window
  std::uint64_t cycles = 0;  // that ended in it
  bool stuck = false;        // no further event was possible
  Duration drained;          // estimated time from the start until each client has had a cycle

  bool progressed() const { return cycles > 0; }
};

// Runs a simulation on after its window, whose measurements are in `share`. Returns nullopt if
// cycles ended in the window or no client was active, or if a violation was found. Also returns
// nullopt if by the window's end as many cycles as clients have ended: such a lock has stopped.
std::optional<RunOn> run_on(Running& backend, const WindowRecorder& recorder,
                            const PartialMetrics& share);

struct ShareOutcome {
  RepeatStatus status = RepeatStatus::ok;  // not ok: refused (unavailable or failed)
  std::string message;                     // why; empty if it ran
  bool secondary = false;                  // refused because another process did not continue
  std::uint64_t seed = 0;
  RunEnd end = RunEnd::reached;
  std::vector<PartialMetrics> shares;  // by worker; empty if refused
  std::optional<RunOn> after;          // of a simulation without a cycle in its window
};

struct ShareOptions {
  // Guards record here what their clients do, one record per client of the run, in memory that
  // outlives this process. Empty: no journal outlives the process.
  std::span<GuardRecord> guard_journal;
  // Wraps the backend and the observer, which then have one worker. Null: none.
  TraceHook* hook = nullptr;
  // Called after set-up, right before the run, with a backend that lives until run_share ends. The
  // callee may wait here for other processes, and keep the backend to stop the run from elsewhere.
  std::function<void(Backend&)> about_to_run;
  // Called after the run while the backend exists, to add measurements that only the backend's
  // creator has.
  std::function<void(std::vector<PartialMetrics>&)> run_is_over;
};

ShareOutcome run_share(const Point& point, const ProtocolEntry& entry, std::uint32_t repeat,
                       const BackendFactory& make_backend, const ShareOptions& options = {});

}  // namespace latchlab
