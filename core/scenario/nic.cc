#include "core/scenario/nic.h"

#include <cstddef>

namespace latchlab {

std::int64_t rate_ppm(const NicModel& nic, std::int64_t qps) {
  constexpr std::int64_t kWhole = 1'000'000;
  const std::vector<RatePoint>& curve = nic.qp_cache;
  if (curve.empty() || qps <= curve.front().qps) return kWhole;
  if (qps >= curve.back().qps) return curve.back().rate_ppb / 1'000;
  std::size_t next = 1;
  while (curve[next].qps < qps) ++next;
  const RatePoint& low = curve[next - 1];
  const RatePoint& high = curve[next];
  const std::int64_t step = (high.rate_ppb - low.rate_ppb) * (qps - low.qps) / (high.qps - low.qps);
  return (low.rate_ppb + step) / 1'000;
}

}  // namespace latchlab
