#include "core/measure/metrics.h"

#include "core/base/check.h"

namespace latchlab {

void PhaseTotals::add(const std::array<Duration, kPhases>& spent) {
  ++operations;
  std::uint64_t all_bits = 0;  // the sign bit is set if it is set in any of them
  for (std::size_t i = 0; i < kPhases; ++i) {
    const auto length_ps = static_cast<std::uint64_t>(spent[i].ps);
    all_bits |= length_ps;
    sum_ps[i] += length_ps;
  }
  LATCHLAB_CHECK(all_bits >> 63 == 0, "a phase of negative length");
}

void PhaseTotals::merge(const PhaseTotals& other) {
  operations += other.operations;
  for (std::size_t i = 0; i < sum_ps.size(); ++i) sum_ps[i] += other.sum_ps[i];
}

bool PhaseTotals::holds(const PhaseTotals& some) const {
  for (std::size_t i = 0; i < sum_ps.size(); ++i)
    if (some.sum_ps[i] > sum_ps[i]) return false;
  return some.operations <= operations;
}

bool PhaseTotals::add_up_to(const Histogram& operations_histogram) const {
  Wide sum = 0;
  for (const std::uint64_t phase_ps : sum_ps) sum += phase_ps;
  return operations == operations_histogram.count() && sum == operations_histogram.sum_ps();
}

bool WindowLaw::holds() const {
  const Wide spent = static_cast<Wide>(counted_lengths_ps) + ages_at_end_ps + idle_ps;
  const Wide given = static_cast<Wide>(clients) * duration_ps + ages_at_start_ps;
  return spent == given;
}

void add_requested(RepeatMetrics& shape, const RepeatMetrics& metrics) {
  for (const Metric& metric : metric_table())
    std::visit(
        [&](auto* to) {
          using Field = std::decay_t<decltype(*to)>;
          const Field& from = *std::get<Field*>(metric.field(const_cast<RepeatMetrics&>(metrics)));
          if constexpr (kOnRequest<Field>) {
            if (from && !*to) to->emplace();
          } else if constexpr (std::is_same_v<Field, RepeatMetrics::Groups>) {
            to->values.insert(from.values.begin(), from.values.end());
          } else if constexpr (std::is_same_v<Field, RepeatMetrics::GroupTimes>) {
            for (const auto& [name, times] : from.by_group) to->by_group[name];
          }
        },
        metric.field(shape));
}

}  // namespace latchlab
