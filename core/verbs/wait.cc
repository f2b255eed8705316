#include "core/verbs/wait.h"

#include <algorithm>

#include "core/base/check.h"

namespace latchlab {

void ProbeValues::lay_out(const Verb* probes, std::size_t count) {
  LATCHLAB_CHECK(count >= 1 && count <= kMaxProbes, "a remote wait has 1 to 16 probes");
  std::uint32_t words = 0;
  for (std::size_t i = 0; i < count; ++i) {
    begin_[i] = static_cast<std::uint16_t>(words);
    words += (probes[i].bytes + 7) / 8;
    LATCHLAB_CHECK(words * 8 <= kMaxProbeBytes, "the probes of a wait read 16 KiB at most");
  }
  for (std::size_t i = count; i <= kMaxProbes; ++i) begin_[i] = static_cast<std::uint16_t>(words);
  words_.clear();
  words_.resize(words);
}

void ProbeValues::set(std::size_t probe, const Words& value) {
  const std::span<std::uint64_t> into = words(probe);
  if (!into.empty()) into[0] = value.lo;
  if (into.size() > 1) into[1] = value.hi;
}

void ProbeValues::set(std::size_t probe, const std::uint64_t* from) {
  const std::span<std::uint64_t> into = words(probe);
  std::copy_n(from, into.size(), into.begin());
}

}  // namespace latchlab
