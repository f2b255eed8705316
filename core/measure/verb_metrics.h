#pragma once
// Verb counts per counted cycle and the share of retries, from tallies taken at the borders of
// cycles and acquisitions (core/verbs/tally.h).

#include <cstdint>
#include <string>

#include "core/measure/metrics.h"
#include "core/verbs/tally.h"

namespace latchlab {

// The input of retry_share_acquire: atomics in acquisitions of counted cycles.
struct AcquireAtomics {
  std::uint64_t atomics = 0;
  std::uint64_t mismatched = 0;
  bool operator==(const AcquireAtomics&) const = default;
};

// `cycles`: verbs of the counted cycles, of which there were `counted`. `acquisitions`: the part of
// them posted inside acquire. Fills verbs_per_cycle, its detail, and both retry shares:
//   retry_share          (CAS that did not match + probes not satisfied) / (atomics + READ probes)
//   retry_share_acquire  CAS that did not match / atomics, inside acquire
// Not measured if no cycle was counted, or none of these verbs was posted.
void write_verb_metrics(const VerbTally& cycles, const AcquireAtomics& acquisitions,
                        std::uint64_t counted, RepeatMetrics& metrics);
// The same for verbs_per_cycle of one group of clients.
void write_group_verbs(const std::string& group, const VerbTally& cycles, std::uint64_t counted,
                       RepeatMetrics& metrics);

}  // namespace latchlab
