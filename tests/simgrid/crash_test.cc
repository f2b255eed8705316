// Crashes in the middle of every operation: verbs are conserved, and every slot is freed.

#include "backends/simgrid/simulator.h"
#include "tests/non_empty.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

class Deaths : public SimWorld {
 protected:
  std::size_t slots_in_use() { return static_cast<sim::Simulator&>(world()).slots_in_use(); }
};

struct Keeper final : CallHandler {
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    if (pending.request.type == 0) {
      held.push_back(pending);
      co_return;
    }
    co_await verbs.read({kThere, 8});
    verbs.reply(pending, {});
  }
  std::vector<PendingCall> held;
};

// Every operation in which a client can crash, in random order.
Task<void> do_anything(Verbs& verbs, EndpointAddr own, const std::vector<EndpointAddr>& others) {
  const Message message = numbered(1);
  Request request;
  request.type = 1;
  for (;;) {
    const RemoteAddr word = on_server(8 * verbs.random(16));
    switch (verbs.random(9)) {
      case 0: {
        Batch open(verbs);
        open.add(read_verb(word));
        Batch batch(verbs);
        for (int i = 0; i < 5; ++i) batch.add(faa_verb(on_server(8 * verbs.random(16)), 1));
        batch.add(fenced(write_verb(word, 1)));
        co_await batch.run();
        break;
      }
      case 1:
        co_await verbs.compare_swap(word, verbs.random(2), verbs.random(2));
        break;
      case 2:
        for (int i = 0; i < 20; ++i) verbs.post(faa_verb(word, 1));
        co_await verbs.flush();
        break;
      case 3:
        co_await verbs.send(others[verbs.random(others.size())], message);
        break;
      case 4: {
        WaitSet set;
        set.add(MessageWait{own, {}});
        set.add(WordWait{{verbs.node(), 64}, [](std::uint64_t value) { return value % 2 == 1; }});
        set.deadline = verbs.now() + nanoseconds(static_cast<std::int64_t>(verbs.random(5000)));
        co_await verbs.first_of(set);
        break;
      }
      case 5:
        co_await verbs.write({kThere, 64}, verbs.random(2));
        break;
      case 6:
        co_await verbs.on_node([] {});
        break;
      case 7:
        co_await verbs.call(kServer, request);
        break;
      default:
        co_await verbs.read(on_server(kBytes));  // an error
    }
  }
}

