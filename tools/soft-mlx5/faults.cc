#include "tools/soft-mlx5/faults.h"

#include <cstdio>

#include "tools/soft-mlx5/config.h"

namespace soft_mlx5 {

namespace {

std::uint64_t next_random() {  // splitmix64
  static std::uint64_t state = config().seed;
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint32_t millionths(Fault fault) {
  switch (fault) {
    case Fault::rnr:
      return config().rnr;
    case Fault::flush:
      return config().flush;
    case Fault::retry:
      return config().retry;
    case Fault::loss:
      return config().loss;
    case Fault::dct:
      return config().dct;
  }
  return 0;
}

}  // namespace

bool draw(Fault fault) {
  const std::uint32_t rate = millionths(fault);
  if (rate == 0 || next_random() % 1'000'000 >= rate) return false;
  static constexpr const char* kNames[] = {"RNR NAK", "flush", "no answer", "lost packet",
                                           "dead DCT"};
  if (config().log) std::fprintf(stderr, "soft-mlx5: fault: %s\n", kNames[static_cast<int>(fault)]);
  return true;
}

}  // namespace soft_mlx5
