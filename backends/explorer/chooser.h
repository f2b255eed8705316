#pragma once
// Chooses the next step. The explorer lists every step that is allowed now, always in the same
// order, and asks a Chooser for one of them: a seeded random choice, or the recorded choices of an
// earlier run. A search over all orders is another Chooser.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/random.h"

namespace latchlab {

class Chooser {
 public:
  virtual ~Chooser() = default;

  // Returns an index into `owners`, which holds the owner of each step (a CPU or a NIC).
  std::size_t choose(std::span<const std::uint32_t> owners);
  // Chooses one of `count` equal alternatives.
  std::size_t choose_among(std::size_t count);

  // Records every choice from now on, for a replay.
  void record() { recording_ = true; }
  const std::vector<std::uint32_t>& recorded() const { return recorded_; }

 protected:
  virtual std::size_t pick(std::span<const std::uint32_t> owners) = 0;

 private:
  bool recording_ = false;
  std::vector<std::uint32_t> recorded_;
  std::vector<std::uint32_t> equal_;
};

// For half of the seeds, choices are uniform; for the other half some owners are slow for a while,
// because many defects show only when one client stalls while others proceed.
std::unique_ptr<Chooser> make_random_chooser(std::uint64_t seed);

// Repeats `choices`; after the last one takes the first step each time.
std::unique_ptr<Chooser> make_replay_chooser(std::vector<std::uint32_t> choices);

}  // namespace latchlab
