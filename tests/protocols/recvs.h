#pragma once
// How many messages a client can receive that it never reads: the RECVs of its endpoint, which
// locks whose clients send each other messages need for every lock that a client holds or awaits.

#include "core/protocols/common/inbox.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {

inline Task<void> take_and_keep(World& world) {
  const Want want{world.lock(LockId{0})};
  co_await world.client(ClientId{0}).acquire(want, {});
}

inline Task<void> send_until_refused(World& world, std::uint64_t* taken) {
  Verbs& verbs = world.verbs(ClientId{1});
  RemoteWait wait;
  wait.add(read_verb(world.lock(LockId{0}).entry));
  wait.classify = [](const ProbeValues& values) {
    return values[0].lo != 0 ? Verdict::done : Verdict::pending;
  };
  const RemoteWaitResult held = co_await verbs.await_remote(wait);
  const EndpointAddr tail = EndpointAddr::unpack(held.values[0].lo & kPackedEndpoint);
  const Message unread = {0xffff, 0, LockId{0}};
  for (;;) {
    const VerbStatus sent = co_await verbs.send(tail, unread);
    if (sent != VerbStatus::ok) co_return;
    ++*taken;
  }
}

// For the client that is the tail of a lock's queue, as word 0 of the entry names it.
inline std::uint64_t recvs_of_the_tail(const char* protocol_name, std::int64_t max_held) {
  const ProtocolEntry& entry = *find_protocol(protocol_name);
  ParamSet params = entry.small_params();
  params.set("max_held", number(max_held));
  const auto protocol = entry.make(params);
  WorldShape shape;
  shape.client_nodes = 2;
  World world(*protocol, shape);
  const auto backend = make_world(world.plan(), *protocol, {});
  world.attach(*backend);
  std::uint64_t taken = 0;
  backend->spawn(world.verbs(ClientId{0}), take_and_keep(world), Time{});
  backend->spawn(world.verbs(ClientId{1}), send_until_refused(world, &taken), Time{});
  EXPECT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished);
  return taken;
}

inline void expect_two_recvs_for_each_lock(const char* protocol) {
  LATCHLAB_NEEDS_EXPLORER("a device may have taken one before it says so");
  EXPECT_EQ(recvs_of_the_tail(protocol, 1), 2U);
  EXPECT_EQ(recvs_of_the_tail(protocol, 3), 6U);
}

}  // namespace latchlab::testing
