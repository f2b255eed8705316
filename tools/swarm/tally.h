#pragma once
// What the runs of a swarm add up to, by lock.

#include <array>
#include <cstdint>

#include "tools/swarm/play.h"

namespace latchlab::swarm {

struct Tally {
  std::uint64_t runs = 0, faulty = 0, refused = 0, grants = 0, recoveries = 0, expired_holds = 0,
                late_effects = 0;
  std::array<std::uint64_t, kMishaps> with = {};  // runs with faults of the kind
  std::array<std::uint64_t, kKept> told = {};     // runs that lost what the lock says it may lose
  std::uint64_t findings = 0;                     // runs that lost what it claims
  std::uint64_t checksum = 0;                     // of all runs, in order

  void add(const Played& played);
  void add(const Tally& other);
};

}  // namespace latchlab::swarm
