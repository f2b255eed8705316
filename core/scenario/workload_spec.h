#pragma once
// The clients' work as a scenario states it: which locks or units they acquire, when, and what they
// do while they hold them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace latchlab {

enum class DistributionKind : std::uint8_t { uniform, zipf, power_law, hotspot };

struct DistributionSpec {
  DistributionKind kind = DistributionKind::uniform;
  // Parts per billion, so that results do not depend on how a double is parsed.
  std::int64_t theta_ppb = 990'000'000;  // zipf: P(rank k) ~ k^-theta, theta >= 0
  std::int64_t alpha_ppb = 0;            // power_law: density ~ x^-alpha, alpha > 1 (DSLR A.4)
  bool continuous = false;               // power_law: drawn as a real number and rounded down
  std::int64_t hot_locks_ppb = 0;        // hotspot: this fraction of the locks ...
  std::int64_t hot_accesses_ppb = 0;     // ... gets this fraction of the accesses
  bool scramble = false;                 // map ranks to locks by a seeded permutation
};

// Open loop: when sections begin, whether or not clients are free.
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

// The type of a section (`workload.kind`).
enum class WorkloadKind : std::uint8_t {
  micro,
  range,
  file_io,
  transactions,
  trace,
  object_store,
  index
};

// True if sections acquire parts of objects.
constexpr bool wants_parts(WorkloadKind kind) {
  return kind == WorkloadKind::range || kind == WorkloadKind::file_io;
}

// True if sections are transactions of several locks.
constexpr bool makes_transactions(WorkloadKind kind) {
  return kind == WorkloadKind::transactions || kind == WorkloadKind::trace;
}

// range: a section acquires units [left, left + size) of a lock's object. The distribution draws
// the left end from [0, units - size]; objects are drawn uniformly.
struct RangeSpec {
  std::uint64_t units = std::uint64_t{1} << 28U;  // per object
  std::vector<std::uint64_t> sizes = {1};         // in units, each at least 1
  bool by_operation = false;  // draw a size per section; otherwise clients have them in turn
};

// file_io: sections write (and read) files as these programs do. A lock guards a file, and one of
// its units covers unit_bytes bytes; a section acquires every unit that its bytes touch.
//   bt_io       the NAS benchmark BT-IO in its simple form: each client accesses its cells of a
//               grid, one run of adjacent cells per access, step after step
//   oltp        Filebench OLTP: reads and writes of data files, appends to a log (the last lock)
//   hard_write  IO500 ior-hard-write: clients append in turn, so that the file grows
enum class FilePattern : std::uint8_t { bt_io, oltp, hard_write };
// Where the bytes of files are: in blocks on all client nodes, on the lock's server, or nowhere, so
// that sections only lock.
enum class FileData : std::uint8_t { clients, servers, none };

// oltp: the clients of each client node by what they do, in this order. All zero: each section of
// any client is drawn.
struct OltpRoles {
  std::uint32_t readers = 0, writers = 0, loggers = 0;

  std::uint64_t clients() const { return std::uint64_t{readers} + writers + loggers; }
};

struct FileSpec {
  FilePattern pattern = FilePattern::hard_write;
  std::uint64_t unit_bytes = 4096;
  std::uint64_t file_bytes = 10'485'760;  // oltp: of each data file and of the log (which wraps)
  std::uint32_t access_bytes = 47'008;    // hard_write: per write; oltp: per read or write
  std::uint32_t append_bytes = 262'144;   // oltp: per append to the log
  std::uint32_t grid = 408;               // bt_io: cells along each edge of the cube, 40 bytes each
  bool reads = false;                     // bt_io: each write is followed by a read of its bytes
  bool reads_exclude = false;             // reads acquire their units exclusively
  OltpRoles roles;
  FileData data = FileData::servers;
  std::uint64_t block_bytes = 0;  // of data on clients
};

// transactions: the benchmark whose transactions take locks. core/workload/transactions/ defines
// which locks a transaction takes and how often each type occurs.
enum class MixKind : std::uint8_t { tatp, tpcc_blocks, tpcc_rows, smallbank };

struct TransactionSpec {
  MixKind mix = MixKind::tatp;
  bool original = false;                // as the published generator or bank behaves
  std::uint64_t subscribers = 100'000;  // tatp
  std::uint64_t population = 1;         // tatp: seed of which subscriber has which rows
  std::uint64_t warehouses = 1;         // tpcc: per client machine
  bool common_homes = false;            // tpcc: all client machines share the same warehouses
  std::int64_t scans_ppb = 0;           // tpcc_rows: fraction of transactions that scan a table
  Duration scan_time;                   // tpcc_rows: extra time that these hold their lock
  bool scans_orders = false;     // tpcc_rows: they read the table of orders instead of customers
  bool intention_locks = false;  // tpcc_rows: each table has a word of intention locks
  std::uint64_t accounts = 1'000'000;  // smallbank
  bool declock_shares = false;         // smallbank: type and account frequencies of DecLock's code
};

// trace: transactions from a file (core/workload/transactions/trace.h).
struct TraceSpec {
  std::string file;               // its path
  bool fisslock = false;          // in the format of FissLock's generators instead of ours
  bool merge_duplicates = false;  // take a lock once that a transaction names twice; else: error
};

// object_store: gets and sets of objects, each under its own lock. Object and operation are drawn
// and the length is fixed, or all three come from a cache trace (core/workload/cache_trace.h).
struct ObjectSpec {
  std::uint32_t bytes = 1024;
  std::string trace;  // a file in the format of Twitter's cache traces; empty: drawn
  std::uint64_t most = 0;
};

// index: a B+-tree with leaf_keys keys per leaf and fanout children per inner node. Leaves have
// lock numbers from 0; inner nodes follow, level by level, up to the root.
struct IndexSpec {
  std::uint64_t keys = 10'000'000;
  std::uint32_t leaf_keys = 64;
  std::uint32_t fanout = 64;
  std::uint32_t node_bytes = 1024;
  std::uint32_t entry_bytes = 16;     // length of an update's WRITE
  std::uint32_t uncached_levels = 0;  // levels above the leaves that clients have to read
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
  std::int64_t read_ratio_ppb = 0;  // fraction of shared acquisitions
  // Probability of a lock on the client's own server; absent: the lock's server does not matter.
  std::optional<std::int64_t> locality_ppb;
  Duration critical_section;
  // In addition to that time, this many READs or WRITEs of each lock's object, object_bytes each.
  std::uint32_t remote_ops = 0;
  std::uint32_t object_bytes = 0;
  std::uint32_t locks_per_section = 1;  // distinct locks, all in one mode
  bool locks_sorted = true;             // by number; otherwise in the order drawn
  bool gives_back = false;              // an abort releases all held locks and restarts the section
  Duration retry_pause;                 // after an abort
  Duration patience;                    // above zero: a section that waits longer restarts
  std::int64_t update_ratio_ppb = 0;    // fraction of acquisitions for update ...
  std::int64_t upgrade_ratio_ppb = 0;   // ... and the fraction of these that upgrade to exclusive
  ArrivalSpec arrivals;
  Duration until;  // above zero: no section begins later than this after the run's start
  Duration think_time;
  bool think_exponential = false;  // think_time is then the mean
};

}  // namespace latchlab
