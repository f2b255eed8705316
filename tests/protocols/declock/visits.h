#pragma once
// DecLock's node part alone, with calls in an order that the test chooses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/protocols/declock/node.h"
#include "tests/modes.h"
#include "tests/protocols/harness.h"

namespace latchlab::declock_tests {

using testing::number;
using testing::text;
using Joined = declock::Node::Joined;
using Left = declock::Node::Left;

inline constexpr std::uint64_t kResets = 3;

// The argument by which the node part is told since when clients of other nodes wait.
constexpr std::uint64_t none_waits() {
  return 0;
}
constexpr std::uint64_t since(std::uint32_t time) {
  return time + 1;
}

// Clients 0 to 7 and one lock. Times are in units of the parameters.
class Visits {
 public:
  explicit Visits(const ParamValues& params = {}, const char* profile = "repaired") {
    const ProtocolEntry& entry = *find_protocol("declock");
    ParamSet set = entry.info.resolve(profile);
    for (const auto& [name, value] : params) set.set(name, value);
    protocol_ = entry.make(set);
    WorldShape shape;
    shape.clients_per_node = 8;
    world_ = std::make_unique<World>(*protocol_, shape);
    NodeEnv env;
    env.peers = world_.get();
    env.clients_here = 8;
    env.node = env.peers->client_node(0);
    part_ = protocol_->make_node(env);
  }

  declock::Node& node() { return static_cast<declock::Node&>(*part_); }

  Joined join(std::uint32_t client, LockMode mode, std::int64_t at) {
    return node().join(lock().id, ClientId{client}, mode, Time{} + microseconds(at));
  }
  // A late reader has looked: clients of other nodes wait since then, if any do.
  Joined join_after_look(std::uint32_t client, const Joined& looked, std::uint64_t others_since) {
    return node().join_after_look(lock().id, ClientId{client}, looked, others_since);
  }
  Joined join_at(std::uint32_t client, Time at) {
    return node().join(lock().id, ClientId{client}, kX, at);
  }
  std::vector<ClientId> took(LockMode mode, std::uint64_t others_since = none_waits()) {
    Grant global;
    global.lock = lock();
    global.mode = mode;
    global.words[0] = kResets;
    global.words[1] = others_since;
    node().global().enter(lock().id, cql::kWholeNode);
    return node().took(global);
  }
  void remote_waits(std::uint32_t tenure, std::uint32_t time) {
    node().remote_waits(lock().id, tenure, since(time));
  }
  Left leave() { return node().leave(lock()); }
  std::uint32_t freed() { return node().freed(lock().id).waiter.client.value; }

  // The server has failed, or has restarted.
  bool outlives(std::uint32_t changes) { return node().outlives(lock().id, {changes}); }

  // A reset waits for the node, which holds the lock.
  void is_asked() {
    Message reset;
    reset.type = cql::kReset;
    reset.lock = lock().id;
    reset.generation = kResets + 1;
    node().global().heard_of(reset);
  }

 private:
  LockRef lock() const { return world_->lock(LockId{0}); }

  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<NodePart> part_;
};

// Client 0 holds the lock; clients 1 and 2 of its node asked at 20 and 40, other nodes as given.
// Returns which of them acquire it before the node releases it.
inline std::vector<std::uint32_t> successors(const ParamValues& params,
                                             std::uint64_t others_since = since(30),
                                             bool asked = false) {
  Visits node(params);
  node.join(0, kX, 10);
  node.took(kX);
  node.join(1, kX, 20);
  node.join(2, kX, 40);
  if (others_since != none_waits())
    node.remote_waits(0, static_cast<std::uint32_t>(others_since - 1));
  if (asked) node.is_asked();
  std::vector<std::uint32_t> order;
  for (Left left = node.leave(); left.how == LocalQueues::Left::handed_on; left = node.leave())
    for (const ClientId each : left.enter) order.push_back(each.value);
  return order;
}

// A client of the node waits for a lock whose server has failed, and clients of the node come
// first.
inline LocalQueues::Left next_when_outlived() {
  Visits node({{"transfer", text("local_prefer")}});
  node.join(0, kX, 10);
  node.took(kX);
  node.join(1, kX, 20);
  node.outlives(1);
  return node.leave().how;
}

// Another node asked at 60, a client of the node 7 later, with timestamps that wrap at 63.
inline LocalQueues::Left next_after_a_wrap() {
  Visits node({{"time_bits", number(6)}});
  node.join(0, kX, 50);
  node.took(kX, since(60));
  node.join(1, kX, 67);
  return node.leave().how;
}

}  // namespace latchlab::declock_tests
