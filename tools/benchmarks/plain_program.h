#pragma once
// A CAS spin lock written for SimGrid alone, with actors and messages, for comparison with the same
// lock in Latchlab.

#include <cstdint>

#include "core/scenario/nic.h"
#include "tools/benchmarks/sample.h"

namespace latchlab::bench {

struct PlainProgram {
  std::uint32_t client_nodes = 5;
  std::uint32_t clients_per_node = 48;
  std::uint64_t locks = 240;  // chosen uniformly; readers exclude each other too
  std::uint64_t warm_up_verbs = 0;
  std::uint64_t verbs = 0;  // measured; a request and its reply are one verb
  NicModel nic;             // the links use its one-way latency and rate
};

Sample measure_plain_program(const PlainProgram& program);

}  // namespace latchlab::bench
