#include "tools/benchmarks/two_cores.h"

#include <sched.h>

#include <chrono>

#include "core/base/check.h"

namespace latchlab::bench {

namespace {

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

void stay_on(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  (void)sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

bool TwoCores::available() {
  return usable_cpus().size() >= 2;
}

TwoCores::TwoCores() : cpus_(usable_cpus()) {
  if (cpus_.size() < 2) return;
  stay_on({cpus_[0]});
  second_ = std::thread([this] { serve(cpus_[1]); });
}

TwoCores::~TwoCores() {
  turn_.store(Turn::over);
  if (second_.joinable()) second_.join();
  stay_on(cpus_);
}

void TwoCores::serve(int cpu) {
  stay_on({cpu});
  for (;;) {
    const Turn turn = turn_.load(std::memory_order_acquire);
    if (turn == Turn::over) return;
    if (turn != Turn::second) continue;
    (*work_)();
    turn_.store(Turn::caller, std::memory_order_release);
  }
}

void TwoCores::run(unsigned core, const std::function<void()>& work) {
  LATCHLAB_CHECK(second_.joinable() || core == 0, "work for a second core that there is not");
  if (core == 0) return work();
  work_ = &work;
  turn_.store(Turn::second, std::memory_order_release);
  while (turn_.load(std::memory_order_acquire) != Turn::caller) continue;
}

double elapsed_ns(const std::function<void()>& work) {
  const auto before = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before)
      .count();
}

}  // namespace latchlab::bench
