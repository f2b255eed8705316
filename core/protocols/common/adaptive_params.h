#pragma once
// The parameters of AdaptiveBackoff, for locks whose options derive from AdaptiveBackoffOptions.

#include <cstdint>
#include <string>

#include "core/protocols/common/backoff.h"
#include "core/protocols/common/entry.h"

namespace latchlab {

template <class Options>
void add_adaptive_params(Params<Options>& to) {
  to.insert(to.end(),
            {{"backoff_initial", &Options::initial, nanoseconds(1), milliseconds(10),
              "t0: 4096 cycles at 2.2 GHz (SMART; ShiftLock artifact)"},
             {"backoff_cap_shift", &Options::cap_shift, 0, 20,
              "the bound of a pause never exceeds t0 << this (SMART; ShiftLock artifact)"},
             {"adapt_interval", &Options::interval, Duration{}, seconds(10),
              "the bound is adapted at most this often (ShiftLock artifact)"},
             {"adapt_every_operations", &Options::every_operations, 1, 1'000'000,
              "acquisitions between two checks of the bound (ShiftLock artifact: 64)"},
             {"low_watermark_percent", &Options::low_percent, 0, 100,
              "below this share of retries the bound halves (SMART; ShiftLock artifact)"},
             {"high_watermark_percent", &Options::high_percent, 0, 100,
              "above this share of retries the bound doubles (SMART; ShiftLock artifact)"}});
}

// The time in which the bound rises from its start to its cap: at most one doubling per interval.
inline Duration adaptation_period(const AdaptiveBackoffOptions& options) {
  return options.interval * static_cast<std::int64_t>(options.cap_shift);
}

// Description::contradiction; empty: none.
inline std::string backoff_contradiction(const AdaptiveBackoffOptions& options) {
  if (options.low_percent <= options.high_percent) return {};
  return "low_watermark_percent is " + std::to_string(options.low_percent) +
         ", above high_watermark_percent " + std::to_string(options.high_percent) +
         ": the bound would halve and double at once; swap them";
}

}  // namespace latchlab
