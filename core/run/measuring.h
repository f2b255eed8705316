#pragma once
// Observes the client loops of one repeat, checks every grant and computes the metrics.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/checks/false_conflict_counter.h"
#include "core/checks/safety_monitor.h"
#include "core/measure/metrics.h"
#include "core/measure/partial_metrics.h"
#include "core/measure/verb_metrics.h"
#include "core/measure/window.h"
#include "core/scenario/scenario.h"
#include "core/workload/client_loop.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

class MeasuringObserver final : public LoopObserver, public SafetyMonitor::Clocks {
 public:
  // Measures the clients of one worker of this process; all calls are made on that worker's thread.
  // Worker 0 also measures what concerns the whole process. The world must be attached.
  MeasuringObserver(const World& world, Backend& backend, std::uint32_t worker, Time window_start,
                    Duration window, OnViolation on_violation);
  ~MeasuringObserver() override;
  MeasuringObserver(const MeasuringObserver&) = delete;
  MeasuringObserver& operator=(const MeasuringObserver&) = delete;

  // Attaches the listeners of phase marks and first-effect events.
  void watch_clients();
  WindowRecorder& recorder() { return recorder_; }
  // As WindowRecorder::measure_groups(), and the verbs of groups.
  void measure_groups(std::size_t groups, std::vector<std::uint8_t> of_clients);
  // To be called at the time at which the window opens.
  void window_opens();
  // Opens the window now instead of at the planned time, and discards what was counted.
  void measure_anew();
  void client_crashed(ClientId client);
  void prefetch_client(ClientId client) const;

  // The measurements, at the end of the window.
  PartialMetrics share() const;

  // ---- LoopObserver ----
  void cycle_begins(ClientId client) override;
  void arrived(ClientId client, Duration ago) override;
  void acquire_begins(ClientId client, const Want& want) override;
  void acquire_aborted(ClientId client, const Want& want, AbortReason reason) override;
  void acquired(ClientId client, const Grant& grant) override;
  void upgrade_begins(ClientId client, const Grant& grant) override;
  void upgraded(ClientId client, const Grant& grant) override;
  void upgrade_aborted(ClientId client, const Grant& grant, AbortReason reason) override;
  void extended(ClientId client, const Grant& grant) override;
  void release_begins(ClientId client, const Grant& grant) override;
  void released(ClientId client, const Grant& grant, ReleaseResult result) override;
  void release_skipped(ClientId client, const Grant& grant) override;
  void section_cut(ClientId client) override { recorder_.section_cut(client); }
  void transferred(ClientId client, std::uint32_t bytes) override;
  void transaction_begins(ClientId client) override;
  void transaction_done(ClientId client) override;
  void transaction_given_back(ClientId client) override;

  Time local_now(ClientId client) const override {
    return backend_.local_now(world_.node_of(client));
  }

 private:
  // The stopwatch of one client: its phase, since when, and the time spent in each phase.
  struct Meter final : PhaseSink {
    const Running* clock = nullptr;
    std::array<Duration, kPhases> spent = {};
    Time since;
    Time begun;
    Phase current = Phase::other;
    bool arrived = false;    // started at the arrival of a section that has not begun yet
    bool under_way = false;  // a transaction runs, since:
    Time transaction_begun;
    bool trying = false;  // from the first acquire call of a want to its end, retries included
    bool upgrading = false;
    bool releasing = false;
    bool crashed = false;
    LockMode asked = LockMode::exclusive;
    bool asked_for_part = false;  // of the object
    ActorTally tally_at_start;    // of the acquisition or release under way
    // In the cycle's acquisitions: atomics, and CAS operations that did not match.
    std::uint32_t atomics_in_acquire = 0, mismatched_in_acquire = 0;
    WindowRecorder* recorder = nullptr;
    Time recovery_begun;

    void mark(Phase phase) override;
    void was(Phase phase) override;
    void recovery_begins() override;
    void recovery_ends() override;
    void mark_at(Phase phase, Time now);
    void restart(Time now);
    Duration stop(Time now);
  };

  void judge(bool safe);
  void note(Time now, std::uint64_t what, ClientId client, const Grant& grant);
  VerbTally background_tally() const;
  std::uint64_t recoveries() const;
  void count_clients(PartialMetrics& share) const;
  void write_process(PartialMetrics& share) const;

  const World& world_;
  Backend& backend_;
  std::uint32_t worker_;
  std::vector<ClientId> measured_;
  bool sees_everything_;
  Time window_start_;
  Duration window_;
  OnViolation on_violation_;
  WindowRecorder recorder_;
  SafetyMonitor monitor_;
  FalseConflictCounter contacts_;  // among clients that acquire parts of an object
  std::vector<Meter> meters_;      // by ClientId
  std::string violation_;

  struct Counted : Counters {
    std::vector<VerbTally> cycles{1};  // in counted cycles, by group
    AcquireAtomics acquisitions;
    PhaseTotals read, write, release;
    PhaseTotals read_waited, write_waited;
    Histogram transaction;
    std::uint64_t given_back = 0;  // transactions
  } counted_;                      // during the window
  VerbTally background_before_;
  std::uint64_t recoveries_before_ = 0;
};

}  // namespace latchlab
