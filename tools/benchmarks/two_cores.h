#pragma once
// Runs work on one of two cores at a time: the calling thread's and a second thread's. What one
// core has changed, the other finds in a cache that is not its own.

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace latchlab::bench {

class TwoCores {
 public:
  TwoCores();
  ~TwoCores();
  TwoCores(const TwoCores&) = delete;

  // Whether the calling thread may run on two cores, without which there is nothing to measure.
  static bool available();
  // Runs `work` on core 0 or 1, of which 1 needs two, and returns when it is done. The other core
  // waits busily.
  void run(unsigned core, const std::function<void()>& work);

 private:
  enum class Turn { caller, second, over };
  void serve(int cpu);

  const std::vector<int> cpus_;  // that the calling thread might use before
  std::atomic<Turn> turn_{Turn::caller};
  const std::function<void()>* work_ = nullptr;
  std::thread second_;
};

// Elapsed time of `work`, in ns.
double elapsed_ns(const std::function<void()>& work);

}  // namespace latchlab::bench
