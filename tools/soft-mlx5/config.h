#pragma once
// The options that tools/soft-mlx5/run passes in SOFT_MLX5:
// "link=roce,nodes=8,seed=1,dir=/tmp/...,faults=...".

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace soft_mlx5 {

using Gid = std::array<std::uint8_t, 16>;

struct Config {
  bool infiniband = false;
  int nodes = 8;  // addresses: 10.77.0.1 to 10.77.0.nodes, or as many GIDs
  std::uint64_t seed = 1;
  std::string directory;  // of the run; empty: the fabric has only this process
  // Faults: probabilities per request in millionths.
  std::uint32_t rnr = 0;
  std::uint32_t flush = 0;
  std::uint32_t retry = 0;
  std::uint32_t loss = 0;  // for each try of a request
  std::uint32_t dct = 0;
  bool no_masks = false;       // firmware without extended atomics
  bool swapped_reply = false;  // replies of atomics in the other byte order
  // Devices and drivers of other kinds.
  bool no_extended = false;     // no ibv_create_qp_ex and ibv_create_cq_ex
  bool other_driver = false;    // mlx5dv does not support the device
  bool no_srq = false;          // no shared receive queues
  bool no_atomics = false;      // atomic_cap is NONE
  bool ipv6 = false;            // RoCE: fd93:1::1, ... instead of IPv4 addresses
  bool needs_grh = false;       // InfiniBand: packets without a GRH are refused
  std::uint32_t rd_atomic = 0;  // max_res_rd_atom of the process; 0: enough for all QPs
  bool log = false;
};

const Config& config();

// GIDs as tools/soft-mlx5/run writes them below SYSFS_PATH: index -> GID; includes RoCE v1 entries.
const std::vector<Gid>& gids();

inline constexpr std::uint16_t kLid = 7;
inline constexpr std::uint64_t kGuid = 0x02c9'0300'0077'0001;

// Faults that the run asked for, drawn from its seed: the same order of requests gets the same
// faults.
enum class Fault : std::uint8_t { rnr, flush, retry, loss, dct };
bool draw(Fault fault);

}  // namespace soft_mlx5
