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
       "uniform", "uniform: each lock as often. The others prefer some locks.",
       kRequired | kHasDefault},
      {"theta", number(ratio, &Spec::theta_ppb, "0", "10", Form::decimal), "0.99",
       "The k-th most popular lock is drawn with a probability ~ k^-theta.", "zipf"},
      {"scramble", number(boolean, &Spec::scramble), "true",
       "Spreads popular locks over the table by a seeded permutation; else lock 0 is the most "
       "popular.",
       "zipf"},
      {"alpha", number(ratio, &Spec::alpha_ppb, "1000000001ppb", "20", Form::decimal), "2",
       "Density ~ x^-alpha, above 1 (DSLR A.4).", kRequired, "power_law"},
      {"locks", number(ratio, &Spec::hot_locks_ppb, "1ppb", "1"), "1%",
       "The share of the locks that is hot.", kRequired, "hotspot"},
      {"accesses", number(ratio, &Spec::hot_accesses_ppb, "0", "1"), "90%",
       "The share of the accesses that goes to them.", kRequired, "hotspot"},
  });
  return keys;
}

const Keys& remote_work_keys() {
  static const Keys keys = rows<Workload>({
      {"remote_ops",
       number<Workload>(
           count, [](const Workload& workload) { return number_of(workload.remote_ops); },
           [](Workload& workload, std::int64_t value) {
             assign(workload.remote_ops, value);
             workload.object_bytes = 8;
             workload.critical_section = {};  // which the common workload may have set for a group
           },
           "1", "1k"),
       "1",
       "So many verbs, one after the other, on the object that each lock guards, on the lock's "
       "server: READs when the section is shared, or for update without becoming exclusive; else "
       "WRITEs. Transactions read each object that they have locked, and write those that they "
       "have locked exclusively.",
       kRequired},
      {"bytes",
       number<Workload>(
           bytes, [](const Workload& workload) { return std::max(workload.object_bytes, 8U); },
           [](Workload& workload, std::int64_t value) { assign(workload.object_bytes, value); },
           "8B"),
       "64B", "The length of the object and of each of them: a multiple of 8B, 16KiB at most."},
      {"time", number(duration, &Workload::critical_section, "0us", "1000s"), "7us",
       "How long the client holds all locks besides: after READs and before WRITEs."},
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
       "exponential", "How the pause is drawn.", kRequired},
      {"mean", number(duration, &Workload::think_time, "0us", "1000s"), "5us", "Its mean.",
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
                       const PlatformSpec& platform, const LockTableSpec& locks,
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
    if (arrival.client >= platform.clients())
      refuse("arrivals", "workload.arrivals has client {}; allowed: 0 to {}", arrival.client,
             platform.clients() - 1);
    if (arrival.lock >= locks.count)
      refuse("arrivals", "workload.arrivals has lock {}; allowed: 0 to {}", arrival.lock,
             locks.count - 1);
  }
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
       "micro: locks drawn anew for each section. range: each section wants some units of one "
       "lock's object, drawn anew; a lock without ranges takes the whole object, and results then "
       "say so in ranges_as_whole. file_io: sections write and read files as certain programs do. "
       "transactions: each section is a transaction, which takes its locks one by one and keeps "
       "all of them until its end. trace: the same, as a file has them. object_store: sections get "
       "or set an object. index: sections look up or update a key of a B+-tree."},
      {"distribution", nested(&Workload::distribution, distribution_keys, "kind"),
       "{kind: zipf, theta: 0.99}",
       "Which lock a client asks for; of kind range, where in the object a range begins; of kind "
       "index, which key.",
       0, "micro range object_store index"},
      {"read_ratio", number(ratio, &Workload::read_ratio_ppb, "0", "1"), "50%",
       "The share of shared acquisitions. A lock without shared mode takes them exclusively, and "
       "results then say so in shared_as_exclusive. Of kind object_store the share of gets, of "
       "kind index that of lookups, which take no lock.",
       0, "micro range object_store index"},
      {"locality", number(ratio, &Workload::locality_ppb, "0", "1"), "90%",
       "With this probability a lock of the client's own node, else of the other servers, each as "
       "likely; among the locks of a server by the distribution. Needs platform.colocated and "
       "locks on every server; null: wherever the lock lies.",
       kNullable, "micro"},
      {"critical_section", critical_section(), "2us",
       "How long a client holds the lock, or {remote_ops: 1, bytes: 8B}: what it reads or writes "
       "meanwhile."},
      {"think_time", think_time(), "5us",
       "Pause from release to the next acquisition; {kind: exponential, mean: 5us} draws it."},
      {"locks_per_section", number(count, &Workload::locks_per_section, "1", "1k"), "2",
       "Locks that a client holds at once: distinct ones, all of one mode. One that was drawn "
       "already is drawn again, and after 64 tries the next free one is taken.",
       0, "micro"},
      {"order", order, "as_asked",
       "In which order they are acquired: sorted by number, which rules deadlocks out, or as they "
       "were drawn, or as a transaction's program asks for them.",
       0, "micro transactions trace"},
      {"on_abort", words({"retry", "give_back"}, &Workload::gives_back), "give_back",
       "When the lock gives up: retry: ask for the same one again; give_back: release all that is "
       "held and start the section over."},
      {"retry_pause", number(duration, &Workload::retry_pause, "0us", "1000s"), "5us",
       "Pause before it goes on after that."},
      {"patience", number(duration, &Workload::patience, "1ns", "1000s"), "10ms",
       "When a client still waits for a lock so long after it began to ask for the first one, it "
       "releases all that it holds and starts over after retry_pause. For locks that clients can "
       "stop to wait for; null: for ever.",
       kNullable, "micro transactions trace"},
      {"update_ratio", number(ratio, &Workload::update_ratio_ppb, "0", "1"), "20%",
       "The share of acquisitions for update; with read_ratio at most 100%. A lock without update "
       "mode takes them exclusively, and results then say so in update_as_exclusive.",
       0, "micro range"},
      {"upgrade_ratio", number(ratio, &Workload::upgrade_ratio_ppb, "0", "1"), "0%",
       "The share of them that becomes exclusive before the work; needs update_ratio.", 0,
       "micro range"},
      {"arrivals", nested(&Workload::arrivals, arrival_keys), "{kind: poisson, rate: 1M}",
       "An open loop: sections begin at these dates, or as soon afterwards as the client is free, "
       "and latencies count from the dates. null: a closed loop.",
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

void check_workload(const WorkloadSpec& workload, const Point& point, std::uint32_t clients,
                    const YamlNode* own, const YamlNode* common, const Place& place) {
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
  check_locks_asked(workload, object_bytes_of(workload, clients), point.platform, point.locks,
                    refuse);
  check_locality(workload, point.platform, point.locks, refuse);
}

}  // namespace latchlab
