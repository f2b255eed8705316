#pragma once
// The hold model: each of N coroutines (clients) repeatedly schedules its own resumption after a
// uniform 1 to 2 us, and does nothing else. N events are pending at all times.

#include <coroutine>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/coro/task.h"
#include "tools/benchmarks/sample.h"

namespace latchlab::bench {

struct HoldModel {
  std::uint32_t clients = 240;
  std::uint64_t warm_up_events = 0;
  std::uint64_t events = 0;  // measured
};

// A plain heap without SimGrid: the lower bound on the cost of an event.
Sample measure_floor(const HoldModel& model);

// One kernel timer of SimGrid per event.
Sample measure_simgrid_timers(const HoldModel& model);

inline constexpr std::uint64_t kLeastPausePs = 1'000'000;

// Suspends the client; `Engine::arm(pause_ps, handle)` resumes it later.
template <class Engine>
struct Pause {
  Engine* engine;
  std::uint64_t ps;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> client) const { engine->arm(ps, client); }
  void await_resume() const noexcept {}
};

template <class Engine>
Task<void> hold_client(Engine& engine, Rng rng) {
  for (;;) {
    const Pause<Engine> pause{&engine, kLeastPausePs + rng.below(kLeastPausePs)};
    co_await pause;
  }
}

template <class Engine>
std::vector<Task<void>> start_hold_clients(Engine& engine, std::uint32_t count) {
  std::vector<Task<void>> clients;
  clients.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    clients.push_back(hold_client(engine, Rng(1, i, StreamPurpose::timing)));
    clients.back().start();
  }
  return clients;
}

}  // namespace latchlab::bench
