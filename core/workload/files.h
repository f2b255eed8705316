#pragma once
// Accesses of programs to files, one for each section (`workload.kind: file_io`). A file is the
// object of a lock, and its units are bytes [n x unit, (n+1) x unit): a section wants all units
// that contain a byte of its access, exclusively to write, and shared to read unless the reads
// exclude each other (`exclusive_reads`). hard_write and bt_io draw nothing: a client's n-th access
// is the same in every run.
//
// bt_io       NAS BT-IO, simple (one write for each run of cells; class D: grid 408, 50 steps,
//             135.8 GB). Clients are side x side. The cube is cut into side^3 blocks, and client
//             (i, j) has of each layer k the block (i + k, j - k), both modulo side: one in every
//             layer, along each of the three axes (BT's multi-partition). In each step a client
//             writes its blocks, layer by layer, plane by plane, row by row: runs of grid / side
//             cells of 40 bytes. x varies fastest in the file, then y, z and the step. After the
//             last step the file starts again. With `reads`, each write is followed by a read of
//             the same bytes (assumed; CITRON 4.3.1: writes and reads are interleaved).
// hard_write  IO500 ior-hard-write: of C clients the c-th one's i-th write is the file's (i C +
//             c)-th, each of access_bytes: adjacent accesses by different clients, not aligned to
//             units. The file grows without end.
// oltp        Filebench OLTP: data files are locks 0 to count - 2, the log is the last lock. On
//             each client machine 50 readers, 10 data writers of 100 writes for every 1000 reads,
//             and a log writer of one append for every 3200 reads: 3200 reads, 320 writes and 1
//             append among 3521 accesses. Assumed: each section of any client is one of them with
//             these odds, so that no client waits for another's reads; file and record of data are
//             uniform, and records aligned; clients append in turn as with hard_write, and the log
//             starts again at its end. So clients share only locks, and may run in several
//             processes.
//             With `roles` each client does one of the three (CITRON 4.3.2), and on each client
//             machine the counts hold: its data writers write 100 records after each 1000 reads,
//             and its log writers append once after each 3200 reads, in both cases in turn. They
//             wait for these reads; readers never wait for writers (assumed).
//
// Data on client machines (`data: {on: clients}`): block b of file f is on machine (f + b) modulo
// their number. An access is one READ or WRITE for each block that it touches, in order.

#include <memory>
#include <vector>

#include "core/workload/parts.h"

namespace latchlab {

inline constexpr std::uint32_t kTimeSteps = 50;                                      // bt_io
inline constexpr std::uint64_t kReadOdds = 3200, kWriteOdds = 320, kAppendOdds = 1;  // oltp
// oltp with roles: so many writes after each so many reads; and reads for each append.
inline constexpr std::uint64_t kWritesAtOnce = 100, kReadsPerWrites = 1000, kReadsPerAppend = 3200;

// Bytes of a file.
struct FileAccess {
  std::uint64_t file = 0;
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  bool writes = true;
  std::uint64_t after = 0;  // begins when its machine has counted so many accesses
  bool counts = false;      // its machine counts it

  bool operator==(const FileAccess&) const = default;
};

class AccessPattern {
 public:
  virtual ~AccessPattern() = default;
  virtual FileAccess next(std::uint32_t client) = 0;  // from 0, among the clients of the setup
};

// The parser of the scenario has checked what a pattern requires of clients and locks.
std::unique_ptr<AccessPattern> make_pattern(const PartSetup& setup);

// The units that contain a byte of the access.
Extent extent_of(const FileAccess& access, std::uint64_t unit_bytes);

std::unique_ptr<PartChooser> make_files(const PartSetup& setup);

}  // namespace latchlab
