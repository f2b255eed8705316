#pragma once
// The measured window [start, start + length), and what counts in it.
//
// A cycle runs from one acquire call of a client to its next (hold, release, think and aborted
// tries included). It counts where it ends, with its whole length, even if it began before the
// window. An acquisition or release also counts where it ends. A cycle whose section was cut at the
// end of its grant counts in the law and in the lengths of cycles, but not in goodput. All dates
// are true simulation time; the recorder reads no clock.
//
// A closed loop calls, per client and in order of time:
//   next_cycle(c, t0), acquired(...), released(...), next_cycle(c, t1), ...
// Give every client its first cycle before the window starts: a start offset is think time. A
// client that crashes makes no further calls; its cycle stays open.
// In an open loop a cycle counts from the arrival of its section, which may be later than its
// border, or earlier if the client was busy. The law is about clients, and excludes time before the
// border.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/prefetch.h"
#include "core/base/time.h"
#include "core/measure/histogram.h"
#include "core/measure/metrics.h"
#include "core/measure/partial_metrics.h"

namespace latchlab {

class WindowRecorder {
 public:
  // For some of the run's clients, given in ascending order; the other clients make no calls. The
  // length is positive.
  WindowRecorder(std::uint32_t clients, std::vector<ClientId> measured, Time start,
                 Duration length);
  WindowRecorder(std::uint32_t clients, Time start, Duration length);  // for all clients

  // Called before the run, for optional metrics: intervals of this length, the last one shorter if
  // the window ends before; acquisitions of one lock; cycles of groups of clients, by their indices
  // by ClientId.
  void measure_intervals(Duration length);
  void measure_lock(LockId lock) { lock_ = lock; }
  void measure_groups(std::size_t groups, std::vector<std::uint8_t> of_clients) {
    group_cycles_.resize(groups);
    group_of_ = std::move(of_clients);
  }
  bool measures_groups() const { return !group_cycles_.empty(); }
  // 0 if groups are not measured.
  std::size_t group_of(ClientId client) const {
    return measures_groups() ? group_of_[client.value] : 0;
  }

  // Starts the window at `date`, before any call of that date: what was counted so far is dropped.
  void open(Time date);
  // Called at the end of each of kBatches parts of the window, in order; optional for the last one.
  void batch_ended() { batches_.push_back(done_cycles()); }
  // All cycles that have ended so far, in the window or not.
  std::uint64_t ended_cycles() const { return ended_; }

  // True if an operation that ends at `date` counts.
  bool counts(Time date) const { return date >= start_ && date < end_; }

  void begin_cycle(ClientId client, Time date);
  void cycle_ended(ClientId client, Time date);
  // The border between two cycles: ends the open one, if there is one, and begins the next.
  void next_cycle(ClientId client, Time date);
  // The section of the client's open cycle arrived so long before `date`, and has not started yet.
  void arrived(ClientId client, Time date, Duration ago);
  // The section of the client's open cycle was cut.
  void section_cut(ClientId client) { clients_[client.value].cut = true; }
  // An acquisition or release that ended at `date` and took `length`. `shared`: the requested mode.
  void acquired(Time date, Duration length, bool shared, LockId lock = {});
  void released(Time date, Duration length);
  // A recovery of a lock that ended at `date`, likewise.
  void recovered(Time date, Duration length);

  void prefetch_client(ClientId client) const {
    prefetch(clients_[client.value]);
    prefetch(cycles_by_client_[client.value]);
  }

  // The following are for the end of the window, when the run has reached it.
  std::uint64_t counted_cycles() const { return done_cycles() + cut_; }
  WindowLaw law() const;
  bool check_window_law() const { return law().holds(); }
  // Little's law, mean cycle x goodput = clients within 1%; none if there are too few cycles for a
  // sharp test (fewer than a thousand per client).
  std::optional<bool> check_littles_law() const;

  // Writes the clients and their cycles, the histograms, open cycles, both halves and the law.
  void write_to(PartialMetrics& share) const;

 private:
  struct Client {
    bool open = false;
    bool seen = false;
    bool cut = false;  // the section of the open cycle was cut
    Time since;        // when the open cycle began, or the last one ended
    Duration waited;   // from the arrival of the section to the open cycle's begin
  };
  struct Interval {
    std::uint64_t cycles = 0, acquisitions = 0, acquire_ps = 0;
  };
  std::uint64_t done_cycles() const { return first_half_ + second_half_; }
  Interval* interval_at(Time date);                    // null: no intervals are measured
  std::uint64_t overlap_ps(Time from, Time to) const;  // with the window
  void write_open(PartialMetrics& share) const;

  Time start_;
  Time middle_;
  Time end_;
  std::vector<ClientId> measured_;
  std::vector<Client> clients_;  // by ClientId, and so below
  std::vector<std::uint64_t> cycles_by_client_;
  std::uint64_t first_half_ = 0;  // cycles that counted and were not cut
  std::uint64_t second_half_ = 0;
  std::uint64_t cut_ = 0;  // cycles that counted and were cut
  std::uint64_t ended_ = 0;
  std::vector<std::uint64_t> batches_;  // done_cycles() at the end of each
  // For cycles that have ended; law() adds those that are still open.
  std::uint64_t ages_at_start_ps_ = 0;
  std::vector<std::uint64_t> ages_at_end_ps_;  // one for each cycle that was open at the end
  std::uint64_t idle_ps_ = 0;
  Wide waited_ps_ = 0;  // of counted cycles
  Histogram cycle_, acquire_read_, acquire_write_, release_, recovery_;
  std::optional<LockId> lock_;
  Histogram acquire_lock_;
  std::vector<Histogram> group_cycles_;  // empty: groups are not measured
  std::vector<std::uint8_t> group_of_;   // by ClientId
  Duration interval_;                    // zero: no intervals are measured
  std::vector<Interval> intervals_;
};

}  // namespace latchlab
