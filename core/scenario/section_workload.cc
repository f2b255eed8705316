#include "core/base/ids.h"
#include "core/scenario/file_io.h"
#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

constexpr std::int64_t kOne = 1'000'000'000;  // in parts per billion
constexpr std::uint32_t kLargestObject = 16 * 1024;

using Workload = WorkloadSpec;

const Keys& distribution_keys() {
  using Spec = DistributionSpec;
  static const Keys keys = rows<Spec>({
      {"kind", words({"uniform", "zipf", "power_law", "hotspot"}, &Spec::kind, {"trace"}),
       "uniform", "uniform: all locks are equally likely; other kinds prefer some locks.",
       kRequired | kHasDefault},
      {"theta", number(ratio, &Spec::theta_ppb, "0", "10", Form::decimal), "0.99",
       "The k-th most popular lock has a probability proportional to k^-theta.", "zipf"},
      {"scramble", number(boolean, &Spec::scramble), "true",
       "true: a seeded permutation spreads popular locks over the table; false: lock 0 is the most "
       "popular.",
       "zipf"},
      {"alpha", number(ratio, &Spec::alpha_ppb, "1000000001ppb", "20", Form::decimal), "2",
       "Exponent: the density is proportional to x^-alpha; above 1 (DSLR A.4).", kRequired,
       "power_law"},
      {"form", words({"discrete", "continuous"}, &Spec::continuous), "continuous",
       "discrete: the k-th lock has a probability proportional to k^-alpha. continuous: a real "
       "number with this density is drawn and rounded down, as in the code of DSLR's authors; the "
       "first lock is then less popular, 50% instead of 61% for alpha 2.",
       "power_law"},
      {"locks", number(ratio, &Spec::hot_locks_ppb, "1ppb", "1"), "1%",
       "Share of the locks that are hot.", kRequired, "hotspot"},
      {"accesses", number(ratio, &Spec::hot_accesses_ppb, "0", "1"), "90%",
       "Share of the accesses that are to hot locks.", kRequired, "hotspot"},
  });
  return keys;
}

const Keys& remote_work_keys() {
  static const Keys keys = rows<Workload>({
      {"remote_ops",
       number<Workload>(
           count,
           [](const Workload& workload) {  // not written if the section is a time alone
             return workload.object_bytes == 0 ? std::nullopt : number_of(workload.remote_ops);
           },
           [](Workload& workload, std::int64_t value) {
             assign(workload.remote_ops, value);
             workload.object_bytes = 8;
             workload.critical_section = {};  // which the common workload may have set for a group
           },
           "0", "1k"),
       "1",
       "Number of verbs, one after the other, on the object that each lock protects, on the lock's "
       "server: READs if the section is shared, or for update without an upgrade; WRITEs "
       "otherwise. Transactions read each object that they have locked, and write those that they "
       "have locked exclusively.",
       kRequired},
      {"bytes",
       number<Workload>(
           bytes, [](const Workload& workload) { return std::max(workload.object_bytes, 8U); },
           [](Workload& workload, std::int64_t value) { assign(workload.object_bytes, value); },
           "8B"),
       "64B", "Length of the object and of each verb: a multiple of 8B, at most 16KiB."},
      {"time", number(duration, &Workload::critical_section, "0us", "1000s"), "7us",
       "How long the client holds all locks in addition to these verbs: after READs and before "
       "WRITEs."},
  });
  return keys;
}

Value<Workload> critical_section() {
  return either(number<Workload>(
                    duration, [](const Workload& workload) { return workload.critical_section.ps; },
                    [](Workload& workload, std::int64_t value) {
                      workload.critical_section = {value};
                      workload.remote_ops = workload.object_bytes = 0;
                    },
                    "0us", "1000s"),
                remote_work_keys);
}

const Keys& exponential_keys() {
  static const Keys keys = rows<Workload>({
      {"kind",
       words<Workload>(
           {"exponential"},
           [](const Workload& workload) { return workload.think_exponential ? 0 : -1; },
           [](Workload& workload, std::int64_t) { workload.think_exponential = true; }),
       "exponential", "The distribution of the pause.", kRequired},
      {"mean", number(duration, &Workload::think_time, "0us", "1000s"), "5us", "Mean of the pause.",
       kRequired},
  });
  return keys;
}

