#pragma once
// What the programs of `workload.kind: file_io` ask of the run that they are in.

#include <algorithm>
#include <cstdint>

#include "core/base/multiples.h"
#include "core/scenario/scenario.h"

namespace latchlab {

inline constexpr std::uint32_t kCellBytes = 40;  // bt_io: five doubles

// bt_io: clients are side x side; the largest side whose square is no more than the clients.
constexpr std::uint32_t side_of(std::uint32_t clients) {
  std::uint32_t side = 0;
  while (std::uint64_t{side + 1} * (side + 1) <= clients) ++side;
  return side;
}

// bt_io: cells of the n-th of `side` parts of an edge of the grid: as equal as can be, the longer
// ones first.
constexpr std::uint32_t part_of_edge(std::uint32_t grid, std::uint32_t side, std::uint32_t n) {
  return grid / side + (n < grid % side ? 1 : 0);
}

// The longest READ or WRITE of these clients: as long as the object that stands for the file.
constexpr std::uint32_t largest_access(const FileSpec& file, std::uint32_t clients) {
  if (file.pattern == FilePattern::bt_io)
    return part_of_edge(file.grid, side_of(clients), 0) * kCellBytes;
  if (file.pattern == FilePattern::hard_write) return file.access_bytes;
  return std::max(file.access_bytes, file.append_bytes);
}

// READs and WRITEs are of whole words.
constexpr std::uint32_t whole_words(std::uint32_t bytes) {
  return static_cast<std::uint32_t>(round_up(bytes, 8));
}

// How long the object is that a lock of this workload guards, as far as it is read or written.
constexpr std::uint32_t object_bytes_of(const WorkloadSpec& workload, std::uint32_t clients) {
  if (workload.kind == WorkloadKind::file_io)
    return workload.file.data ? largest_access(workload.file, clients) : 0;
  if (workload.kind == WorkloadKind::object_store) return whole_words(workload.objects.bytes);
  if (workload.kind == WorkloadKind::index) return workload.index.node_bytes;
  return workload.object_bytes;
}

}  // namespace latchlab
