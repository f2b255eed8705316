// Long payloads over links that go down, alone and with all other verbs.

#include "core/base/random.h"
#include "tests/simgrid/links.h"

namespace latchlab::simtest {
namespace {

class LongPayloads : public Links, public testing::WithParamInterface<BulkModel> {
 protected:
  LongPayloads() { options().bulk.model = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Models, LongPayloads,
                         testing::Values(BulkModel::shared_ports, BulkModel::flows),
                         [](const auto& made) {
                           return made.param == BulkModel::flows ? "flows" : "shared_ports";
                         });

TEST_P(LongPayloads, that_lose_their_link_restart_when_it_is_back) {
  Verb fetch = read_verb(on_server(0), kBulkBytes);
  fetch.local = {kHere, 0};
  Verb push = write_verb({kThere, 0}, 0);
  push.bytes = kBulkBytes;
  push.local = {kServer, 0};
  world().poke(on_server(0), 3);
  cut_port(kServer, kStart + microseconds(3), kStart + microseconds(9));
  const Shot& in = shoot(fetch);
  const Shot& out = shoot(push, kStart, kServer);
  EXPECT_EQ(run(), RunEnd::finished);
  for (const Shot* shot : {&in, &out}) {
    EXPECT_TRUE(shot->completion.ok());
    EXPECT_GT(shot->took(), timeout_ + picoseconds(100) * kBulkBytes);
    EXPECT_LT(shot->took(), timeout_ + picoseconds(100) * kBulkBytes * 2 + microseconds(8));
  }
  EXPECT_EQ(world().peek({kHere, 0}), 3U);
  EXPECT_EQ(world().peek({kThere, 0}), 3U);
  expect_all_given_back();
}

TEST_P(LongPayloads, that_lose_their_link_for_good_fail) {
  Verb fetch = read_verb(on_server(0), kBulkBytes);
  fetch.local = {kHere, 0};
  cut(kServer, kHere, kStart + microseconds(3));
  const Shot& shot = shoot(fetch);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(shot.completion.status, VerbStatus::peer_failed);
  EXPECT_GE(shot.took(), timeout_ * (retries_ + 1));
  expect_all_given_back();
}

Task<void> add_and_move(Verbs& verbs, std::uint64_t& sure, std::uint64_t& unsure) {
  for (int i = 0; i < 60; ++i) {
    Verb data = verbs.random(2) == 0 ? read_verb(on_server(4096), 16 * 1024) : write_verb(kWord, 0);
    data.addr = on_server(4096);
    data.bytes = 16 * 1024;
    data.local = {verbs.node(), 4096};
    if (verbs.random(4) == 0) verbs.post(data);
    const Verb bump = faa_verb(kWord, 1);
    const Completion done = co_await verbs.issue(bump);
    ++(done.ok() ? sure : unsure);
  }
  co_await verbs.flush();
}

TEST_P(LongPayloads, and_atomics_survive_links_that_go_down_again_and_again) {
  nic().jitter = nanoseconds(30);
  nic().ack_timeout = microseconds(6);
  std::uint64_t sure = 0;
  std::uint64_t unsure = 0;
  for (std::uint16_t i = 0; i < 12; ++i) {
    Verbs& client = add_client(NodeId{static_cast<std::uint16_t>(2 + i % 3)});
    spawn(client, add_and_move(client, sure, unsure));
  }
  Rng rng(3, 0, StreamPurpose::timing);
  for (std::int64_t i = 0; i < 40; ++i) {
    const Time down = kStart + microseconds(3) * i;
    const NodeId node{static_cast<std::uint16_t>(1 + rng.below(4))};
    const NodeId other = node == kServer ? kNoNode : kServer;
    const auto length = static_cast<std::int64_t>(200 + rng.below(25'000));
    cut(node, rng.below(2) == 0 ? kNoNode : other, down, down + nanoseconds(length));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(sure + unsure, 12U * 60U);
  EXPECT_GT(unsure, 0U);
  EXPECT_GE(world().peek(kWord), sure);
  EXPECT_LE(world().peek(kWord), sure + unsure);
  Verbs& idle = add_client();
  spawn(
      idle, [](Verbs& verbs) -> Task<void> { co_await verbs.sleep(milliseconds(1)); }(idle),
      world().true_now());
  EXPECT_EQ(run(), RunEnd::finished);
  expect_all_given_back();
}

}  // namespace
}  // namespace latchlab::simtest
