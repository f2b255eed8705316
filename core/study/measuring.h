#pragma once
// Watches the client loops of one repeat: checks every grant, and turns what it sees into metrics.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/checks/range_contacts.h"
#include "core/checks/safety_monitor.h"
#include "core/measure/metrics.h"
#include "core/measure/share.h"
#include "core/measure/verb_metrics.h"
#include "core/measure/window.h"
#include "core/scenario/scenario.h"
#include "core/workload/client_loop.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

class MeasuringObserver final : public LoopObserver, public SafetyMonitor::Clocks {
 public:
  // Measures the clients of one worker of this process, on whose thread everything is called, and
  // with worker 0 what concerns the whole process. The world is attached.
  MeasuringObserver(const World& world, Backend& backend, std::uint32_t worker, Time window_start,
                    Duration window, OnViolation on_violation);
  ~MeasuringObserver() override;
  MeasuringObserver(const MeasuringObserver&) = delete;
  MeasuringObserver& operator=(const MeasuringObserver&) = delete;

  // Attaches phase marks and first effects.
  void watch_clients();
  WindowRecorder& recorder() { return recorder_; }
  // To be called at the date at which the window opens.
  void window_opens();
  // The window opens now, and not as it was thought to; what has counted does not.
  void measure_anew();
  bool sees_everything() const { return sees_everything_; }
  void client_crashed(ClientId client);
  void prefetch_client(ClientId client) const;

  // What was measured, at the end of the window.
  MeasuredShare share() const;

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
  void transaction_done(ClientId client) override;
  void transaction_given_back(ClientId client) override;

  Time local_now(ClientId client) const override {
    return backend_.local_now(world_.node_of(client));
  }

 private:
  // One client's stopwatch: where it is, since when, and what it has spent where.
  struct Meter final : PhaseSink {
    const Running* clock = nullptr;
    std::array<Duration, kPhases> spent = {};
    Time since;
    Time begun;
    Phase current = Phase::other;
    bool arrived = false;    // it runs since the arrival of a section that has not begun yet
    bool under_way = false;  // its transaction, since:
    Time transaction_begun;
    bool trying = false;  // between the first acquire call for a want and its end, retries included
    bool upgrading = false;
    bool releasing = false;
    bool crashed = false;
    LockMode asked = LockMode::exclusive;
    bool asked_for_part = false;  // of the object
    // Of the cycle's acquisitions: atomics, and CAS that did not match.
    std::uint32_t atomics_at_acquire = 0, mismatched_at_acquire = 0;
    std::uint32_t atomics_in_acquire = 0, mismatched_in_acquire = 0;

    void mark(Phase phase) override;
    void was(Phase phase) override;
    void mark_at(Phase phase, Time now);
    void restart(Time now);
    Duration stop(Time now);
  };

  void judge(bool safe);
  void note(Time now, std::uint64_t what, ClientId client, const Grant& grant);
  VerbTally background_tally() const;
  std::uint64_t recoveries() const;
  void count_clients(MeasuredShare& share) const;
  void write_process(MeasuredShare& share) const;

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
  RangeContacts contacts_;     // among those who want a part of an object
  std::vector<Meter> meters_;  // by ClientId
  std::string violation_;

  struct Counted {
    VerbTally cycles;  // of counted cycles
    AcquireAtomics acquisitions;
    PhaseTotals read, write, release;
    PhaseTotals read_waited, write_waited;
    std::uint64_t aborted = 0;
    std::uint64_t ranges_as_whole = 0, false_conflicts = 0;
    Histogram transaction;
    std::uint64_t given_back = 0;                             // transactions
    std::array<std::uint64_t, kLockModes> as_exclusive = {};  // grants, by what was asked for
  } counted_;                                                 // inside the window
  VerbTally background_before_;
  std::uint64_t recoveries_before_ = 0;
};

}  // namespace latchlab