Value<Workload> think_time() {
  return either(number<Workload>(
                    duration, [](const Workload& workload) { return workload.think_time.ps; },
                    [](Workload& workload, std::int64_t value) {
                      workload.think_time = {value};
                      workload.think_exponential = false;
                    },
                    "0us", "1000s"),
                exponential_keys);
}

// Checks combinations of keys that are each valid.
template <class Refuse>
void check_together(const WorkloadSpec& workload, const Refuse& refuse) {
  if (workload.read_ratio_ppb + workload.update_ratio_ppb > kOne)
    refuse("update_ratio",
           "workload.read_ratio {} and update_ratio {} are more than all acquisitions; lower one "
           "of them",
           format_percent(workload.read_ratio_ppb), format_percent(workload.update_ratio_ppb));
  if (workload.upgrade_ratio_ppb > 0 && workload.update_ratio_ppb == 0)
    refuse("upgrade_ratio",
           "workload.upgrade_ratio is a share of the acquisitions for update, and there are none; "
           "set workload.update_ratio, or remove the key");
  const ArrivalKind kind = workload.arrivals.kind;
  if (kind != ArrivalKind::none && workload.think_time.ps > 0)
    refuse("think_time",
           "workload.think_time is of a closed loop, and workload.arrivals say when sections "
           "begin; remove one of them");
  if (kind == ArrivalKind::script && workload.locks_per_section > 1)
    refuse("locks_per_section",
           "workload.locks_per_section is above 1, and each arrival of a script is for one lock; "
           "remove one of them");
}

template <class Refuse>
void check_locks_asked(const WorkloadSpec& workload, std::uint64_t object_bytes,
                       const ClientCounts& clients, const LockTableSpec& locks,
                       const Refuse& refuse) {
  if (workload.locks_per_section > locks.count)
    refuse("locks_per_section",
           "workload.locks_per_section is {}, and there are {} locks (locks.count)",
           workload.locks_per_section, locks.count);
  const std::uint64_t stride = (object_bytes + 63) / 64 * 64;
  if (stride > 0 && locks.count > (kMaxOffset / 4) / stride)
    refuse(workload.kind == WorkloadKind::file_io ? "files" : "critical_section",
           "objects of {} for {} locks go beyond the 48-bit address space; lower locks.count to {} "
           "or less",
           format_bytes(object_bytes), locks.count, kMaxOffset / 4 / stride);
  for (const ScriptedArrival& arrival : workload.arrivals.script) {
    if (arrival.client < clients.first || arrival.client - clients.first >= clients.all)
      refuse("arrivals", "workload.arrivals has client {}; allowed: {} to {}", arrival.client,
             clients.first, clients.first + clients.all - 1);
    if (arrival.lock >= locks.count)
      refuse("arrivals", "workload.arrivals has lock {}; allowed: 0 to {}", arrival.lock,
             locks.count - 1);
  }
}

// Some workloads number the clients of each node.
template <class Refuse>
void check_evenly_spread(const WorkloadSpec& workload, const PlatformSpec& platform,
                         const Refuse& refuse) {
  const bool numbers =
      makes_transactions(workload.kind) ||
      (workload.kind == WorkloadKind::file_io && workload.file.roles.clients() > 0);
  if (numbers && platform.spread_clients % platform.client_nodes != 0)
    refuse("kind",
           "platform.clients is {} on {} client nodes, and this workload needs the same number of "
           "clients on each; set platform.clients_per_node instead",
           platform.spread_clients, platform.client_nodes);
}

