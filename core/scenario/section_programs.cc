// Keys of a workload: transactions, traces, object stores and indexes.

#include <fmt/format.h>

#include "core/scenario/index.h"
#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

using Workload = WorkloadSpec;

constexpr const char* kMostObjects = "281474976710656";  // 2^48

const Keys& transaction_keys() {
  using Spec = TransactionSpec;
  static const Keys keys = rows<Spec>({
      {"kind", words({"tatp", "tpcc_blocks", "tpcc_rows", "smallbank"}, &Spec::mix), "tatp",
       "Whose. tatp: TATP, a lock per row. tpcc_blocks: TPC-C with 121 locks a warehouse, as "
       "FissLock's generator has it (ShiftLock 4.4). tpcc_rows: TPC-C with a lock per tuple (DSLR "
       "6.1). smallbank: SmallBank, two locks an account.",
       kRequired},
      {"original", number(boolean, &Spec::original), "true",
       "As the published generator or bank has it, with its quirks, in place of the "
       "specification.",
       "tatp tpcc_blocks tpcc_rows smallbank"},
      {"subscribers", number(count, &Spec::subscribers, "2", "10M"), "100k", "How many there are.",
       "tatp"},
      {"population", number(count, &Spec::population, "0", "1000G"), "1",
       "The seed of who has which rows, and so of how many locks there are.", "tatp"},
      {"warehouses", number(count, &Spec::warehouses, "1", "10k"), "100",
       "Of each machine of clients, whose home they are.", "tpcc_blocks tpcc_rows"},
      {"homes", words({"own", "common"}, &Spec::common_homes), "common",
       "own: each machine of clients has warehouses of its own. common: all have these warehouses "
       "together, and any of them is anybody's home.",
       "tpcc_blocks tpcc_rows"},
      {"scans", number(ratio, &Spec::scans_ppb, "0", "1"), "0.1%",
       "This share of the transactions reads a warehouse's table of customers, under one shared "
       "lock (DSLR 6.4).",
       "tpcc_rows"},
      {"scan_time", number(duration, &Spec::scan_time, "0us", "1000s"), "15ms",
       "How long such a transaction reads, besides workload.critical_section. Locks are told when "
       "it begins, so that those that know of longer leases give one (DSLR 5.1).",
       "tpcc_rows"},
      {"accounts", number(count, &Spec::accounts, "2", "10G"), "1M", "How many there are.",
       "smallbank"},
      {"declock_shares", number(boolean, &Spec::declock_shares), "false",
       "How often each type comes, and which accounts, as DecLock's code has it, and not as "
       "ShiftLock's.",
       "smallbank"},
  });
  return keys;
}

const Keys& trace_keys() {
  using Spec = TraceSpec;
  static const Keys keys = rows<Spec>({
      {"file", line(&Spec::file), "orders.csv",
       "Where it lies; a relative path begins at the scenario.", kRequired},
      {"format", words({"latchlab", "fisslock"}, &Spec::fisslock), "latchlab",
       "latchlab: lines transaction,lock,mode under a line that says so. fisslock: lines "
       "transaction,task,type,lock,mode, as FissLock's generators write them."},
      {"duplicates",
       words<Spec>(
           {"error", "merge"}, [](const Spec& spec) { return spec.merge_duplicates ? 1 : 0; },
           [](Spec& spec, std::int64_t value) { spec.merge_duplicates = value == 1; }),
       "merge",
       "A transaction that has a lock twice: error refuses the file; merge takes it once, in the "
       "stronger mode."},
  });
  return keys;
}

const Keys& object_keys() {
  using Spec = ObjectSpec;
  static const Keys keys = rows<Spec>({
      {"bytes", number(bytes, &Spec::bytes, "1B", "16KiB"), "414B",
       "How long each is: a READ or WRITE has so many, rounded up to 8B. With a trace the longest "
       "that is read or written at once; longer values are cut."},
      {"trace", line(&Spec::trace), "cluster12.csv",
       "Accesses in place of drawn ones, in the form of Twitter's cache traces: timestamp, key, "
       "key size, value size, client, operation, TTL. A relative path begins at the scenario.",
       kOmitted},
      {"most", number(count, &Spec::most, "1"), "1M", "So many lines of it at most.", kOmitted},
  });
  return keys;
}

