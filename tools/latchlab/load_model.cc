// Estimates how many verbs a point will post, with the bounds of a closed queueing network (Denning
// and Buzen, 1978). Three bounds limit critical sections per second: the number of clients over the
// duration of an uncontended section, the service rate of a server's RNIC or CPU, and the hottest
// lock, which serves one holder after the other. Waiting clients of a polling lock add verbs.
// Within a factor of two for most locks: an estimate of cost, not a prediction.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/protocols/registry.h"
#include "tools/latchlab/estimate.h"

namespace latchlab::tool {
namespace {

constexpr double kPpb = 1e-9;
// Pause of a waiting client between two polls, in round trips, for locks that back off or poll at a
// fixed pace. Locks that retry without backoff have no pause.
constexpr double kPause = 4;
constexpr double kHotWords = 1.5;  // equivalent number of words saturated by retries
constexpr std::int64_t kLocalAccesses =
    7;  // of the CPU, by an acquisition without verbs and its release

// The sum of k^-theta for k from 1 to n: the first terms exactly, the rest as an integral.
double harmonic(double n, double theta) {
  constexpr double kExact = 64;
  double sum = 0;
  for (double k = 1; k <= std::min(n, kExact); ++k) sum += std::pow(k, -theta);
  if (n <= kExact) return sum;
  const double from = kExact + 0.5, to = n + 0.5;
  const double power = 1 - theta;
  return sum + (std::abs(power) < 1e-9 ? std::log(to / from)
                                       : (std::pow(to, power) - std::pow(from, power)) / power);
}

double share_of_first(const DistributionSpec& distribution, double n) {
  switch (distribution.kind) {
    case DistributionKind::uniform:
      return 1 / n;
    case DistributionKind::zipf:
      return 1 / harmonic(n, static_cast<double>(distribution.theta_ppb) * kPpb);
    case DistributionKind::power_law: {
      const double power = 1 - static_cast<double>(distribution.alpha_ppb) * kPpb;
      if (std::abs(power) < 1e-9) return std::log(2) / std::log(n + 1);
      return (std::pow(2, power) - 1) / (std::pow(n + 1, power) - 1);
    }
    case DistributionKind::hotspot:
      break;
  }
  const double hot = std::max(1.0, static_cast<double>(distribution.hot_locks_ppb) * kPpb * n);
  return static_cast<double>(distribution.hot_accesses_ppb) * kPpb / hot;
}

double mean_size(const RangeSpec& range) {
  double sum = 0;
  for (const std::uint64_t size : range.sizes) sum += static_cast<double>(size);
  return sum / static_cast<double>(range.sizes.size());
}

// The share of acquisitions that request the hottest lock; for ranges, the share that conflicts
// with the most requested units of the object.
double hottest_share(const WorkloadSpec& workload, std::uint64_t locks, double servers) {
  const auto n = static_cast<double>(std::max<std::uint64_t>(locks, 1));
  if (workload.kind == WorkloadKind::range) {
    const double units = static_cast<double>(std::max<std::uint64_t>(workload.range.units, 1));
    return std::min(1.0, 2 * mean_size(workload.range) / units) / n;
  }
  // Clients of one file access places of their own, and neighbours at most meet at an edge.
  if (workload.kind == WorkloadKind::file_io && workload.file.pattern != FilePattern::oltp)
    return 0;
  if (workload.kind == WorkloadKind::micro || workload.kind == WorkloadKind::index ||
      workload.kind == WorkloadKind::object_store) {
    if (!workload.locality_ppb) return share_of_first(workload.distribution, n);
    // A client draws the server first, so that each server has a hottest lock.
    return share_of_first(workload.distribution, std::max(n / servers, 1.0)) / servers;
  }
  return 1 / n;
}

// Number of locks per critical section.
double wants_of(const WorkloadSpec& workload) {
  switch (workload.kind) {
    case WorkloadKind::transactions:
      switch (workload.transactions.mix) {
        case MixKind::tatp:
        case MixKind::smallbank:
          return 1.5;
        case MixKind::tpcc_blocks:
        case MixKind::tpcc_rows:
          return 12;
      }
      return 1;
    case WorkloadKind::trace:
      return 4;
    default:
      return workload.locks_per_section;
  }
}

struct Times {
  double round_trip, section, hold;  // without waiting; hold: of one lock
};

double trips(const Cost& cost) {
  return cost.half_trips / 2.0;
}
double verbs(const Cost& cost) {
  return cost.verbs + cost.messages + cost.calls;
}

// The mean over shared and exclusive acquisitions.
double mixed(double exclusive, double shared, double reads) {
  return exclusive * (1 - reads) + shared * reads;
}

struct LockLoad {
  const ProtocolInfo& info;
  double reads;  // shared acquisitions among all
  bool retries_at_once;
  bool tickets;
  double per_ticket_s;  // pause between two polls of a ticket lock, per client ahead
  double local;         // share of acquisitions by the CPU of the lock's node, without verbs

