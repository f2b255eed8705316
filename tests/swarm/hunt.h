#pragma once
// Draws cases of one lock and plays them, as `latchlab swarm` does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/protocols/registry.h"
#include "tests/paths.h"
#include "tools/latchlab/simgrid_options.h"
#include "tools/swarm/draw.h"
#include "tools/swarm/play.h"
#include "tools/swarm/shrink.h"

namespace latchlab::swarm {

inline const DataDirs& data() {
  static const DataDirs dirs{{LATCHLAB_SOURCE_DIR}};
  return dirs;
}

inline std::unique_ptr<Backend> simulated(const WorldPlan& plan, const Point& point) {
  return make_simgrid(plan, simgrid_options(point));
}

inline Drawn drawn(const std::string& lock, std::uint64_t number, bool own_parameters = false,
                   const ParamValues& forced = {}) {
  auto made = draw_case(*find_protocol(lock), {1, own_parameters, forced}, number, data());
  if (!made) {
    ADD_FAILURE() << made.error().text();
    return {};
  }
  return std::move(made).value();
}

inline std::vector<Played> play_all(const std::vector<Drawn>& cases, std::uint32_t jobs,
                                    const ParamValues& forced = {}) {
  std::vector<const Scenario*> scenarios;
  for (const Drawn& each : cases) scenarios.push_back(&each.scenario);
  return play(scenarios, forced, jobs, simulated).played;
}

struct Found {
  std::uint64_t number = 0;  // of the run
  Case drawn;
  Broken broken;
};

struct Hunted {
  std::string lock;
  ParamValues forced = {};
  bool own_parameters = true;
  std::uint64_t first = 0;  // earlier runs find nothing
};

// The first run before run `end` that does not keep what the lock claims; none: all did.
inline std::optional<Found> hunt(const Hunted& prey, std::uint64_t end) {
  constexpr std::uint64_t kBatch = 50;
  const auto& [lock, forced, own_parameters, begin] = prey;
  for (std::uint64_t first = begin; first < end; first += kBatch) {
    std::vector<Drawn> cases;
    for (std::uint64_t number = first; number < first + kBatch; ++number)
      cases.push_back(drawn(lock, number, own_parameters, forced));
    const std::vector<Played> played = play_all(cases, 2, forced);
    for (std::size_t i = 0; i < played.size(); ++i)
      if (const Broken* const broken = played[i].finding())
        return Found{first + i, cases[i].drawn, *broken};
  }
  return std::nullopt;
}

}  // namespace latchlab::swarm