const Keys& index_keys() {
  using Spec = IndexSpec;
  static const Keys keys = rows<Spec>({
      {"keys", number(count, &Spec::keys, "1", kMostObjects), "10M", "How many the tree has."},
      {"leaf_keys", number(count, &Spec::leaf_keys, "1", "1M"), "64", "How many a leaf has."},
      {"fanout", number(count, &Spec::fanout, "2", "1M"), "64", "Children of an inner node."},
      {"node_bytes", number(bytes, &Spec::node_bytes, "8B", "16KiB"), "1KiB",
       "The length of a node, which is read whole: a multiple of 8B."},
      {"entry_bytes", number(bytes, &Spec::entry_bytes, "8B", "16KiB"), "16B",
       "What an update writes: a multiple of 8B."},
      {"uncached_levels", number(count, &Spec::uncached_levels, "0", "64"), "1",
       "Levels above the leaves that clients have to read on the way, a READ each; the others are "
       "in a cache of each client's."},
  });
  return keys;
}

void check_index(const Workload& workload, std::uint64_t locks, const Refusal& refuse) {
  const IndexSpec& index = workload.index;
  for (const auto& [key, length] :
       {std::pair{"index.node_bytes", index.node_bytes}, {"index.entry_bytes", index.entry_bytes}})
    if (length % 8 != 0)
      refuse(key, fmt::format("workload.{} is {}; expected a multiple of 8B", key,
                              format_bytes(length)));
  if (index.entry_bytes > index.node_bytes)
    refuse("index.entry_bytes",
           fmt::format("workload.index.entry_bytes {} are more than a node has ({}, node_bytes)",
                       format_bytes(index.entry_bytes), format_bytes(index.node_bytes)));
  if (index.uncached_levels > inner_levels_of(index))
    refuse("index.uncached_levels",
           fmt::format("workload.index.uncached_levels is {}, and the tree has {} levels above its "
                       "{} leaves; lower it",
                       index.uncached_levels, inner_levels_of(index), leaves_of(index)));
  if (locks < nodes_of(index))
    refuse("index.keys", fmt::format("workload.index has {0} nodes, each with a lock, and "
                                     "locks.count is {1}; set it to {0}",
                                     nodes_of(index), locks));
}

// The workloads whose sections define their own READs and WRITEs; null: critical_section does.
const char* speakers_of(WorkloadKind kind) {
  if (kind == WorkloadKind::file_io) return "files";
  if (kind == WorkloadKind::object_store) return "objects";
  return kind == WorkloadKind::index ? "indexes" : nullptr;
}

}  // namespace

Keys program_keys() {
  return rows<Workload>({
      {"transactions", nested(&Workload::transactions, transaction_keys, "kind"),
       "{kind: tatp, original: true}",
       "What transactions lock. Those that find nothing to lock are left out. They begin again "
       "when they have given back what they held.",
       0, "transactions"},
      {"trace", nested(&Workload::trace, trace_keys, "file"), "{file: orders.csv}",
       "Transactions as a file has them: of C clients the c-th makes its transactions c, c + C and "
       "so on, and begins anew at the end.",
       0, "trace"},
      {"objects", nested(&Workload::objects, object_keys, "bytes"), "{bytes: 414B}",
       "Objects that are got, under a shared lock, or set, under an exclusive one, each with a "
       "READ or WRITE.",
       0, "object_store"},
      {"index", nested(&Workload::index, index_keys, "keys"), "{keys: 10M}",
       "A B+-tree whose leaves are read, or locked, read and written, as Sherman does it. Each "
       "node has a lock: leaves first, then level by level up to the root.",
       0, "index"},
  });
}

void finish_programs(const YamlNode* workload, const Files& files, WorkloadSpec& spec) {
  if (workload == nullptr) return;
  const auto find = [&](const char* path, std::string& file) {
    const YamlNode* node = find_path(*workload, path);
    if (node == nullptr || file.empty()) return;
    file = named_by_scenario(file, files);
    if (!is_file(file)) reject(node->place, "workload.{}: there is no file '{}'", path, file);
  };
  find("trace.file", spec.trace.file);
  find("objects.trace", spec.objects.trace);
}

void check_programs(const WorkloadSpec& workload, std::uint64_t locks, const Refusal& refuse) {
  const char* const speakers = speakers_of(workload.kind);
  if (speakers != nullptr && workload.remote_ops > 0)
    refuse("critical_section",
           fmt::format("workload.critical_section has remote_ops, and {} say themselves what is "
                       "read and written; give a time, or remove the key",
                       speakers));
  if (workload.kind == WorkloadKind::index) return check_index(workload, locks, refuse);
  if (workload.kind == WorkloadKind::trace && workload.trace.file.empty())
    refuse("kind", "workload.kind is trace, and no file is named; add 'trace: {file: orders.csv}'");
}

}  // namespace latchlab
