#pragma once
// Sizes that follow from `workload.kind: file_io` and the number of clients.

#include <algorithm>
#include <cstdint>

#include "core/base/multiples.h"
#include "core/scenario/scenario.h"

namespace latchlab {

inline constexpr std::uint32_t kCellBytes = 40;  // bt_io: five doubles

// bt_io: clients form a side x side grid; the largest side whose square does not exceed the
// clients.
constexpr std::uint32_t side_of(std::uint32_t clients) {
  std::uint32_t side = 0;
  while (std::uint64_t{side + 1} * (side + 1) <= clients) ++side;
  return side;
}

// bt_io: cells of the n-th of `side` parts of an edge of the grid. Parts are as equal as possible,
// the longer ones first.
constexpr std::uint32_t part_of_edge(std::uint32_t grid, std::uint32_t side, std::uint32_t n) {
  return grid / side + (n < grid % side ? 1 : 0);
}

// The longest READ or WRITE of these clients in bytes, which is the length of the object that
// represents the file.
constexpr std::uint32_t largest_access(const FileSpec& file, std::uint32_t clients) {
  if (file.pattern == FilePattern::bt_io)
    return part_of_edge(file.grid, side_of(clients), 0) * kCellBytes;
  if (file.pattern == FilePattern::hard_write) return file.access_bytes;
  return std::max(file.access_bytes, file.append_bytes);
}

// READs and WRITEs transfer multiples of 8 bytes.
constexpr std::uint32_t whole_words(std::uint32_t bytes) {
  return static_cast<std::uint32_t>(round_up(bytes, 8));
}

// Bytes of the object that one lock guards, as far as clients read or write it; 0: none.
constexpr std::uint32_t object_bytes_of(const WorkloadSpec& workload, std::uint32_t clients) {
  if (workload.kind == WorkloadKind::file_io)
    return workload.file.data == FileData::none ? 0 : largest_access(workload.file, clients);
  if (workload.kind == WorkloadKind::object_store) return whole_words(workload.objects.bytes);
  if (workload.kind == WorkloadKind::index) return workload.index.node_bytes;
  return workload.object_bytes;
}

}  // namespace latchlab
