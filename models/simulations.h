#pragma once
// Simulates the runs of a fit under changed NICs, each in its own process and several at once.
// Seeds do not depend on the NIC, so that differences come from the NIC alone.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/measure/leaves.h"
#include "core/run/repeat.h"
#include "models/fit_spec.h"

namespace latchlab {

// The source of metrics: simulations, or a formula in tests.
class MetricSource {
 public:
  virtual ~MetricSource() = default;
  // The metrics of run `runs[j]` under `variants[i]`, at [i][j].
  virtual Result<std::vector<std::vector<Leaves>>> metrics(
      const std::vector<NicChanges>& variants, const std::vector<std::size_t>& runs) = 0;
};

class Simulations final : public MetricSource {
 public:
  // `progress` is called with the number of simulations that have ended so far.
  Simulations(const FitSpec& spec, BackendFactory make_backend, std::uint32_t jobs,
              std::function<void(std::size_t)> progress)
      : spec_(spec),
        make_backend_(std::move(make_backend)),
        jobs_(jobs),
        progress_(std::move(progress)) {}

  // Reuses earlier simulations. An interrupted, failed or unsafe run is an error.
  Result<std::vector<std::vector<Leaves>>> metrics(const std::vector<NicChanges>& variants,
                                                   const std::vector<std::size_t>& runs) override;
  bool interrupted() const { return interrupted_; }

 private:
  using Key = std::pair<std::size_t, std::vector<std::int64_t>>;  // the run and the NIC's numbers
  Status simulate(const std::vector<std::pair<Key, Point>>& missing);

  const FitSpec& spec_;
  BackendFactory make_backend_;
  std::uint32_t jobs_;
  std::function<void(std::size_t)> progress_;
  std::map<Key, Leaves> known_;
  std::size_t simulated_ = 0;
  bool interrupted_ = false;
};

// The number at `path`; 0 if the run did not measure it. Rates are per second, times in ns.
double metric_of(const Leaves& leaves, const std::string& path);

}  // namespace latchlab
