#include "core/measure/worker_metrics.h"

#include <algorithm>
#include <vector>

#include "core/measure/statistics.h"

namespace latchlab {
namespace {

void append_all(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

void add_workers(PartialMetrics& sum, const PartialMetrics& share) {
  append_all(sum.worker_ps, share.worker_ps);
  append_all(sum.worker_busy_ps, share.worker_busy_ps);
  append_all(sum.worker_turn_max_ps, share.worker_turn_max_ps);
  append_all(sum.worker_clients, share.worker_clients);
  append_all(sum.worker_began_ps, share.worker_began_ps);
  append_all(sum.clock_error_ns, share.clock_error_ns);
}

// `busiest` excludes workers with a server part alone: their load is part of the lock's, and does
// not delay the loops of clients.
void write_workers(const PartialMetrics& share, RepeatMetrics& metrics) {
  if (share.worker_ps.empty()) return;
  RepeatMetrics::Real busiest;
  RepeatMetrics::Workers& workers = metrics.workers;
  for (std::size_t i = 0; i < share.worker_ps.size(); ++i) {
    const RepeatMetrics::Real& busy =
        workers.busy.emplace_back(ratio(share.worker_busy_ps[i], share.worker_ps[i]));
    workers.turn_max_ns.emplace_back(static_cast<double>(share.worker_turn_max_ps[i]) / 1e3);
    if (share.worker_clients[i] > 0) busiest = std::max(busiest, busy);
  }
  workers.busiest = busiest;
  workers.longest_turn_ns =
      *std::max_element(workers.turn_max_ns.begin(), workers.turn_max_ns.end());
  const auto [first, last] =
      std::minmax_element(share.worker_began_ps.begin(), share.worker_began_ps.end());
  const RepeatMetrics::Real skew = static_cast<double>(*last - *first) / 1e3;
  RepeatMetrics::Real error;
  if (!share.clock_error_ns.empty()) {
    // The sum of the two largest: the bound for the two clocks that agree least.
    std::vector<double> errors(share.clock_error_ns.begin(), share.clock_error_ns.end());
    std::sort(errors.rbegin(), errors.rend());
    error = errors[0] + (errors.size() > 1 ? errors[1] : 0);
  }
  metrics.clocks = {skew, error};
}

std::string why_not_workers(const PartialMetrics& share) {
  const std::size_t workers = share.worker_ps.size();
  if (share.worker_busy_ps.size() != workers || share.worker_turn_max_ps.size() != workers ||
      share.worker_clients.size() != workers || share.worker_began_ps.size() != workers)
    return "its workers are not told of alike";
  std::uint64_t busy = 0;
  for (std::size_t i = 0; i < workers; ++i) {
    busy += share.worker_busy_ps[i];
    if (share.worker_busy_ps[i] > share.worker_ps[i])
      return "a worker was busy for longer than there was time";
  }
  if (workers > 0 && busy == 0 && share.law.counted_cycles > 0)
    return "its cycles were counted by workers that did nothing";
  return {};
}

}  // namespace latchlab
