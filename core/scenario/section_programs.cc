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
       "The benchmark. tatp: TATP, one lock per row. tpcc_blocks: TPC-C with 121 locks per "
       "warehouse, as in FissLock's generator (ShiftLock 4.4). tpcc_rows: TPC-C with one lock per "
       "tuple (DSLR 6.1). smallbank: SmallBank, two locks per account.",
       kRequired},
      {"original", number(boolean, &Spec::original), "true",
       "true: as the published generator or bank does it, with its deviations; false: as the "
       "specification says.",
       "tatp tpcc_blocks tpcc_rows smallbank"},
      {"subscribers", number(count, &Spec::subscribers, "2", "10M"), "100k",
       "Number of subscribers.", "tatp"},
      {"population", number(count, &Spec::population, "0", "1000G"), "1",
       "Seed that determines which rows each subscriber has, and therefore the number of locks.",
       "tatp"},
      {"warehouses", number(count, &Spec::warehouses, "1", "10k"), "100",
       "Number of home warehouses of each client machine; with homes: common, of all machines "
       "together.",
       "tpcc_blocks tpcc_rows"},
      {"homes", words({"own", "common"}, &Spec::common_homes), "common",
       "own: each client machine has its own home warehouses. common: all clients share the "
       "warehouses, and any of them may be a client's home.",
       "tpcc_blocks tpcc_rows"},
      {"scans", number(ratio, &Spec::scans_ppb, "0", "1"), "0.1%",
       "Share of the transactions that read a table of a warehouse, that of customers unless "
       "`scanned` differs, under one shared lock (DSLR 6.4).",
       "tpcc_rows"},
      {"scan_time", number(duration, &Spec::scan_time, "0us", "1000s"), "15ms",
       "How long such a transaction reads, in addition to workload.critical_section. The lock "
       "learns this time with the request, so that a lock with longer leases can grant one (DSLR "
       "5.1).",
       "tpcc_rows"},
      {"scanned", words({"customer", "orders"}, &Spec::scans_orders), "orders",
       "The table that these transactions read: customer (DSLR 6.4) or orders (code of its "
       "authors).",
       "tpcc_rows"},
      {"intention_locks", number(boolean, &Spec::intention_locks), "true",
       "true: transactions take IS or IX on each table before its rows, and long reads take S: "
       "words of their own, changed by FAA, as in the code of DSLR's authors; the pauses after "
       "conflicts "
       "are those of DSLR A.3. false: only the scanned table has a lock, of the kind under test, "
       "which changes of it take exclusively.",
       "tpcc_rows"},
      {"accounts", number(count, &Spec::accounts, "2", "10G"), "1M", "Number of accounts.",
       "smallbank"},
      {"declock_shares", number(boolean, &Spec::declock_shares), "false",
       "true: the frequency of each type, and the accounts, are those of DecLock's code; false: "
       "those of ShiftLock's.",
       "smallbank"},
  });
  return keys;
}

const Keys& trace_keys() {
  using Spec = TraceSpec;
  static const Keys keys = rows<Spec>({
      {"file", line(&Spec::file), "orders.csv",
       "Path of the trace file; a relative path starts at the scenario's directory.", kRequired},
      {"format", words({"latchlab", "fisslock"}, &Spec::fisslock), "latchlab",
       "latchlab: the header line transaction,lock,mode, then such lines. fisslock: lines "
       "transaction,task,type,lock,mode, as FissLock's generators write them."},
      {"duplicates",
       words<Spec>(
           {"error", "merge"}, [](const Spec& spec) { return spec.merge_duplicates ? 1 : 0; },
           [](Spec& spec, std::int64_t value) { spec.merge_duplicates = value == 1; }),
       "merge",
       "If a transaction has a lock twice: error: the file is refused; merge: the transaction "
       "acquires it once, in the stronger mode."},
  });
  return keys;
}

const Keys& object_keys() {
  using Spec = ObjectSpec;
  static const Keys keys = rows<Spec>({
      {"bytes", number(bytes, &Spec::bytes, "1B", "16KiB"), "414B",
       "Length of each object, and of a READ or WRITE of it, rounded up to 8B. With a trace: the "
       "longest READ or WRITE; longer values are truncated."},
      {"trace", line(&Spec::trace), "cluster12.csv",
       "File of accesses, which replace random ones, in the format of Twitter's cache traces: "
       "timestamp, key, key size, value size, client, operation, TTL. A relative path starts at "
       "the scenario's directory.",
       kOmitted},
      {"most", number(count, &Spec::most, "1"), "1M", "The most lines of the trace that are read.",
       kOmitted},
  });
  return keys;
}

const Keys& index_keys() {
  using Spec = IndexSpec;
  static const Keys keys = rows<Spec>({
      {"keys", number(count, &Spec::keys, "1", kMostObjects), "10M", "Number of keys of the tree."},
      {"leaf_keys", number(count, &Spec::leaf_keys, "1", "1M"), "64", "Keys of a leaf."},
      {"fanout", number(count, &Spec::fanout, "2", "1M"), "64", "Children of an inner node."},
      {"node_bytes", number(bytes, &Spec::node_bytes, "8B", "16KiB"), "1KiB",
       "Length of a node, which is read as a whole: a multiple of 8B."},
      {"entry_bytes", number(bytes, &Spec::entry_bytes, "8B", "16KiB"), "16B",
       "Length of what an update writes: a multiple of 8B."},
      {"uncached_levels", number(count, &Spec::uncached_levels, "0", "64"), "1",
       "How many levels above the leaves clients have to READ, one node each; each client has the "
       "other levels in its cache."},
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
       "What transactions lock. Transactions that find nothing to lock are left out. An aborted "
       "transaction releases what it holds and starts over.",
       0, "transactions"},
      {"trace", nested(&Workload::trace, trace_keys, "file"), "{file: orders.csv}",
       "Transactions read from a file: of C clients, client c runs transactions c, c + C and so "
       "on, and starts over at the end of the file.",
       0, "trace"},
      {"objects", nested(&Workload::objects, object_keys, "bytes"), "{bytes: 414B}",
       "Objects that clients get under a shared lock by a READ, or set under an exclusive lock by "
       "a WRITE.",
       0, "object_store"},
      {"index", nested(&Workload::index, index_keys, "keys"), "{keys: 10M}",
       "A B+-tree: a lookup reads a leaf, an update locks, reads and writes one, as in Sherman. "
       "Each node has a lock, numbered from the leaves, level by level, up to the root.",
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
  if (workload.transactions.intention_locks && workload.remote_ops > 0)
    refuse("critical_section",
           "workload.critical_section has remote_ops, which would change the words of tables "
           "(transactions.intention_locks); give a time, or remove one of the keys");
  if (workload.kind == WorkloadKind::index) return check_index(workload, locks, refuse);
  if (workload.kind == WorkloadKind::trace && workload.trace.file.empty())
    refuse("kind", "workload.kind is trace, and no file is named; add 'trace: {file: orders.csv}'");
}

}  // namespace latchlab
