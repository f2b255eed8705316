// One QP: the limit of outstanding READs and atomics, order, fences, errors; ports and pipelines.

#include <numeric>

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

class QueuePairs : public SimWorld {
 protected:
  // Completion times of verbs that one client posts at once.
  std::vector<Duration> burst(const std::vector<Verb>& verbs);
};

Task<void> post_all(Verbs& verbs, std::vector<Verb> list, std::vector<Completion>& results) {
  Batch batch(verbs);
  for (const Verb& verb : list) batch.add(verb);
  co_await batch.run();
  for (std::size_t i = 0; i < list.size(); ++i)
    results.push_back(batch.result(static_cast<int>(i)));
}

// Each verb is awaited by a task of its own.
Task<void> one_of(Verbs& verbs, Backend& backend, Verb verb, Duration& took) {
  co_await verbs.issue(verb);
  took = backend.true_now() - kStart;
}
Task<void> all_of(Verbs& verbs, Backend& backend, std::vector<Verb> list,
                  std::vector<Duration>& took) {
  std::vector<Task<void>> tasks;
  for (std::size_t i = 0; i < list.size(); ++i)
    tasks.push_back(one_of(verbs, backend, list[i], took[i]));
  for (Task<void>& task : tasks) task.start();
  const auto over = [&took] {
    for (const Duration& each : took)
      if (each.ps == 0) return false;
    return true;
  };
  while (!over()) co_await verbs.sleep(microseconds(1));
}

std::vector<Duration> QueuePairs::burst(const std::vector<Verb>& verbs) {
  Verbs& client = add_client();
  std::vector<Duration> took(verbs.size());
  run_alone(client, all_of(client, world(), verbs, took));
  return took;
}

TEST_F(QueuePairs, seventeenth_read_leaves_when_the_first_has_returned) {
  const std::vector<Duration> took = burst(std::vector<Verb>(17, read_verb(kWord)));
  const Duration alone = travel() + nic().serve_read + nic().read;
  for (std::int64_t i = 0; i < 16; ++i)
    EXPECT_EQ(took[static_cast<std::size_t>(i)], alone + nic().request_gap * i);
  EXPECT_EQ(took[16], alone + alone - nic().post);
}

TEST_F(QueuePairs, the_limit_of_outstanding_verbs_is_shared_by_reads_and_atomics) {
  nic().outstanding = 2;
  const std::vector<Duration> took =
      burst({faa_verb(kWord, 1), read_verb(kWord + 8), read_verb(kWord + 8)});
  EXPECT_EQ(took[2],
            took[0] + nic().one_way * 2 + nic().completion + nic().serve_read + nic().read);
}

TEST_F(QueuePairs, verb_that_need_not_wait_for_the_limit_still_takes_its_time_to_be_posted) {
  nic().outstanding = 1;
  nic().post = microseconds(1);
  Verbs& client = add_client();
  std::vector<Duration> took(2);
  spawn(client, [](Verbs& verbs, Backend& backend, std::vector<Duration>& dates) -> Task<void> {
    Task<void> first = one_of(verbs, backend, read_verb(kWord), dates[0]);
    first.start();
    co_await verbs.sleep(microseconds(3));  // the first returns at 3356 ns
    Task<void> second = one_of(verbs, backend, read_verb(kWord), dates[1]);
    co_await second;
  }(client, world(), took));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(took[1], microseconds(3) + travel() + nic().serve_read + nic().read);
}

TEST_F(QueuePairs, writes_do_not_count_towards_the_limit) {
  const std::vector<Duration> took = burst(std::vector<Verb>(40, write_verb(kWord, 1)));
  const Duration alone = travel() + nic().serve_write + nic().write;
  for (std::int64_t i = 0; i < 40; ++i)
    EXPECT_EQ(took[static_cast<std::size_t>(i)], alone + nic().request_gap * i);
}

TEST_F(QueuePairs, write_does_not_overtake_a_read_that_waits_for_the_limit) {
  nic().outstanding = 1;
  world().poke(kWord, 4);
  Verbs& client = add_client();
  std::vector<Completion> results;
  run_alone(client, post_all(client, {read_verb(kWord + 8), read_verb(kWord), write_verb(kWord, 5)},
                             results));
  EXPECT_EQ(results[1].value.lo, 4U);
  EXPECT_EQ(world().peek(kWord), 5U);
}