template <class Refuse>
void check_locality(const WorkloadSpec& workload, const PlatformSpec& platform,
                    const LockTableSpec& locks, const Refuse& refuse) {
  if (!workload.locality_ppb) return;
  if (!platform.colocated)
    refuse("locality",
           "workload.locality needs clients on servers: set platform.colocated to true, or remove "
           "the key");
  if (locks.placement == PlacementKind::node)
    refuse("locality",
           "workload.locality needs locks on every server, and locks.placement puts all on one; "
           "use round_robin or partitioned");
  if (locks.count < platform.servers)
    refuse("locality",
           "workload.locality needs locks on every server: set locks.count to {} or more",
           platform.servers);
  if (platform.servers == 1 && *workload.locality_ppb < kOne)
    refuse("locality",
           "workload.locality is below 100%, and one server has no others; set platform.servers to "
           "2 or more, or locality to 100%");
}

// A group's workload may have another kind than the common one. Fields that the new kind does not
// have are reset to their defaults.
void become(Workload& workload, std::int64_t value) {
  const Workload usual;
  assign(workload.kind, value);
  if (workload.kind == WorkloadKind::micro) return;
  workload.locality_ppb = usual.locality_ppb;
  workload.locks_per_section = usual.locks_per_section;
  workload.locks_sorted = usual.locks_sorted;
  if (workload.kind == WorkloadKind::range) return;
  workload.update_ratio_ppb = usual.update_ratio_ppb;
  workload.upgrade_ratio_ppb = usual.upgrade_ratio_ppb;
  if (workload.kind == WorkloadKind::object_store || workload.kind == WorkloadKind::index) return;
  workload.distribution = usual.distribution;
  workload.read_ratio_ppb = usual.read_ratio_ppb;
}

constexpr std::ptrdiff_t kKeysBeforeParts = 1;  // the kind

Keys all_keys() {
  const auto kind = words<Workload>(
      {"micro", "range", "file_io", "transactions", "trace", "object_store", "index"},
      number<Workload>(
          choice, [](const Workload& workload) { return number_of(workload.kind); }, become));
  const auto order = words<Workload>(
      {"sorted", "as_asked"},
      [](const Workload& workload) { return workload.locks_sorted ? 0 : 1; },
      [](Workload& workload, std::int64_t value) { workload.locks_sorted = value == 0; });
  Keys keys = rows<Workload>({
      {"kind", kind, "micro",
       "micro: each section acquires locks drawn at random. range: each section acquires a random "
       "range of units of one lock's object; a lock without ranges acquires the whole object, "
       "which ranges_as_whole counts. file_io: sections write and read files as certain programs "
       "do. transactions: each section is a transaction, which acquires its locks one by one and "
       "holds all of them until its end. trace: transactions read from a file. object_store: "
       "sections get or set an object. index: sections look up or update a key of a B+-tree."},
      {"distribution", nested(&Workload::distribution, distribution_keys, "kind"),
       "{kind: zipf, theta: 0.99}",
       "Distribution of the locks that clients request; kind range: of the positions in the object "
       "at which ranges begin; kind index: of the keys.",
       0, "micro range object_store index"},
      {"read_ratio", number(ratio, &Workload::read_ratio_ppb, "0", "1"), "50%",
       "Share of shared acquisitions. A lock without shared mode grants them exclusively, which "
       "shared_as_exclusive counts. Kind object_store: the share of gets; kind index: the share of "
       "lookups, which acquire no lock.",
       0, "micro range object_store index"},
      {"locality", number(ratio, &Workload::locality_ppb, "0", "1"), "90%",
       "Probability that a client requests a lock on its own node; otherwise the lock is on "
       "another server, all equally likely. The distribution selects among the locks of a server. "
       "Needs platform.colocated and locks on every server; null: the placement of locks has no "
       "influence.",
       kNullable, "micro"},
      {"critical_section", critical_section(), "2us",
       "How long a client holds the lock; or {remote_ops: 1, bytes: 8B}: what it reads or writes "
       "while it holds the lock."},
      {"think_time", think_time(), "5us",
       "Pause from a release to the next acquisition; {kind: exponential, mean: 5us}: a random "
       "pause."},
      {"locks_per_section", number(count, &Workload::locks_per_section, "1", "1k"), "2",
       "Number of distinct locks that a client holds at once, all in one mode. A lock that the "
       "section has already is drawn again; after 64 attempts the next lock that it does not have "
       "is used.",
       0, "micro"},
      {"order", order, "as_asked",
       "Order in which a section acquires its locks. sorted: by number, which excludes deadlocks; "
       "as_asked: as they were drawn, or as the transaction's program requests them.",
       0, "micro transactions trace"},
      {"on_abort", words({"retry", "give_back"}, &Workload::gives_back), "give_back",
       "What a client does when an acquisition is aborted. retry: it requests the same lock again; "
       "give_back: it releases all locks that it holds and starts the section over."},
      {"retry_pause", number(duration, &Workload::retry_pause, "0us", "1000s"), "5us",
       "Pause before the client continues after an abort."},
      {"patience", number(duration, &Workload::patience, "1ns", "1000s"), "10ms",
       "Time limit of a section's acquisitions, from the request for its first lock. A client that "
       "still waits then releases all that it holds and starts over after retry_pause. Needs a "
       "lock whose acquisitions can be abandoned; null: no limit.",
       kNullable, "micro transactions trace"},
      {"update_ratio", number(ratio, &Workload::update_ratio_ppb, "0", "1"), "20%",
       "Share of acquisitions for update; with read_ratio at most 100%. A lock without update mode "
       "grants them exclusively, which update_as_exclusive counts.",
       0, "micro range"},
      {"upgrade_ratio", number(ratio, &Workload::upgrade_ratio_ppb, "0", "1"), "0%",
       "Share of the acquisitions for update that are upgraded to exclusive before the work; needs "
       "update_ratio.",
       0, "micro range"},
      {"until", number(duration, &Workload::until, "1ns", "3600s"), "30ms",
       "Time since the start of the run after which no section begins: clients finish the ones "
       "that "
       "they are in, and leave. null: they go on until the run ends.",
       kNullable},
      {"arrivals", nested(&Workload::arrivals, arrival_keys), "{kind: poisson, rate: 1M}",
       "Open loop: a section arrives at a given time and begins then, or as soon as the client is "
       "free; latencies count from the arrival. null: closed loop.",
       kNullable},
  });
  const Keys ranges = range_keys(), programs = program_keys();
  keys.insert(keys.begin() + kKeysBeforeParts, ranges.begin(), ranges.end());
  keys.insert(keys.begin() + kKeysBeforeParts + std::ssize(ranges), programs.begin(),
              programs.end());
  return keys;
}

}  // namespace

