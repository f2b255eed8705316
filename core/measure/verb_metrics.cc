#include "core/measure/verb_metrics.h"

#include <string>

#include "core/measure/statistics.h"

namespace latchlab {
namespace {

constexpr std::array<const char*, VerbTally::kKinds> kKindNames = {
    "read", "write", "cas", "faa", "masked_cas", "masked_faa"};
constexpr std::array<const char*, VerbTally::kWidths> kWidthNames = {"_8", "_16", "_long"};

RepeatMetrics::VerbsPerCycle per_cycle(const VerbTally& cycles, std::uint64_t counted) {
  return {ratio(cycles.reads(), counted), ratio(cycles.writes(), counted),
          ratio(cycles.atomics(), counted), ratio(cycles.sends, counted),
          ratio(cycles.calls, counted)};
}

}  // namespace

void write_verb_metrics(const VerbTally& cycles, const AcquireAtomics& acquisitions,
                        std::uint64_t counted, RepeatMetrics& metrics) {
  metrics.verbs_per_cycle = per_cycle(cycles, counted);
  metrics.verbs_per_cycle_detail.clear();
  for (std::size_t kind = 0; kind < kKindNames.size(); ++kind)
    for (std::size_t width = 0; width < kWidthNames.size(); ++width)
      if (const std::uint64_t verbs = cycles.verbs[kind][width]; verbs > 0 && counted > 0)
        metrics.verbs_per_cycle_detail[std::string(kKindNames[kind]) + kWidthNames[width]] =
            *ratio(verbs, counted);
  metrics.retry_share =
      ratio(cycles.mismatched + cycles.probe_misses, cycles.atomics() + cycles.probe_reads);
  metrics.retry_share_acquire = ratio(acquisitions.mismatched, acquisitions.atomics);
}

void write_group_verbs(const std::string& group, const VerbTally& cycles, std::uint64_t counted,
                       RepeatMetrics& metrics) {
  const RepeatMetrics::VerbsPerCycle verbs = per_cycle(cycles, counted);
  const auto add = [&](const char* kind, const RepeatMetrics::Real& value) {
    if (value) metrics.group_verbs.values[group + "." + kind] = *value;
  };
  add("read", verbs.read);
  add("write", verbs.write);
  add("atomic", verbs.atomic);
  add("send", verbs.send);
  add("call", verbs.call);
}

}  // namespace latchlab
