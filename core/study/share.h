#pragma once
// The share of one repeat that one process runs: the clients of the nodes that its backend hosts.
// In a simulation that is everybody, and repeat.h makes a repeat of it; on hardware every node's
// process runs one, and the one that collects them makes the repeat.
//
// Threads. A client's loop, its faults and its observer belong to the client's worker
// (Backend::worker_of), and meet nothing of another worker's: there is one observer per worker,
// its window opens through Backend::at_worker, and the workload keeps what it draws per client.
// Everything else happens before the run or after it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checks/guard_words.h"
#include "core/measure/share.h"
#include "core/protocols/lock.h"
#include "core/scenario/scenario.h"
#include "core/study/onlooker.h"
#include "core/study/run_on.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// Makes the backend for a plan of the world; bound to a concrete backend by the tool. Null: it
// cannot be set up here.
using BackendFactory =
    std::function<std::unique_ptr<Backend>(const WorldPlan& plan, const Point& point)>;

// From best to worst.
enum class RepeatStatus : std::uint8_t {
  ok,
  starved,      // clients waited for one lock through the whole window: worth a warning, no failure
  too_short,    // no cycle ended in the window, and the first do after it: a warning as well
  unavailable,  // the backend lacks what the protocol needs
  no_progress,  // all clients waited for one lock through the whole window; things still happen
  stuck,        // clients wait, and nothing can ever happen again
  failed,       // the run's process died, or the input was refused late
  unsafe,       // a violation of mutual exclusion
};
inline constexpr RepeatStatus kWorstStatus = RepeatStatus::unsafe;
std::string_view name_of(RepeatStatus status);
std::optional<RepeatStatus> repeat_status(std::string_view name);
// Whether there is a run behind its metrics.
constexpr bool has_run(RepeatStatus status) {
  return status != RepeatStatus::unavailable && status != RepeatStatus::failed;
}

// Repeat r of every point runs with this seed.
std::uint64_t repeat_seed(std::uint64_t seed, std::uint32_t repeat);

WorldShape shape_of(const Point& point, std::uint64_t seed);

// Contradictions between a point, whose sections hold so many locks at once, and the limits of its
// protocol; empty when there are none.
std::string limits_exceeded(const Point& point, const Protocol& protocol,
                            std::uint32_t held_at_once = 1);

// What the protocol of the point needs and these lack; empty: nothing.
std::string lacking(const Point& point, const Protocol& protocol, const Capabilities& has);

struct ShareOutcome {
  RepeatStatus status = RepeatStatus::ok;  // else refused: unavailable or failed
  std::string message;                     // why; empty when it ran
  bool secondary = false;                  // refused because another process did not go on
  std::uint64_t seed = 0;
  RunEnd end = RunEnd::reached;
  std::vector<MeasuredShare> shares;  // by worker; empty when refused
  std::optional<RunOn> after;         // of a simulation, if the window leaves a question
};

struct ShareOptions {
  // Where guards write down what their clients do, a line for each client of the run: memory that
  // outlives this process. Empty: nobody reads it afterwards.
  std::span<GuardRecord> guard_journal;
  // Stands around the backend and the observer; they have one worker then. Null: nobody.
  Onlooker* onlooker = nullptr;
  // Hears of the backend when all is set up and the run is about to begin: to wait for the other
  // processes here, and to stop the run from elsewhere. The backend is there until run_share ends.
  std::function<void(Backend&)> about_to_run;
  // Hears of the shares when the run is over, before the backend goes: to add what only who made it
  // knows of it.
  std::function<void(std::vector<MeasuredShare>&)> run_is_over;
};

ShareOutcome run_share(const Point& point, const ProtocolEntry& entry, std::uint32_t repeat,
                       const BackendFactory& make_backend, const ShareOptions& options = {});

}  // namespace latchlab
