#pragma once
// Choosers for choices within a step (how many of a dead client's verbs take effect).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/explorer/arena.h"
#include "backends/explorer/chooser.h"

namespace latchlab::explore {

// Repeats `values`; after the last one, chooses the first alternative.
class ScriptedChooser final : public Chooser {
 public:
  explicit ScriptedChooser(const std::vector<std::uint32_t>& values) : values_(values) {}

 private:
  std::size_t pick(std::span<const std::uint32_t> owners) override {
    const std::size_t value = at_ < values_.size() ? values_[at_++] : 0;
    return std::min(value, owners.size() - 1);
  }
  const std::vector<std::uint32_t>& values_;
  std::size_t at_ = 0;
};

// Iterates over all combinations of choices:
//   Odometer inner; do { inner.restart(); ...one try...; } while (inner.advance());
class Odometer final : public Chooser {
 public:
  void restart() { at_ = 0; }
  // Goes to the next combination; false: that was the last one.
  bool advance() {
    wheels_.resize(at_);
    while (!wheels_.empty() && wheels_.back().value + 1 == wheels_.back().count) wheels_.pop_back();
    if (wheels_.empty()) return false;
    ++wheels_.back().value;
    return true;
  }
  std::vector<std::uint32_t> values() const {
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < at_; ++i) values.push_back(wheels_[i].value);
    return values;
  }

 private:
  struct Wheel {
    std::uint32_t value = 0;
    std::uint32_t count = 0;
  };
  std::size_t pick(std::span<const std::uint32_t> owners) override {
    const explorer::ArenaScope heap(nullptr);
    if (at_ == wheels_.size()) wheels_.push_back({});
    wheels_[at_].count = static_cast<std::uint32_t>(owners.size());
    return wheels_[at_++].value;
  }

  std::vector<Wheel> wheels_;
  std::size_t at_ = 0;
};

}  // namespace latchlab::explore