const Keys& workload_keys() {
  static const Keys keys = all_keys();
  return keys;
}

void check_workload(const WorkloadSpec& workload, const Point& point, const ClientCounts& clients,
                    const YamlNode* own, const YamlNode* common, const SourceLocation& place) {
  const auto refuse = [&](const char* key, const auto&... why) {
    const YamlNode* part = own ? find_path(*own, key) : nullptr;
    if (!part && common) part = find_path(*common, key);
    reject(part ? part->place : own ? own->place : common ? common->place : place, why...);
  };
  if (workload.object_bytes % 8 != 0 || workload.object_bytes > kLargestObject)
    refuse("critical_section.bytes",
           "workload.critical_section.bytes is {}; expected a multiple of 8B, 16KiB at most",
           format_bytes(workload.object_bytes));
  check_ranges(workload, point.locks.count, clients,
               [&](const char* key, const std::string& why) { refuse(key, why); });
  check_programs(workload, point.locks.count,
                 [&](const char* key, const std::string& why) { refuse(key, why); });
  check_together(workload, refuse);
  // A script that a group has from `workload` speaks of all clients of the run.
  const bool of_all = own != nullptr && find_path(*own, "arrivals") == nullptr;
  check_locks_asked(workload, object_bytes_of(workload, clients.all),
                    of_all ? ClientCounts{0, point.platform.clients(), 1} : clients, point.locks,
                    refuse);
  check_locality(workload, point.platform, point.locks, refuse);
  check_evenly_spread(workload, point.platform, refuse);
}

}  // namespace latchlab
