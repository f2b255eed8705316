// Calls to a server part, which replies at once or later.

#include "tests/conformance/conformance.h"
#include "tests/conformance/desk.h"

namespace latchlab::conformance {
namespace {

class Calls : public Conformance {
 protected:
  void SetUp() override { LATCHLAB_NEEDS(Capability::calls); }
};
LATCHLAB_EVERY_BACKEND(Calls);

TEST_P(Calls, every_caller_gets_its_own_reply) {
  Desk desk;
  world().serve_calls(add_server(), desk);
  for (int i = 0; i < 4; ++i) {
    Verbs& client = add_client();
    spawn(client, [](Verbs& verbs) -> Task<void> {
      for (std::uint64_t round = 0; round < 5; ++round) {
        const std::uint64_t word = 10 * verbs.client().value + round;
        const Reply reply = co_await verbs.call(kServer, request_of(kDouble, word));
        EXPECT_TRUE(reply.ok());
        EXPECT_EQ(reply.words[0], 2 * word);
      }
    }(client));
  }
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Calls, held_call_is_answered_when_the_server_decides) {
  Desk desk;
  world().serve_calls(add_server(), desk);
  Verbs& waiter = add_client();
  Verbs& helper = add_client(kThere);
  bool released = false;
  spawn(waiter, [](Verbs& verbs, const bool& was_released) -> Task<void> {
    const Reply reply = co_await verbs.call(kServer, request_of(kHold));
    EXPECT_TRUE(reply.ok());
    EXPECT_TRUE(was_released);
  }(waiter, released));
  spawn(helper, [](Verbs& verbs, const Desk& at, bool& will_release) -> Task<void> {
    while (at.held() == 0) co_await verbs.sleep(microseconds(1));
    will_release = true;
    const Reply reply = co_await verbs.call(kServer, request_of(kRelease));
    EXPECT_TRUE(reply.ok());
  }(helper, desk, released));
  EXPECT_EQ(run(), RunEnd::finished);
}

// The first effect is not the reply: a request that waits at the server already has its place in
// the order.
TEST_P(Calls, first_effect_is_when_the_server_takes_up_the_call) {
  if (!world().sees_all_effects()) GTEST_SKIP() << "needs a backend that sees all effects";
  Desk desk;
  world().serve_calls(add_server(), desk);
  Verbs& waiter = add_client();
  Verbs& helper = add_client(kThere);
  waiter.first_effect().arm();
  helper.first_effect().arm();
  spawn(waiter, [](Verbs& verbs) -> Task<void> {
    const Reply reply = co_await verbs.call(kServer, request_of(kHold));
    EXPECT_TRUE(reply.ok());
  }(waiter));
  spawn(helper, [](Verbs& verbs, const Desk& at) -> Task<void> {
    while (at.held() == 0) co_await verbs.sleep(microseconds(1));
    const Reply reply = co_await verbs.call(kServer, request_of(kRelease));
    EXPECT_TRUE(reply.ok());
  }(helper, desk));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_FALSE(waiter.first_effect().armed);
  EXPECT_FALSE(helper.first_effect().armed);
  EXPECT_LT(waiter.first_effect().order, helper.first_effect().order);
}

TEST_P(Calls, node_without_a_server_part_returns_an_error) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Reply reply = co_await verbs.call(kThere, request_of(kDouble, 1));
    EXPECT_FALSE(reply.ok());
  }(client));
}

TEST_P(Calls, reply_to_a_crashed_caller_is_dropped) {
  LATCHLAB_NEEDS(Capability::client_crash);
  Desk desk;
  world().serve_calls(add_server(), desk);
  Verbs& victim = add_client();
  Verbs& other = add_client(kThere);
  spawn(victim, [](Verbs& verbs) -> Task<void> {
    co_await verbs.call(kServer, request_of(kHold));
    ADD_FAILURE() << "a dead client went on";
  }(victim));
  spawn(other, [](Verbs& verbs, const Desk& at, Backend& backend) -> Task<void> {
    while (at.held() == 0) co_await verbs.sleep(microseconds(1));
    backend.crash(ClientId{0}, CrashKind::client);
    const Reply reply = co_await verbs.call(kServer, request_of(kRelease, 4));
    EXPECT_EQ(reply.words[0], 8U);
  }(other, desk, world()));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Calls, server_part_may_use_verbs_while_it_serves) {
  class Reader final : public CallHandler {
    Task<void> serve(Verbs& verbs, PendingCall pending) override {
      const Completion seen = co_await verbs.read({kThere, 64});
      Reply reply;
      reply.words[0] = seen.value.lo;
      verbs.reply(pending, reply);
    }
  };
  Reader reader;
  world().serve_calls(add_server(), reader);
  world().poke({kThere, 64}, 31);
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Reply reply = co_await verbs.call(kServer, request_of(kDouble));
    EXPECT_EQ(reply.words[0], 31U);
  }(client));
}

}  // namespace
}  // namespace latchlab::conformance
