#pragma once
// When sections begin in an open loop, whether or not clients are free.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace latchlab {

enum class ArrivalKind : std::uint8_t { none, poisson, script };

struct ScriptedArrival {
  enum class Mode : std::uint8_t { exclusive, shared, update };
  Duration at;  // since the start of the run, on the client's clock
  std::uint32_t client = 0;
  std::uint64_t lock = 0;
  Mode mode = Mode::exclusive;
};

struct ArrivalSpec {
  ArrivalKind kind = ArrivalKind::none;  // none: a closed loop
  std::int64_t per_second = 0;           // poisson: over all clients
  std::vector<ScriptedArrival> script;
};

}  // namespace latchlab
