#pragma once
// The suite that every backend must pass: one body per promise of the seam, run in every backend. A
// body that needs a capability which the backend lacks is skipped, and the skip names the
// capability.
//
// A world has node 1, a server, and nodes 2 and 3, which have clients; 4 KiB of memory each. A body
// creates one backend only (a simulator allows one engine per process), adds actors, runs them, and
// checks the result.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/verbs/batch.h"
#include "core/world/backend.h"

namespace latchlab::conformance {

struct BackendCase {
  std::string name;
  std::function<std::unique_ptr<Backend>(const WorldPlan&)> make;
  // Factor by which bodies lengthen long durations. On hardware a verb can take longer than a few
  // microseconds, and other programs use the same cores.
  std::int64_t slowness = 1;

  friend std::ostream& operator<<(std::ostream& out, const BackendCase& made) {
    return out << made.name;
  }
};
std::vector<BackendCase> backend_cases();
inline constexpr std::uint64_t kExplorerSeeds = 6;
inline constexpr int kAllSeeds = static_cast<int>(kExplorerSeeds);
BackendCase explorer_case(std::uint64_t seed);  // 1 .. kExplorerSeeds
std::string name_of_case(const testing::TestParamInfo<BackendCase>& info);

inline constexpr NodeId kServer{1};
inline constexpr NodeId kHere{2};
inline constexpr NodeId kThere{3};
inline constexpr std::uint64_t kBytes = 4096;
// Well beyond all memory that bodies use.
inline constexpr Duration kEnd = milliseconds(500);

constexpr RemoteAddr on_server(std::uint64_t offset) {
  return {kServer, offset};
}
inline constexpr RemoteAddr kWord = on_server(1024);

// The world of one body, with the actors that the body adds.
class Bench {
 public:
  explicit Bench(const BackendCase& made) : made_(made) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Backend& world();
  bool has(Capability capability) { return world().capabilities().has(capability); }
  // Adds the next client, numbered from 0.
  Verbs& add_client(NodeId node = kHere);
  Verbs& add_server();
  void spawn(Verbs& verbs, Task<void> body, Time start = {});
  RunEnd run() { return world().run_until(Time{} + lasting(kEnd)); }
  Duration lasting(Duration length) const { return length * made_.slowness; }
  // Spawns the only client's body and expects it to end.
  void run_alone(Verbs& verbs, Task<void> body);

  // To be called before the world is first used: its initial image, more memory for each node, or a
  // plan of the body's own.
  void set_image(std::function<void(NodeId, std::uint64_t, std::span<std::uint64_t>)> image) {
    plan_image_ = std::move(image);
  }
  void set_bytes(std::uint64_t bytes) { bytes_ = bytes; }
  Backend& make(const WorldPlan& plan);

 private:
  BackendCase made_;
  std::function<void(NodeId, std::uint64_t, std::span<std::uint64_t>)> plan_image_;
  std::uint64_t bytes_ = kBytes;
  std::unique_ptr<Backend> world_;
  std::uint32_t clients_ = 0;
};

class Conformance : public testing::TestWithParam<BackendCase>, protected Bench {
 protected:
  Conformance() : Bench(GetParam()) {}
};

// Awaits the wait for tests that look at its result later.
inline Task<void> wait_into(Verbs& verbs, RemoteWait wait, RemoteWaitResult& result) {
  auto waiting = verbs.await_remote(wait);
  result = co_await waiting;
}

}  // namespace latchlab::conformance

#define LATCHLAB_EVERY_BACKEND(suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(Every, suite,                                                \
                           testing::ValuesIn(::latchlab::conformance::backend_cases()), \
                           ::latchlab::conformance::name_of_case)

#define LATCHLAB_NEEDS(capability)                                                    \
  do {                                                                                \
    if (!has(capability)) GTEST_SKIP() << "needs capability " << name_of(capability); \
  } while (false)
