#pragma once
// The explorer: a backend in which every interleaving that the guarantees of Verbs allow can
// happen, and no other guarantee holds. Everything is in memory; a run is a sequence of steps, each
// chosen among all that are allowed.
//
// How it treats each guarantee
//  - A verb's effect and its completion are separate steps; any step may happen in between.
//  - READs and WRITEs longer than 8 bytes take effect word by word, in any order (long ones in
//    eight pieces): they can be torn. The same steps move the data of a READ or WRITE with a
//    `local` address.
//  - An atomic is two steps, a read and a write of its whole words. Other atomics on these words
//    wait; a WRITE or a CPU store in between is overwritten. A failing CAS has no second step.
//  - Verbs of one actor to one node share a QP. They start and complete in posting order. An effect
//    waits for the effects of earlier WRITEs, but overtakes earlier READs and atomics that have not
//    returned; a fenced verb, and those posted after it, start only when all earlier READs and
//    atomics have returned. Verbs to different nodes, messages and calls are not ordered among each
//    other.
//  - An error flushes the verbs behind it on the same QP, whether they took effect or not; verbs
//    posted later use a fresh QP.
//  - Messages arrive in order from one sender to one endpoint. A sender that finds no RECV tries
//    again when one is posted; it gives up (receiver_not_ready) only when nothing else can happen,
//    or when the receiver has crashed.
//  - A datagram may be lost at any time without an error at its sender. Its sender does not wait
//    for it, and later messages may overtake it.
//  - A call whose deadline passes may still reach the server, or be there; its reply is dropped.
//  - A crash destroys the client's coroutine at a suspension. Of its verbs posted to one QP, or
//    messages to one endpoint, a prefix of chosen length still takes effect. A process crash closes
//    its endpoints as well; a node crash also takes all actors and the memory of the node.
//  - `membership` shows a crash after a step of its own.
//  - If a search asks for it (keep_retrying), RC retries a SEND, and a verb or call to a dead node,
//    for longer than a lease. The SEND then arrives late, or fails although its receiver is alive,
//    also after it has arrived: the answer was lost.
//  - If a search asks for it (cuts), the path between two nodes is down for longer than RC retries:
//    verbs, messages and calls over it fail, with their effect or without it.
//
// Time. There is none: the capability `timing` is absent. The clock counts steps, one nanosecond
// each, and is the same on every node. Sleeps, and the start dates of coroutines, are ordinary
// steps. A deadline in the future, an "unchanged for T" and the end of a sender's retries are
// possible only when no other step is: then the clock moves to the earliest of these dates.
// await_remote issues its probe only if the memory as it is now would end the wait; that step is
// possible, never forced, and when the probe takes effect the memory may have changed again (a
// miss). There are no pauses between probes.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backends/explorer/slots.h"
#include "core/world/backend.h"

namespace latchlab {

class Chooser;

namespace explorer {
class Actor;
class State;
struct SearchSupport;
struct Step;
}  // namespace explorer

struct ExplorerOptions {
  std::uint64_t seed = 1;

  struct Crash {
    ClientId client;
    std::uint64_t after_steps = 0;
    CrashKind kind = CrashKind::client;
  };
  std::vector<Crash> crashes;
  // run_until returns RunEnd::reached after so many steps; 0: no limit.
  std::uint64_t max_steps = 0;
  // True: atomics are one step, and the capability atomic_with_writes is native.
  bool atomic_with_writes = false;

  bool record = false;                // record the choices: see choices()
  std::vector<std::uint32_t> replay;  // choices of an earlier run instead of random ones

  // Set by a search, which makes the steps itself: the model is built in its arenas, nothing is
  // counted, random numbers repeat, and the clock stands still until the search moves it.
  explorer::SearchSupport* search = nullptr;
};

class ExplorerBackend final : public Backend {
 public:
  ExplorerBackend(const WorldPlan& plan, const ExplorerOptions& options);
  ~ExplorerBackend() override;

  const Capabilities& capabilities() const override { return capabilities_; }
  Verbs& add_actor(ActorKind kind, NodeId node, ClientId client) override;
  void spawn(Verbs& actor, Task<void> root, Time start) override;
  void serve_calls(Verbs& server, CallHandler& handler) override;

  RunEnd run_until(Time date) override;
  void request_stop() override { stop_requested_ = true; }
  Time true_now() const override;
  void at(Time date, std::function<void()> action) override;
  void crash(ClientId client, CrashKind kind) override;

  Time local_now(NodeId node) const override;
  std::uint64_t peek(RemoteAddr word) override;
  void poke(RemoteAddr word, std::uint64_t value) override;

  RunFingerprint& fingerprint() override;
  std::uint64_t events() const override { return steps_made_; }
  VerbCensus census() const override;
  Unreceived unreceived() const override;
  void reset_stats() override {}
  NicStats busiest_server() const override { return {}; }

  // The choices made so far, for ExplorerOptions::replay.
  const std::vector<std::uint32_t>& choices() const;

  // ---- for searches ----
  // All steps that are possible now, and those that only the clock makes possible. Valid until a
  // step is made.
  const explorer::StepList& possible();
  // In a timed search, the steps with the dates at which they are possible; valid until a step is
  // made. No step is possible after the end of a pause before the pause has ended. `last`: one of
  // them has to happen by then. It is returned and not stored here, where it would be part of the
  // states.
  const std::vector<explorer::StepList::Dated>& possible_by_date(Time& last);
  // When the pause of a client ends, in a timed search.
  Time end_of_pause(ClientId client) const;
  // A step of possible() that may be made before all others, because it commutes with all of them
  // and no client can observe when it happens; null: there is none, or options.search disables the
  // reduction.
  const explorer::Step* forced_step() const;
  // Makes the step; choices within it are made by `inner`.
  void make(const explorer::Step& step, Chooser& inner);
  void crash(ClientId client, CrashKind kind, Chooser& inner);
  void pause_cpu(ClientId client, bool paused, Time until = {});
  // Whether the step ends an operation that RC may retry for longer than a lease.
  bool ends_retries(const explorer::Step& step) const;
  // The number of such operations under way that have outlasted no lease so far.
  std::uint32_t retried_briefly() const;
  // All of them outlast a lease.
  void keep_retrying();
  // From here on completions are not merged with other steps, so that they may fail; or they are.
  void expect_cuts(bool expected);
  // Where the operation of this step goes, if that is another node, and the step depends on the
  // path.
  std::optional<explorer::Path> path_of(const explorer::Step& step) const;
  // The steps by which operations under way fail because their path is down.
  std::vector<explorer::Step> cuts();
  // All operations over the path outlast a lease.
  void keep_retrying(const explorer::Path& path);
  void move_clock(Time date);
  bool all_clients_done() const;
  bool is_dead(NodeId node) const;
  explorer::State& state() { return *state_; }

 private:
  struct Action {
    Time date;
    std::function<void()> run;
  };
  bool run_due_actions();
  void crash_as_planned();
  void list_steps();
  bool advance_clock(Time limit);
  void perform_chosen();

  Capabilities capabilities_;
  std::unique_ptr<explorer::State> state_;
  std::unique_ptr<explorer::StepList> steps_;
  std::vector<std::uint32_t> owners_;
  std::vector<Action> actions_;  // by date; equal dates in the order in which they were added
  std::vector<ExplorerOptions::Crash> planned_crashes_;
  std::uint64_t steps_made_ = 0;
  bool stop_requested_ = false;
};

std::unique_ptr<Backend> make_explorer(const WorldPlan& plan, const ExplorerOptions& options);

}  // namespace latchlab
