// Worlds whose verbs use DC, with fewer initiators than connections: an error of one client, or a
// dead peer, does not affect other clients, and every verb is executed once.

#include "core/verbs/batch.h"
#include "tests/hardware/worlds.h"

namespace latchlab::ib {
namespace {

using ::testing::HasSubstr;

constexpr RemoteAddr kSum{kServer, 4096};
constexpr int kRounds = 200;

class DcWorlds : public Worlds {
 protected:
  void SetUp() override {
    Worlds::SetUp();
    if (IsSkipped()) return;
    const auto atomics = native_atomics({});
    ASSERT_TRUE(atomics.ok());
    if (!atomics.value().has(NativeAtomics::dc)) GTEST_SKIP() << "needs a device with DC";
  }
  void make_dc(std::uint32_t dcis) {
    IbverbsOptions options;
    options.dc = true;
    options.dcis = dcis;
    make(options);
    world().poke(kSum, 0);
  }
};

Task<void> add_one_by_one(Verbs& verbs, RemoteAddr sum) {
  for (int i = 0; i < kRounds; ++i) {
    const Completion added = co_await verbs.fetch_add(sum, 1);
    EXPECT_TRUE(added.ok()) << i;
  }
}

// In each of these verbs the server's RNIC reaches the end of its memory, and the initiator flushes
// the verbs behind: more than a thread takes from its CQ at once.
Task<void> fail_again_and_again(Verbs& verbs) {
  Verb beyond = write_verb({kServer, kBytes - 8}, 0);
  beyond.bytes = 160;
  beyond.local = {kHere, 0};
  for (int i = 0; i < kRounds / 4; ++i) {
    Batch batch(verbs);
    const int bad = batch.add(beyond);
    std::vector<int> behind;
    for (int k = 0; k < 80; ++k) behind.push_back(batch.add(faa_verb(kSum, 1'000'000)));
    co_await batch.run();
    EXPECT_EQ(batch.result(bad).status, VerbStatus::access_error);
    for (const int each : behind) EXPECT_EQ(batch.result(each).status, VerbStatus::flushed);
  }
}

TEST_F(DcWorlds, errors_of_one_client_are_not_reported_to_another) {
  for (const std::uint32_t dcis : {1U, 3U}) {
    make_dc(dcis);
    for (int i = 0; i < 2; ++i) {
      Verbs& bad = add_client();
      spawn(bad, fail_again_and_again(bad));
    }
    for (int i = 0; i < 4; ++i) {
      Verbs& good = add_client();
      spawn(good, add_one_by_one(good, kSum));
    }
    run();
    EXPECT_EQ(world().peek(kSum), 4U * kRounds);
    forget_clients();
  }
}

Task<void> add_detached(Verbs& verbs, int to_post) {
  for (int i = 0; i < to_post; ++i) {
    verbs.post(faa_verb(kSum, 1));
    verbs.post(faa_verb({kThere, 0}, 1));
  }
  const VerbStatus status = co_await verbs.flush();
  EXPECT_EQ(status, VerbStatus::ok);
}

TEST_F(DcWorlds, initiators_are_shared_by_more_connections_than_there_are) {
  static constexpr int kClients = 12;
  make_dc(2);
  world().poke({kThere, 0}, 0);
  for (int i = 0; i < kClients; ++i) {
    Verbs& client = add_client(i % 2 == 0 ? kHere : kThere);
    spawn(client, add_detached(client, 3 * kRounds));
  }
  run();
  EXPECT_EQ(world().peek(kSum), 3U * kRounds * kClients);
  EXPECT_EQ(world().peek({kThere, 0}), 3U * kRounds * kClients);
}

// Each verb to the dead node times out, or fails because the node is already known to be dead.
Task<void> talk_to_the_dead(Verbs& verbs) {
  for (;;) {
    const Completion told = co_await verbs.read({kThere, 0});
    if (told.ok()) continue;
    EXPECT_EQ(told.status, VerbStatus::peer_failed);
    break;
  }
  const Completion fine = co_await verbs.fetch_add(kSum, 1);
  EXPECT_TRUE(fine.ok());
}

TEST_F(DcWorlds, a_client_that_talks_to_a_dead_node_delays_no_client_and_continues) {
  make_dc(3);
  Verbs& mourner = add_client();
  Verbs& victim = add_client(kThere);
  Verbs& other = add_client();
  spawn(mourner, talk_to_the_dead(mourner));
  spawn(victim, [](Verbs& verbs) -> Task<void> {
    for (;;) co_await verbs.sleep(milliseconds(1));
  }(victim));
  spawn(other, add_one_by_one(other, kSum));
  world().at(Time{} + milliseconds(5),
             [this, &victim] { world().crash(victim.client(), CrashKind::node); });
  run();
  EXPECT_EQ(world().peek(kSum), kRounds + 1U);
}

TEST_F(DcWorlds, the_initiator_of_a_crashed_client_serves_the_next_client) {
  for (const CrashKind kind : {CrashKind::client, CrashKind::process}) {
    make_dc(1);
    Verbs& victim = add_client();
    Verbs& heir = add_client();
    spawn(victim, [](Verbs& verbs) -> Task<void> {
      for (;;) {
        for (int i = 0; i < 50; ++i) verbs.post(faa_verb({kServer, 0}, 1));
        co_await verbs.read_words({kServer, 0}, 16 * 1024);
      }
    }(victim));
    spawn(heir, [](Verbs& verbs, Backend& backend, ClientId dies, CrashKind how) -> Task<void> {
      co_await verbs.sleep(milliseconds(1));
      co_await verbs.read({kServer, 0});  // so that the next verb starts after a poll
      // Until all verbs of the crashed client are done, and no completion of them polled.
      co_await verbs.compute(milliseconds(20));
      backend.crash(dies, how);
      Task<void> work = add_one_by_one(verbs, kSum);
      co_await work;
    }(heir, world(), victim.client(), kind));
    run();
    EXPECT_EQ(world().peek(kSum), 1U * kRounds);
    forget_clients();
  }
}

TEST_F(DcWorlds, masked_atomics_work_over_dc_as_well) {
  make_dc(1);
  if (!world().capabilities().has(Capability::masked_atomics_16))
    GTEST_SKIP() << "needs masked atomics of 16 bytes by DC";
  for (int i = 0; i < 3; ++i) {
    Verbs& client = add_client();
    spawn(client, [](Verbs& verbs) -> Task<void> {
      for (int round = 0; round < kRounds; ++round) {
        const Completion added = co_await verbs.masked_fetch_add(kSum, 16, Words{1, 1}, Words{});
        EXPECT_TRUE(added.ok());
      }
    }(client));
  }
  world().poke(kSum + 8, 0);
  run();
  EXPECT_EQ(world().peek(kSum), 3U * kRounds);
  EXPECT_EQ(world().peek(kSum + 8), 3U * kRounds);
}

TEST_F(DcWorlds, eviction_is_not_a_capability_of_dc) {
  make_dc(1);
  EXPECT_THAT(world().capabilities().first_missing({Capability::evict}),
              HasSubstr("--transport rc"));
}

}  // namespace
}  // namespace latchlab::ib
