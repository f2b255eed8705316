#include "tools/swarm/tally.h"

#include "core/base/random.h"

namespace latchlab::swarm {

void Tally::add(const Played& played) {
  ++runs;
  checksum = hash_of(checksum, played.checksum);
  if (played.refused) {
    ++refused;
    return;
  }
  if (!played.mishaps.empty()) ++faulty;
  grants += played.seen.grants;
  recoveries += played.seen.recoveries;
  expired_holds += played.expired_holds;
  late_effects += played.late_effects;
  for (const Mishap mishap : played.mishaps) ++with[static_cast<std::size_t>(mishap)];
  for (const Broken& broken : played.broken)
    if (!broken.claimed && broken.what) ++told[static_cast<std::size_t>(*broken.what)];
  if (played.finding() != nullptr) ++findings;
}

void Tally::add(const Tally& other) {
  runs += other.runs;
  faulty += other.faulty;
  refused += other.refused;
  grants += other.grants;
  recoveries += other.recoveries;
  expired_holds += other.expired_holds;
  late_effects += other.late_effects;
  for (std::size_t i = 0; i < kMishaps; ++i) with[i] += other.with[i];
  for (std::size_t i = 0; i < kKept; ++i) told[i] += other.told[i];
  findings += other.findings;
  checksum = hash_of(checksum, other.checksum);
}

}  // namespace latchlab::swarm