TEST_F(QueuePairs, verbs_behind_an_atomic_see_it) {
  Verbs& client = add_client();
  std::vector<Completion> results;
  run_alone(client, post_all(client,
                             {faa_verb(kWord, 1), read_verb(kWord), faa_verb(kWord, 1),
                              write_verb(kWord, 10), faa_verb(kWord, 1), read_verb(kWord)},
                             results));
  EXPECT_EQ(results[1].value.lo, 1U);
  EXPECT_EQ(results[4].value.lo, 10U);
  EXPECT_EQ(results[5].value.lo, 11U);
}

TEST_F(QueuePairs, verb_behind_an_atomic_starts_at_its_end_and_a_fenced_one_after_its_return) {
  const std::vector<Duration> took =
      burst({faa_verb(kWord, 1), write_verb(kWord + 8, 1), fenced(write_verb(kWord + 16, 1))});
  const Duration atomic_ends = nic().post + nic().one_way + nic().serve_atomic_8 + nic().hold_8;
  const Duration way_back = nic().one_way + nic().completion;
  EXPECT_EQ(took[0], atomic_ends + way_back);
  EXPECT_EQ(took[1], atomic_ends + nic().serve_write + nic().write + way_back);
  EXPECT_EQ(took[2], took[0] + nic().one_way + nic().serve_write + nic().write + way_back);
}

TEST_F(QueuePairs, qps_of_two_clients_do_not_wait_for_each_other) {
  nic().request_gap = {};
  const std::vector<Shot*> held = shoot_all({faa_verb(kWord, 1), faa_verb(kWord, 1)});
  const Shot& other = shoot(write_verb(kWord + 8, 1), kStart + nanoseconds(100));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(other.took(), travel() + nic().serve_write + nic().write);
  EXPECT_EQ(held[1]->done - held[0]->done, nic().hold_8);
}

TEST_F(QueuePairs, pipeline_serves_each_class_at_its_own_rate) {
  nic().request_gap = {};
  const std::vector<std::pair<Verb, Duration>> classes = {
      {read_verb(kWord), nic().serve_read},
      {write_verb(kWord, 1), nic().serve_write},
      {masked_faa_verb(kWord, 16, {1, 1}, {}), nic().serve_atomic_16}};
  for (const auto& [verb, serve] : classes) {
    std::vector<Verb> verbs;
    for (std::uint64_t i = 0; i < 20; ++i) {
      verbs.push_back(verb);
      verbs.back().addr.offset += 16 * i;
    }
    const std::vector<Shot*> shots = shoot_all(verbs, world().true_now());
    EXPECT_EQ(run(), RunEnd::finished);
    EXPECT_EQ(shots.back()->done - shots.front()->done, serve * 19);
  }
}

