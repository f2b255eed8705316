#include "tools/benchmarks/two_cores.h"

#include <chrono>

#include "backends/ibverbs/cores.h"
#include "core/base/check.h"

namespace latchlab::bench {

bool TwoCores::available() {
  return ib::own_cores().size() >= 2;
}

TwoCores::TwoCores() : cpus_(ib::own_cores()) {
  if (cpus_.size() < 2) return;
  ib::use_cores({cpus_[0]});
  second_ = std::thread([this] { serve(cpus_[1]); });
}

TwoCores::~TwoCores() {
  turn_.store(Turn::over);
  if (second_.joinable()) second_.join();
  ib::use_cores(cpus_);
}

void TwoCores::serve(int cpu) {
  ib::use_cores({cpu});
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
