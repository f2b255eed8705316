#pragma once

#include <cstdint>

#include "core/base/time.h"

namespace latchlab::n_cosed {

struct Options {
  bool home_reset = true;
  std::uint64_t shared_limit = 1ULL << 31;  // 0: none
  std::uint32_t max_held = 16;
  Duration timeout = {};  // 0: none
  Duration backoff_first = microseconds(10);
  Duration backoff_bound = milliseconds(10);
};

}  // namespace latchlab::n_cosed
