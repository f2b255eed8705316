#pragma once
// How far two runs agree on which lock does more.

#include <vector>

#include "core/study/study_comparison.h"

namespace latchlab {

// Of each place with two locks or more that are sound in both runs, in the order of the pairs. What
// was emulated is never ranked with what an RNIC did.
std::vector<RankAgreement> rank_agreements(const StoredStudy& a, const StoredStudy& b,
                                           const std::vector<PointPair>& pairs);

}  // namespace latchlab
