#pragma once
// Who decides what happens next. The explorer lists every step that the seam allows at this
// moment, always in the same order, and asks for one of them: a seeded random choice, or the
// choices of an earlier run played again. A search over all orders is one more chooser.

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

  // An index into `owners`, which names for each step who makes it (a CPU or a NIC).
  std::size_t choose(std::span<const std::uint32_t> owners);
  // One of `count` equal alternatives.
  std::size_t choose_among(std::size_t count);

  // Keeps every choice made from now on, for a replay.
  void record() { recording_ = true; }
  const std::vector<std::uint32_t>& recorded() const { return recorded_; }

 protected:
  virtual std::size_t pick(std::span<const std::uint32_t> owners) = 0;

 private:
  bool recording_ = false;
  std::vector<std::uint32_t> recorded_;
  std::vector<std::uint32_t> equal_;
};

// Half of the seeds choose uniformly; the others make some owners slow for a while, because many
// defects need one participant to sleep through what the rest does.
std::unique_ptr<Chooser> make_random_chooser(std::uint64_t seed);

// Plays `choices` again; takes the first step when they are used up.
std::unique_ptr<Chooser> make_replay_chooser(std::vector<std::uint32_t> choices);

}  // namespace latchlab