TEST_F(QueuePairs, port_of_a_node_sends_at_most_one_request_per_gap) {
  nic().request_gap = nanoseconds(70);
  const std::vector<Shot*> shots = shoot_all(std::vector<Verb>(11, write_verb(kWord, 1)));
  const Shot& elsewhere = shoot(write_verb(kWord + 64, 1), kStart, kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(shots.back()->done - shots.front()->done, nic().request_gap * 10);
  EXPECT_LE(elsewhere.took(), travel() + nic().serve_write * 2 + nic().write);
}

Verb long_verb(VerbKind kind, std::uint32_t bytes) {
  Verb verb;
  verb.kind = kind;
  verb.addr = on_server(16384);
  verb.bytes = bytes;
  verb.local = {kHere, 16384};
  return verb;
}

TEST_F(QueuePairs, long_reads_share_the_servers_port_and_long_writes_the_clients) {
  constexpr std::uint32_t kLong = 8192;
  for (const VerbKind kind : {VerbKind::read, VerbKind::write}) {
    const Duration wire = on_wire(kLong + (kind == VerbKind::read ? 8 : 16));
    const std::vector<Shot*> shots =
        shoot_all(std::vector<Verb>(10, long_verb(kind, kLong)), world().true_now());
    EXPECT_EQ(run(), RunEnd::finished);
    EXPECT_EQ(shots.back()->done - shots.front()->done, wire * 9);
  }
}

TEST_F(QueuePairs, long_writes_of_two_nodes_share_the_servers_port) {
  constexpr std::uint32_t kLong = 8192;
  const Duration wire = picoseconds(100) * kLong;
  std::vector<Shot*> shots;
  for (int i = 0; i < 10; ++i) {
    Verb verb = long_verb(VerbKind::write, kLong);
    shots.push_back(&shoot(verb, kStart, kHere));
    verb.local.node = kThere;
    shots.push_back(&shoot(verb, kStart, kThere));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_GE(shots.back()->done - shots.front()->done, wire * 18);
}

TEST_F(QueuePairs, long_transfers_carry_every_word) {
  constexpr std::uint32_t kLong = 1024;
  for (std::uint64_t at = 0; at < kLong; at += 8) world().poke({kHere, 16384 + at}, 1000 + at);
  time_of(long_verb(VerbKind::write, kLong));
  Verb back = long_verb(VerbKind::read, kLong);
  back.local = {kThere, 0};
  time_of(back, kThere);
  for (std::uint64_t at = 0; at < kLong; at += 8) {
    ASSERT_EQ(world().peek(on_server(16384 + at)), 1000 + at);
    ASSERT_EQ(world().peek({kThere, at}), 1000 + at);
  }
}

TEST_F(QueuePairs, short_transfers_to_and_from_registered_memory_touch_their_bytes_only) {
  Verbs& client = add_client();
  world().poke({kHere, 0}, 11);
  world().poke({kHere, 8}, ~0ULL);
  world().poke(on_server(8), 0x1234567890abcdef);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Verb push = write_verb(on_server(0), 0);
    push.bytes = 12;
    push.local = {kHere, 0};
    const Completion there = co_await verbs.issue(push);
    EXPECT_TRUE(there.ok());
    Verb fetch = read_verb(on_server(0), 8);
    fetch.local = {kHere, 64};
    const Completion back = co_await verbs.issue(fetch);
    EXPECT_EQ(back.value.lo, 11U);
    push.bytes = 64;
    push.local = {kHere, kBytes - 8};
    const Completion outside = co_await verbs.issue(push);
    EXPECT_EQ(outside.status, VerbStatus::access_error);
  }(client));
  EXPECT_EQ(world().peek(on_server(0)), 11U);
  EXPECT_EQ(world().peek(on_server(8)), 0x12345678ffffffff);
  EXPECT_EQ(world().peek({kHere, 64}), 11U);
  EXPECT_EQ(world().peek({kHere, 72}), 0U);
}

TEST_F(QueuePairs, error_flushes_what_is_behind_it_until_the_requester_knows) {
  Verbs& client = add_client();
  spawn(client, [](Verbs& verbs) -> Task<void> {
    verbs.post(faa_verb(kWord, 1));
    verbs.post(write_verb(on_server(kBytes), 1));
    co_await verbs.sleep(nanoseconds(1500));  // the error is on its way back
    const Completion late = co_await verbs.write(kWord + 8, 1);
    EXPECT_EQ(late.status, VerbStatus::flushed);
    const VerbStatus first = co_await verbs.flush();
    EXPECT_EQ(first, VerbStatus::access_error);
    const Completion anew = co_await verbs.write(kWord + 16, 1);
    EXPECT_TRUE(anew.ok());
  }(client));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().peek(kWord), 1U);
  EXPECT_EQ(world().peek(kWord + 8), 0U);
  EXPECT_EQ(world().peek(kWord + 16), 1U);
  expect_conservation();
}

TEST_F(QueuePairs, error_completes_after_what_was_posted_before_it) {
  std::vector<Duration> took =
      burst({faa_verb(kWord, 1), read_verb(kWord), write_verb(on_server(kBytes), 1)});
  EXPECT_GE(took[2], took[1]);
  EXPECT_GE(took[1], took[0]);
}

}  // namespace
}  // namespace latchlab::simtest
