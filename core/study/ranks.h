#pragma once
// Agreement of two runs on the order of the locks by goodput.

#include <vector>

#include "core/study/study_comparison.h"

namespace latchlab {

// One entry for each position of the sweep with at least two locks that are sound in both runs, in
// the order of the pairs. Emulated points are ranked separately from those of an RNIC.
std::vector<RankAgreement> rank_agreements(const StoredStudy& a, const StoredStudy& b,
                                           const std::vector<PointPair>& pairs);

}  // namespace latchlab