TEST_F(Deaths, verbs_are_conserved_at_every_time_and_every_slot_is_freed) {
  constexpr std::uint32_t kCrowd = 24;
  nic().jitter = nanoseconds(30);
  nic().window = 4;
  nic().outstanding = 3;
  Keeper keeper;
  world().serve_calls(add_server(), keeper);
  std::vector<Verbs*> clients;
  std::vector<EndpointAddr> endpoints;
  for (std::uint32_t i = 0; i < kCrowd; ++i) {
    const NodeId node = i == 0 ? kElsewhere : i % 2 == 0 ? kHere : kThere;
    clients.push_back(&add_client(node));
    endpoints.push_back(clients.back()->open_endpoint(2));
  }
  for (std::uint32_t i = 0; i < kCrowd; ++i)
    spawn(*clients[i], do_anything(*clients[i], endpoints[i], endpoints));
  Backend& backend = world();
  for (std::uint32_t i = 0; i < kCrowd; ++i) {
    const CrashKind kind = i == 0       ? CrashKind::node
                           : i % 3 == 0 ? CrashKind::process
                                        : CrashKind::client;
    backend.at(kStart + microseconds(100) + nanoseconds(7'331) * i,
               [&backend, i, kind] { backend.crash(ClientId{i}, kind); });
  }
  for (Time date = kStart; date < kStart + microseconds(260); date = date + nanoseconds(1'777)) {
    run(date);
    expect_conservation();
  }
  EXPECT_GT(world().census().executed, 1000U);
  EXPECT_GT(world().census().failed, 50U);
  // No client is left; an idle client keeps the run going until all posted verbs are done.
  Verbs& idle = add_client();
  spawn(
      idle, [](Verbs& verbs) -> Task<void> { co_await verbs.sleep(milliseconds(5)); }(idle),
      world().true_now());
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().census().in_flight, 0U);
  EXPECT_EQ(slots_in_use(), 0U);
}

TEST_F(Deaths, verb_that_a_crashing_node_was_executing_fails_and_has_no_effect) {
  nic().request_gap = {};
  add_client(kServer);
  std::vector<Shot*> shots = shoot_all({faa_verb(kWord, 1), faa_verb(kWord, 1)});
  const Time later = kStart + nanoseconds(30);
  shots.push_back(&shoot(write_verb(kWord + 8, 1), later));
  shots.push_back(&shoot(read_verb(kWord), later));
  Backend& backend = world();
  // The first atomic is in its slot, the second waits for it, and the others have not been served
  // yet.
  backend.at(kStart + nanoseconds(1141), [&] { backend.crash(ClientId{0}, CrashKind::node); });
  EXPECT_EQ(run(), RunEnd::finished);
  for (const Shot* shot : non_empty(shots))
    EXPECT_EQ(shot->completion.status, VerbStatus::peer_failed);
  EXPECT_EQ(world().peek(kWord), 0U);
  EXPECT_EQ(world().peek(kWord + 8), 0U);
  expect_conservation();
  EXPECT_EQ(slots_in_use(), 0U);
}

TEST_F(Deaths, caller_of_a_server_that_crashes_gets_an_error) {
  Keeper keeper;
  world().serve_calls(add_server(), keeper);
  add_client(kServer);
  Duration took;
  for (int i = 0; i < 4; ++i) {
    Verbs& caller = add_client();
    spawn(caller, [](Verbs& verbs, Backend& backend, Duration& length) -> Task<void> {
      const Request hold;
      const Reply reply = co_await verbs.call(kServer, hold);
      EXPECT_EQ(reply.status, VerbStatus::peer_failed);
      length = backend.true_now() - kStart;
    }(caller, world(), took));
  }
  Backend& backend = world();
  // Two requests are with the handler, two still wait for a core.
  backend.at(kStart + microseconds(4), [&] { backend.crash(ClientId{0}, CrashKind::node); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(keeper.held.size(), 2U);
  EXPECT_GE(took, nic().ack_timeout * 3);
  expect_conservation();
  EXPECT_EQ(slots_in_use(), 0U);
}

TEST_F(Deaths, dead_node_allocates_no_memory) {
  add_client(kServer);
  world().crash(ClientId{0}, CrashKind::node);
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Allocation got = co_await verbs.allocate(kServer, 64);
    EXPECT_EQ(got.status, VerbStatus::peer_failed);
  }(client));
}

TEST_F(Deaths, verbs_that_a_dead_node_held_back_never_leave) {
  nic().outstanding = 1;
  Verbs& victim = add_client();
  spawn(victim, [](Verbs& verbs) -> Task<void> {
    for (int i = 0; i < 5; ++i) verbs.post(faa_verb(kWord, 1));
    co_await verbs.flush();
  }(victim));
  Backend& backend = world();
  backend.at(kStart + microseconds(1), [&] { backend.crash(ClientId{0}, CrashKind::node); });
  const Shot& later = shoot(read_verb(kWord), kStart + milliseconds(1), kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(later.completion.value.lo, 1U);
  expect_conservation();
  EXPECT_EQ(slots_in_use(), 0U);
}

TEST_F(Deaths, client_that_crashes_while_it_is_being_woken_stays_dead) {
  Verbs& victim = add_client(kThere);
  Verbs& sender = add_client();
  const EndpointAddr inbox = victim.open_endpoint(1);
  spawn(victim, [](Verbs& verbs, EndpointAddr own) -> Task<void> {
    co_await verbs.receive(own, {});
    ADD_FAILURE() << "a dead client went on";
  }(victim, inbox));
  spawn(sender, [](Verbs& verbs, EndpointAddr to) -> Task<void> {
    const Message message = numbered(1);
    const VerbStatus status = co_await verbs.send(to, message);
    EXPECT_EQ(status, VerbStatus::ok);
  }(sender, inbox));
  Backend& backend = world();
  // The message arrives at 1909 ns; its receiver would continue at 1959 ns.
  backend.at(kStart + nanoseconds(1930), [&] { backend.crash(ClientId{0}, CrashKind::client); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(slots_in_use(), 0U);
}

}  // namespace
}  // namespace latchlab::simtest
