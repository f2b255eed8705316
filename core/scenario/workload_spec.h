#pragma once
// What clients do, as a scenario says it: which locks or units they want, when, and what for.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace latchlab {

enum class DistributionKind : std::uint8_t { uniform, zipf, power_law, hotspot };

struct DistributionSpec {
  DistributionKind kind = DistributionKind::uniform;
  // Exact decimals: parts per billion, so that no result depends on how a double is read.
  std::int64_t theta_ppb = 990'000'000;  // zipf: P(rank k) ~ k^-theta, theta >= 0
  std::int64_t alpha_ppb = 0;            // power_law: density ~ x^-alpha, alpha > 1 (DSLR A.4)
  std::int64_t hot_locks_ppb = 0;        // hotspot: this share of the locks ...
  std::int64_t hot_accesses_ppb = 0;     // ... gets this share of the accesses
  bool scramble = false;                 // spread ranks over the table by a seeded permutation
};

// When sections begin in an open loop, whether or not clients are free.
enum class ArrivalKind : std::uint8_t { none, poisson, script };

struct ScriptedArrival {
  enum class Mode : std::uint8_t { exclusive, shared, update };
  Duration at;  // since the start of the run, on the client's clock
  std::uint32_t client = 0;
  std::uint64_t lock = 0;
  Mode mode = Mode::exclusive;
};

struct ArrivalSpec {
  ArrivalKind kind = ArrivalKind::none;  // none: a closed loop
  std::int64_t per_second = 0;           // poisson: over all clients
  std::vector<ScriptedArrival> script;
};

// What sections are of (`workload.kind`).
enum class WorkloadKind : std::uint8_t {
  micro,
  range,
  file_io,
  transactions,
  trace,
  object_store,
  index
};

// Sections want parts of objects.
constexpr bool wants_parts(WorkloadKind kind) {
  return kind == WorkloadKind::range || kind == WorkloadKind::file_io;
}

// Sections want several locks, some of them shared.
constexpr bool makes_transactions(WorkloadKind kind) {
  return kind == WorkloadKind::transactions || kind == WorkloadKind::trace;
}

// range: sections want units [left, left + size) of a lock's object. The distribution is that of
// the left end, over [0, units - size]; objects are drawn alike.
struct RangeSpec {
  std::uint64_t units = std::uint64_t{1} << 28U;  // of each object
  std::vector<std::uint64_t> sizes = {1};         // in units, each 1 at least
  bool by_operation = false;  // each section draws one of the sizes; else clients have them in turn
};

// file_io: sections write (and read) files as these programs do. A lock is a file's, and a unit of
// it stands for so many bytes; a section wants all units that its bytes have a part in.
//   bt_io       the NAS benchmark BT-IO, in its simple form: a client's cells of a grid, a run of
//               neighbouring ones with each access, step after step
//   oltp        Filebench OLTP: reads and writes of data files, appends to a log, the last lock
//   hard_write  IO500 ior-hard-write: clients append in turn, so that the file grows
enum class FilePattern : std::uint8_t { bt_io, oltp, hard_write };

struct FileSpec {
  FilePattern pattern = FilePattern::hard_write;
  std::uint64_t unit_bytes = 4096;
  std::uint64_t file_bytes = 10'485'760;  // oltp: of each data file, and of the log, which wraps
  std::uint32_t access_bytes = 47'008;    // hard_write: of each write; oltp: of reads and writes
  std::uint32_t append_bytes = 262'144;   // oltp: of each append to the log
  std::uint32_t grid = 408;               // bt_io: cells along each side of the cube, of 40 bytes
  bool data = true;                       // bytes move; else sections are locks alone
};

// transactions: what each of them locks. The choice of its locks and how often each type comes is
// told where the mix is (core/workload/transactions/).
enum class MixKind : std::uint8_t { tatp, tpcc_blocks, tpcc_rows, smallbank };

struct TransactionSpec {
  MixKind mix = MixKind::tatp;
  bool original = false;                // as the published generator or bank has it
  std::uint64_t subscribers = 100'000;  // tatp
  std::uint64_t population = 1;         // tatp: the seed of who has what
  std::uint64_t warehouses = 1;         // tpcc: on each machine of clients
  bool common_homes = false;            // tpcc: the warehouses are those of all machines together
  std::int64_t scans_ppb = 0;           // tpcc_rows: transactions that read the customers' table
  Duration scan_time;                   // tpcc_rows: how much longer these hold it than others
  std::uint64_t accounts = 1'000'000;   // smallbank
  bool declock_shares = false;          // smallbank: of the types, as DecLock's code has them
};

// trace: transactions or accesses as a file has them (core/workload/transactions/trace.h,
// core/workload/cache_trace.h).
struct TraceSpec {
  std::string file;               // where it lies
  bool fisslock = false;          // in the format of FissLock's generators, not in ours
  bool merge_duplicates = false;  // of a lock that a transaction has twice; else that is an error
};

// object_store: gets and sets of objects, each under its lock. Which object and how long it is,
// and which of both, is drawn, or is what a trace of a cache has.
struct ObjectSpec {
  std::uint32_t bytes = 1024;
  std::string trace;  // a file in the form of Twitter's cache traces; empty: drawn
  std::uint64_t most = 0;
};

// index: a B+-tree whose leaves hold so many keys each, and inner nodes so many children. Leaves
// are locks 0 and up, inner nodes have the numbers behind them, level by level, up to the root.
struct IndexSpec {
  std::uint64_t keys = 10'000'000;
  std::uint32_t leaf_keys = 64;
  std::uint32_t fanout = 64;
  std::uint32_t node_bytes = 1024;
  std::uint32_t entry_bytes = 16;     // what an update writes
  std::uint32_t uncached_levels = 0;  // above the leaves, which clients have to read
};

struct WorkloadSpec {
  WorkloadKind kind = WorkloadKind::micro;
  RangeSpec range;
  FileSpec file;
  TransactionSpec transactions;
  TraceSpec trace;
  ObjectSpec objects;
  IndexSpec index;
  DistributionSpec distribution;
  std::int64_t read_ratio_ppb = 0;  // share of shared acquisitions
  // With this probability a lock of the client's own server; none: wherever it lies.
  std::optional<std::int64_t> locality_ppb;
  Duration critical_section;
  // Besides that time so many READs or WRITEs of the object that each lock guards, its bytes each.
  std::uint32_t remote_ops = 0;
  std::uint32_t object_bytes = 0;
  std::uint32_t locks_per_section = 1;  // distinct ones, of one mode
  bool locks_sorted = true;             // by number; else in the order in which they are drawn
  bool gives_back = false;              // an abort releases all that is held, and starts over
  Duration retry_pause;                 // after an abort
  Duration patience;                    // above zero: a section that waits longer starts over
  std::int64_t update_ratio_ppb = 0;    // share of acquisitions for update ...
  std::int64_t upgrade_ratio_ppb = 0;   // ... and the share of them that become exclusive
  ArrivalSpec arrivals;
  Duration think_time;
  bool think_exponential = false;  // think_time is then the mean
};

}  // namespace latchlab
