#pragma once
// Makes a case that breaks something as small as it can: fewer faults, clients, nodes, locks and
// settings, and a shorter run, as long as the same is broken.

#include <cstdint>
#include <functional>

#include "core/run/study.h"
#include "tools/swarm/case.h"
#include "tools/swarm/play.h"

namespace latchlab::swarm {

struct Shrunk {
  Case smallest;
  Scenario scenario;
  Broken broken;
  std::uint64_t plays = 0;
  bool interrupted = false;
};

// `broken`: what `found` breaks. Each smaller case is tried with its own seed and some others. The
// result does not depend on `jobs`.
Shrunk shrink(const Case& found, const Broken& broken, const std::string& name,
              const std::string& description, std::uint32_t jobs, std::uint64_t most_plays,
              const DataDirs& data, const BackendFactory& make_backend);

}  // namespace latchlab::swarm