  double of_pair(double (*each)(const Cost&), const CostPair& x, const CostPair& s) const {
    return mixed(each(x.acquire) + each(x.release), each(s.acquire) + each(s.release), reads);
  }
  double free_trips() const {
    return (1 - local) * of_pair(trips, info.costs.free_exclusive, info.costs.free_shared);
  }
  double free_verbs() const {
    return (1 - local) * of_pair(verbs, info.costs.free_exclusive, info.costs.free_shared);
  }
  // Atomics on the hottest word per acquisition. At most two: one that acquires the lock and one
  // that releases it.
  double on_one_word() const { return std::min(free_verbs(), 2.0); }
  double calls() const {
    return of_pair([](const Cost& cost) { return double{1} * cost.calls; },
                   info.costs.free_exclusive, info.costs.free_shared);
  }
  bool polls() const { return info.costs.exclusive_after_exclusive.acquire.at_least; }
  // Serial turns of a lock per acquisition: concurrent readers share one. With tickets, readers are
  // concurrent only if no writer's ticket lies between theirs.
  double turns() const {
    const double writes = std::max(1 - reads, 0.05);
    return per_ticket_s > 0 ? writes * (2 - writes) : writes;
  }
};

LockLoad lock_of(const Point& point, const ProtocolEntry& entry, const WorkloadSpec& workload) {
  const auto& params = point.protocol.params.values();
  const auto backoff = params.find("backoff");
  const auto* const kind =
      backoff != params.end() ? std::get_if<std::string>(&backoff->second) : nullptr;
  const double reads =
      entry.info.shared_mode ? static_cast<double>(workload.read_ratio_ppb) * kPpb : 0;
  const auto omega = params.find("omega");
  const auto* const pause = omega != params.end() ? std::get_if<Duration>(&omega->second) : nullptr;
  const double per_ticket = pause != nullptr ? pause->seconds() : 0;
  const bool at_once = kind != nullptr ? *kind == "none" : pause != nullptr && per_ticket == 0;
  const auto cohorts = params.find("cohorts");
  const auto* const local =
      cohorts != params.end() ? std::get_if<std::string>(&cohorts->second) : nullptr;
  const bool by_cpu = local != nullptr && *local == "two" && point.platform.colocated;
  const double elsewhere = 1.0 / point.platform.servers;
  const double on_own_node =
      workload.locality_ppb ? static_cast<double>(*workload.locality_ppb) * kPpb : elsewhere;
  return {entry.info, reads, at_once, pause != nullptr, per_ticket, by_cpu ? on_own_node : 0};
}

double arriving(const WorkloadSpec& workload) {
  return workload.arrivals.kind == ArrivalKind::poisson
             ? static_cast<double>(workload.arrivals.per_second)
             : std::numeric_limits<double>::infinity();
}

// The rate at which one server can execute atomics that acquire and release locks, per second.
// Atomics on entries whose addresses select the same slot are serialised.
double atomics_by_slots(const Point& point) {
  const NicModel& nic = point.platform.nic;
  const std::int64_t words = static_cast<std::int64_t>(point.locks.stride_bytes) / 8;
  const std::int64_t slots = nic.slots / std::gcd(nic.slots, std::max<std::int64_t>(words, 1));
  return static_cast<double>(slots) / nic.hold_8.seconds();
}

// How long a lock is unavailable after its holder does not release it.
double outage_s(const Point& point, const ProtocolInfo& info) {
  const double run = run_seconds(point);
  const Duration timeout =
      info.longest_timeout ? info.longest_timeout(point.protocol.params) : Duration{};
  return timeout.ps > 0 ? std::min(timeout.seconds(), run) : run;
}

double not_released(const Point& point) {
  double share = 0;
  for (const FaultSpec& fault : point.faults)
    if (fault.kind == FaultKind::skip_release)
      share += static_cast<double>(fault.probability_ppb) * kPpb;
  return share;
}

// Sections per second if some locks are lost and each client that requests a lost lock waits half
// an outage: R (1 / `free` + R lost outage / 2) = 1 for each client, where lost = R p outage /
// locks.
double with_outages(double free, double clients, double p, double outage, double share) {
  if (p <= 0) return free;
  const double a = p * outage * outage * share / 2, b = clients / free;
  return 2 * clients / (b + std::sqrt(b * b + 4 * a * clients));
}

// Acquisitions per second that servers' structures of ranges allow: one request at a time changes
// the structure of an object, except list_cpu's, which all cores do. Steps as `latchlab-bench
// ranges` counts them; a release takes as many in a tree, and one in a list.
double by_structures(const Point& point, const LockLoad& lock, double clients) {
  const auto& params = point.protocol.params.values();
  const auto step = params.find("step");
  const auto* const each = step != params.end() ? std::get_if<Duration>(&step->second) : nullptr;
  if (each == nullptr || each->ps == 0 || lock.calls() <= 0)
    return std::numeric_limits<double>::infinity();
  const double objects = static_cast<double>(std::max<std::uint64_t>(point.locks.count, 1));
  const double held = std::max(clients / objects, 1.0);
  const std::string& name = point.protocol.name;
  double steps = 1;
  if (name == "list_cpu")
    return objects * static_cast<double>(point.platform.nic.server_cores) /
           ((5 + held / 2) * each->seconds());
  if (name == "interval_tree") steps = 2 + 2.2 * std::log2(held + 1);
  if (name == "maple_tree") steps = 1 + std::log2(held + 1) / 3;
  return objects / (lock.calls() * steps * each->seconds());
}

double round_trip_s(const NicModel& nic) {
  return (nic.post + nic.one_way * 2 + nic.jitter + nic.completion + nic.read).seconds();
}

Load load_of(const Point& point, const WorkloadSpec& workload, double clients,
             const ProtocolEntry& entry) {
  const NicModel& nic = point.platform.nic;
  const LockLoad lock = lock_of(point, entry, workload);
  const double trip = round_trip_s(nic);
  const double wants = wants_of(workload);
  const bool data = workload.kind == WorkloadKind::file_io && workload.file.data != FileData::none;
  const double ops =
      data ? 1 : workload.remote_ops * (makes_transactions(workload.kind) ? 2 * wants : 1);
  const double work = workload.critical_section.seconds() + ops * trip;
  const double per_call = nic.call_service.seconds();
  const double by_cpu =
      lock.local * (nic.cpu_access * kLocalAccesses + nic.line_transfer).seconds();
  // The duration of a section, and of one lock's hold in it: earlier locks are held longer.
  const double free = wants * (lock.free_trips() * trip + lock.calls() * per_call + by_cpu);
  const double section = free + work + workload.think_time.seconds();
  const double held = work + free / 2 * (wants > 1 ? 1 : 0);
  const double hand_over =
      (1 - lock.local) * std::max(trips(entry.info.costs.exclusive_after_exclusive.acquire), 1.0) *
          trip +
      by_cpu + lock.calls() * per_call + lock.per_ticket_s;

  const double share =
      std::min(1.0, wants * hottest_share(workload, point.locks.count, point.platform.servers));
  double hold = held + hand_over;
  double sections = clients / section;
  double waiting = 0;
  for (int i = 0; i < 3; ++i) {  // iterate, because retries of waiting clients delay the holder
    const double at_hottest = 1 / (share * lock.turns() * hold);
    const double verbs_of_section = wants * lock.free_verbs() + ops;
    const double served =
        point.platform.servers / std::max(verbs_of_section * nic.serve_atomic_8.seconds(),
                                          wants * lock.calls() * per_call / nic.server_cores);
    const double at_word = 1 / (share * lock.on_one_word() * nic.hold_8.seconds());
    const double at_slots =
        point.platform.servers * atomics_by_slots(point) / (wants * lock.on_one_word());
    const double at_lock = std::min({clients / section, at_hottest, at_word});
    const double elsewhere = std::min(
        {at_slots, served, by_structures(point, lock, clients) / wants, arriving(workload)});
    sections = std::min(at_lock, elsewhere);
    // A client that waits for a server rather than for a lock does not poll meanwhile.
    waiting = at_lock < elsewhere ? std::max(0.0, clients - sections * section) : 0;
    if (!lock.retries_at_once) break;
    hold = held + hand_over + std::min(waiting, clients) * nic.hold_8_failed.seconds();
  }
  const double served = sections;
  sections = with_outages(sections, clients, not_released(point), outage_s(point, entry.info),
                          share * lock.turns());
  const double waiting_for_lost = clients * (1 - sections / served);
  Load load;
  load.sections_s = sections;
  load.verbs_s = sections * (wants * lock.free_verbs() + ops);
  load.local_s = sections * wants * lock.local;
  if (lock.polls()) {
    // On average, half of the waiting clients are ahead of a client with a ticket.
    const double pause =
        std::max(lock.retries_at_once ? 0 : kPause * trip, waiting / 2 * lock.per_ticket_s);
    const double pace = trip + pause;
    // Clients poll tickets with READs, which slots do not serialise.
    const double most = lock.tickets ? point.platform.servers / nic.serve_read.seconds()
                                     : kHotWords / nic.hold_8_failed.seconds();
    const double pace_at_lost = trip + (lock.tickets ? lock.per_ticket_s : kPause * trip);
    load.verbs_s += std::min(waiting / pace + waiting_for_lost / pace_at_lost, most);
  }
  return load;
}

}  // namespace

Load estimate_load(const Point& point) {
  Load all;
  const ProtocolEntry* const entry = find_protocol(point.protocol.name);
  if (entry == nullptr) return all;
  const auto add = [&](const WorkloadSpec& workload, double clients) {
    const Load load = load_of(point, workload, clients, *entry);
    all.sections_s += load.sections_s;
    all.verbs_s += load.verbs_s;
    all.local_s += load.local_s;
  };
  if (point.groups.empty()) add(point.workload, point.platform.clients());
  for (const GroupSpec& group : point.groups) add(group.workload, group.clients.clients());
  return all;
}

}  // namespace latchlab::tool
