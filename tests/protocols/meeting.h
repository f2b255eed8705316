#pragma once
// Two clients that meet: one holds the lock, the other asks for it. If the holder releases at all,
// it may have done so before.

#include <variant>

#include "tests/protocols/harness.h"

namespace latchlab::testing {

struct Meeting {
  LockMode holder = LockMode::exclusive;
  LockMode other = LockMode::exclusive;
  Duration patience = kForever;  // of the second client
  bool leaves = true;            // the holder releases, sooner or later
  bool over = false;             // it has released
  // The outcome: how the second client's acquisition ended, its verbs, and the lock's word.
  bool entered = false;
  AbortReason reason = AbortReason::deadline;
  ActorTally verbs;
  std::string entry;
  Duration took;
  Duration left;  // validity of its grant, when it was given
};

// Waits until the holder holds the lock, or has held it.
inline Task<void> wait_for_holder(World& world, const Meeting& meeting) {
  const bool* const over = &meeting.over;
  RemoteWait wait;
  wait.add(read_verb(world.lock(LockId{0}).entry));
  wait.classify = [over](const ProbeValues& values) {
    return values[0].lo != 0 || *over ? Verdict::done : Verdict::pending;
  };
  co_await world.verbs(ClientId{1}).await_remote(wait);
}

inline Task<void> hold(World& world, Meeting& meeting) {
  LockClient& client = world.client(ClientId{0});
  const Want want{world.lock(LockId{0}), meeting.holder};
  const AcquireResult result = co_await client.acquire(want, {});
  if (!meeting.leaves) co_return;
  co_await world.verbs(ClientId{0}).sleep(milliseconds(1));
  const Grant grant = std::get<Grant>(result);
  co_await client.release(grant);
  meeting.over = true;
}

inline Task<void> come(World& world, Meeting& meeting) {
  Verbs& verbs = world.verbs(ClientId{1});
  co_await wait_for_holder(world, meeting);
  verbs.tally() = {};
  AcquireOptions options;
  if (meeting.patience < kForever) options.deadline = verbs.now() + meeting.patience;
  const Want want{world.lock(LockId{0}), meeting.other};
  const Time begin = verbs.now();
  const AcquireResult result = co_await world.client(ClientId{1}).acquire(want, options);
  meeting.took = verbs.now() - begin;
  meeting.verbs = verbs.tally();
  if (const Aborted* aborted = std::get_if<Aborted>(&result)) {
    meeting.reason = aborted->reason;
    co_return;
  }
  meeting.entered = true;
  const Grant grant = std::get<Grant>(result);
  meeting.left = grant.valid_until - verbs.now();
  co_await world.client(ClientId{1}).release(grant);
}

// With these values over the small model's. `make`: null for the explorer, or hardware.
inline void meet(const char* name, const ParamValues& values, std::uint64_t seed, Meeting& meeting,
                 std::unique_ptr<Backend> (*make)(const WorldPlan&) = nullptr) {
  const ProtocolEntry& entry = *find_protocol(name);
  ParamSet params = entry.small_params();
  for (const auto& [key, value] : values) params.set(key, value);
  const auto protocol = entry.make(params);
  WorldShape shape;
  shape.client_nodes = 2;
  shape.seed = seed;
  World world(*protocol, shape);
  ExplorerOptions options;
  options.seed = seed;
  options.max_steps = 5'000;
  const auto backend = make ? make(world.plan()) : make_world(world.plan(), *protocol, options);
  world.attach(*backend);
  backend->spawn(world.verbs(ClientId{0}), hold(world, meeting), Time{});
  backend->spawn(world.verbs(ClientId{1}), come(world, meeting), Time{});
  ASSERT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished) << "seed " << seed;
  meeting.entry =
      protocol->decode(words_at(*backend, world.lock(LockId{0}).entry, world.entry_bytes()));
}

}  // namespace latchlab::testing
