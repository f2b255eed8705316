#include "tests/conformance/broken.h"

#include <gtest/gtest-spi.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/verbs/wrappers.h"
#include "core/world/forwarding.h"

namespace latchlab::conformance {

namespace {

class BrokenVerbs final : public ForwardingVerbs {
 public:
  BrokenVerbs(Verbs* inner_verbs, const Fault& fault)
      : ForwardingVerbs(inner_verbs), fault_(fault) {}
  using ForwardingVerbs::inner;

  EndpointAddr open(std::uint32_t recv_depth, Transport transport) override {
    return ForwardingVerbs::open(recv_depth,
                                 fault_.opening ? fault_.opening(transport) : transport);
  }
  void reply(const PendingCall& pending, const Reply& reply) override {
    ForwardingVerbs::reply(pending, fault_.replying ? fault_.replying(reply) : reply);
  }
  void start(Operation& first) override {
    if (fault_.posting) fault_.posting(first, inner());
    ForwardingVerbs::start(first);
  }
  Task<RemoteWaitResult> await_remote(const RemoteWait& wait) override {
    RemoteWait changed = wait;
    if (fault_.waiting) fault_.waiting(changed);
    auto waiting = inner().await_remote(changed);
    const RemoteWaitResult result = co_await waiting;
    co_return result;
  }

 private:
  const Fault& fault_;
};

// Passes the wrapped actor's verbs to the handler.
class BrokenHandler final : public CallHandler {
 public:
  BrokenHandler(CallHandler& inner, Verbs& verbs) : inner_(inner), verbs_(verbs) {}
  Task<void> serve(Verbs& /*verbs*/, PendingCall pending) override {
    return inner_.serve(verbs_, pending);
  }

 private:
  CallHandler& inner_;
  Verbs& verbs_;
};

// The wrappers of all actors of a world. They outlive the world: when coroutines are destroyed,
// they return what they hold through the wrappers.
struct Wrapping {
  std::vector<std::unique_ptr<BrokenVerbs>> actors;
  std::vector<std::unique_ptr<BrokenHandler>> handlers;
};

class BrokenBackend final : public ForwardingBackend {
 public:
  BrokenBackend(std::unique_ptr<Backend> inner_backend, const Fault& fault, Wrapping& wrapping)
      : ForwardingBackend(std::move(inner_backend)), fault_(fault), wrapping_(wrapping) {}

  Verbs& add_actor(ActorKind kind, NodeId node, ClientId client) override {
    Verbs& made = ForwardingBackend::add_actor(kind, node, client);
    return *wrapping_.actors.emplace_back(std::make_unique<BrokenVerbs>(&made, fault_));
  }
  void spawn(Verbs& actor, Task<void> root, Time start) override {
    ForwardingBackend::spawn(static_cast<BrokenVerbs&>(actor).inner(), std::move(root), start);
  }
  void serve_calls(Verbs& server, CallHandler& handler) override {
    auto& made = wrapping_.handlers.emplace_back(std::make_unique<BrokenHandler>(handler, server));
    ForwardingBackend::serve_calls(static_cast<BrokenVerbs&>(server).inner(), *made);
  }

 private:
  const Fault& fault_;
  Wrapping& wrapping_;
};

}  // namespace

bool fails(const BackendCase& made, const Body& body) {
  testing::TestPartResultArray failures;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures);
    Bench bench(made);
    body(bench);
  }
  for (int i = 0; i < failures.size(); ++i)
    if (failures.GetTestPartResult(i).failed()) return true;
  return false;
}

int worlds_noticed(const Fault& fault, const Body& body) {
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= kExplorerSeeds; ++seed) {
    const BackendCase sound = explorer_case(seed);
    Wrapping wrapping;
    const BackendCase broken{"broken", [&](const WorldPlan& plan) -> std::unique_ptr<Backend> {
                               return std::make_unique<BrokenBackend>(sound.make(plan), fault,
                                                                      wrapping);
                             }};
    EXPECT_FALSE(fails(sound, body)) << "a body that fails in a world that keeps its promises";
    noticed += fails(broken, body) ? 1 : 0;
  }
  return noticed;
}

int worlds_noticed(const Body& sound, const Body& broken) {
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= kExplorerSeeds; ++seed) {
    const BackendCase made = explorer_case(seed);
    EXPECT_FALSE(fails(made, sound)) << "a body that fails in a world that keeps its promises";
    noticed += fails(made, broken) ? 1 : 0;
  }
  return noticed;
}

}  // namespace latchlab::conformance
