#pragma once
// A fit of three constants of connectx-5 whose metrics come from formulas.

#include <string>
#include <vector>

#include "core/protocols/registry.h"
#include "models/calibration.h"
#include "tests/paths.h"

namespace latchlab::fit_test {

inline DataDirs data() {
  return {{LATCHLAB_SOURCE_DIR}};
}

inline Leaves leaves_of(double cycle_ns, double rate) {
  return {{"cycle_ns.mean", cycle_ns, Aggregation::mean},
          {"goodput_ops_s", rate, Aggregation::mean}};
}

// The time of a verb: one way and back, the pipeline and the hold of 16 bytes; in run 1, a rate
// that only failing CAS determine.
class Formula final : public MetricSource {
 public:
  explicit Formula(const FitSpec& spec) : spec_(spec) {}
  Result<std::vector<std::vector<Leaves>>> metrics(const std::vector<NicChanges>& variants,
                                                   const std::vector<std::size_t>& runs) override {
    std::vector<std::vector<Leaves>> all;
    for (const NicChanges& changes : variants) {
      const NicModel nic = changed(spec_.runs[0].point.platform.nic, changes);
      const double trip = 2 * constant_of(nic, "latency.one_way");
      const double wide =
          constant_of(nic, "atomic.same_address_16") + constant_of(nic, "responder.atomic_16");
      const double rate = 1e9 / constant_of(nic, "atomic.same_address_failed");
      all.emplace_back();
      for (const std::size_t run : runs)
        all.back().push_back(leaves_of(run == 2 ? trip + wide : trip, rate));
    }
    return all;
  }

 private:
  const FitSpec& spec_;
};

}  // namespace latchlab::fit_test
