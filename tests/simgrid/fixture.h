#pragma once
// A small world in the simulator, with an RNIC of round numbers and no jitter: each result of a
// test is exactly a sum of them. Node 1 is a server; nodes 2, 3 and 4 have clients. One world per
// test: SimGrid allows one engine per process.

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

#include "backends/simgrid/simgrid_backend.h"
#include "core/verbs/batch.h"
#include "core/world/backend.h"

namespace latchlab::simtest {

inline constexpr NodeId kServer{1};
inline constexpr NodeId kHere{2};
inline constexpr NodeId kThere{3};
inline constexpr NodeId kElsewhere{4};
inline constexpr std::uint64_t kBytes = 64 * 1024;
inline constexpr Time kStart{};
inline constexpr Time kEnd{Time{} + milliseconds(100)};

constexpr RemoteAddr on_server(std::uint64_t offset) {
  return {kServer, offset};
}
inline constexpr RemoteAddr kWord = on_server(1024);
inline constexpr std::uint32_t kBulkBytes = 32 * 1024;  // more than a message of the control class

// How long bytes take on the wire at the rate of plain_nic(), whose packets have no overhead. A
// READ request and a WRITE have 16 bytes of headers, an answer 4 (8 if it takes several packets),
// that of an atomic 12.
constexpr Duration on_wire(std::int64_t bytes) {
  return picoseconds(100) * bytes;
}
// Of a payload, what its latency does not include.
constexpr Duration beyond_short(std::int64_t bytes) {
  return on_wire(bytes - 64);
}

NicModel plain_nic();
Verb fenced(Verb verb);
Message numbered(std::uint64_t number);

// The result of one verb.
struct Shot {
  Time posted;
  Time done;
  Completion completion;
  bool over = false;
  Duration took() const { return done - posted; }
};

class SimWorld : public testing::Test {
 protected:
  SimWorld();

  // To be changed before the first use of world().
  NicModel& nic() { return options_.nic; }
  SimgridOptions& options() { return options_; }
  NodePlan& planned(NodeId node) { return nodes_[node.value - 1U]; }

  Backend& world();
  Verbs& add_client(NodeId node = kHere);
  Verbs& add_server(NodeId node = kServer);
  void spawn(Verbs& verbs, Task<void> body, Time start = kStart);
  RunEnd run(Time until = kEnd) { return world().run_until(until); }

  // A new client issues one verb at `start`.
  Shot& shoot(const Verb& verb, Time start = kStart, NodeId from = kHere);
  // The same number of new clients, all at once.
  std::vector<Shot*> shoot_all(const std::vector<Verb>& verbs, Time start = kStart);
  // How long one takes with no other verb in the world.
  Duration time_of(const Verb& verb, NodeId from = kHere);
  // Runs `body` as the only client until it ends.
  void run_alone(Verbs& verbs, Task<void> body);

  // The time of an unloaded verb, without its time at the responder.
  Duration travel() const;
  void expect_conservation();

  std::uint64_t device_bytes = 0;  // device memory of the server

 private:
  SimgridOptions options_;
  std::vector<NodePlan> nodes_;
  std::unique_ptr<Backend> world_;
  std::uint32_t clients_ = 0;
  std::deque<Shot> shots_;
};

}  // namespace latchlab::simtest
