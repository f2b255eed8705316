#include "backends/explorer/chooser.h"

#include "backends/explorer/arena.h"
#include "core/base/check.h"

namespace latchlab {

namespace {

class RandomChooser final : public Chooser {
 public:
  explicit RandomChooser(std::uint64_t seed)
      : rng_(seed, 0, StreamPurpose::schedule), uniform_(rng_.below(2) == 0) {}

 private:
  // Choices that an assignment of speeds lasts for, and weight of a fast owner (a slow one has 1).
  static constexpr std::uint64_t kSpell = 48;
  static constexpr std::uint64_t kFast = 24;

  std::size_t pick(std::span<const std::uint32_t> owners) override {
    if (uniform_) return rng_.below(owners.size());
    if (++made_ % kSpell == 0) spell_ = rng_.next();
    std::uint64_t total = 0;
    for (const std::uint32_t owner : owners) total += speed_of(owner);
    std::uint64_t at = rng_.below(total);
    for (std::size_t i = 0;; ++i) {
      if (at < speed_of(owners[i])) return i;
      at -= speed_of(owners[i]);
    }
  }
  std::uint64_t speed_of(std::uint32_t owner) const {
    return hash_of(spell_, owner) % 3 == 0 ? 1 : kFast;
  }

  Rng rng_;
  bool uniform_;
  std::uint64_t made_ = 0;
  std::uint64_t spell_ = 0;
};

class ReplayChooser final : public Chooser {
 public:
  explicit ReplayChooser(std::vector<std::uint32_t> choices) : choices_(std::move(choices)) {}

 private:
  std::size_t pick(std::span<const std::uint32_t> owners) override {
    if (next_ == choices_.size()) return 0;
    const std::size_t choice = choices_[next_++];
    LATCHLAB_CHECK(choice < owners.size(), "a replayed choice does not fit this run");
    return choice;
  }

  std::vector<std::uint32_t> choices_;
  std::size_t next_ = 0;
};

}  // namespace

std::size_t Chooser::choose(std::span<const std::uint32_t> owners) {
  LATCHLAB_CHECK(!owners.empty(), "a choice among nothing");
  if (owners.size() == 1) return 0;
  const std::size_t choice = pick(owners);
  if (recording_) recorded_.push_back(static_cast<std::uint32_t>(choice));
  return choice;
}

std::size_t Chooser::choose_among(std::size_t count) {
  const explorer::ArenaScope heap(nullptr);  // a chooser outlives the states that it chooses in
  equal_.assign(count, 0);
  return choose(equal_);
}

std::unique_ptr<Chooser> make_random_chooser(std::uint64_t seed) {
  return std::make_unique<RandomChooser>(seed);
}

std::unique_ptr<Chooser> make_replay_chooser(std::vector<std::uint32_t> choices) {
  return std::make_unique<ReplayChooser>(std::move(choices));
}

}  // namespace latchlab
