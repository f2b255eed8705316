// DC targets and initiators: what each verb does, which errors occur and how an initiator recovers.

#include "tests/hardware/dc.h"

#include <algorithm>
#include <cstring>

#include "core/verbs/verbs.h"

namespace latchlab::ib {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST_F(Dc, keys_are_unpredictable) {
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < 8; ++i)
    keys.push_back(must(DcTarget::make(*near_->device, near_->cq, *near_->recvs)).address().key);
  std::vector<std::uint64_t> steps;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const std::uint64_t step = keys[i] - keys[i - 1];
    EXPECT_EQ(std::count(steps.begin(), steps.end(), step), 0) << step;
    steps.push_back(step);
  }
}

TEST_F(Dc, each_verb_works_on_a_target_as_over_a_connection) {
  make_dci();
  std::fill(far_->words.begin(), far_->words.end(), 5);
  std::memcpy(&here_->words[1], "abcdefgh", 8);
  WorkRequest write = request(WorkRequest::Kind::write, 1, *far_, 1);
  WorkRequest given = request(WorkRequest::Kind::write, 2, *far_, 2);
  given.by_value = true;
  const std::uint64_t value = 99;
  given.local = &value;
  WorkRequest read = request(WorkRequest::Kind::read, 3, *far_, 3);
  WorkRequest cas = request(WorkRequest::Kind::cas, 4, *far_, 4);
  cas.compare = 5;
  cas.operand = 6;
  WorkRequest faa = request(WorkRequest::Kind::faa, 5, *far_, 5);
  faa.operand = 10;
  faa.fenced = true;
  post({write, given, read, cas, faa}, aim(*far_));
  EXPECT_THAT(outcomes(5), AllOf(SizeIs(5), Each(VerbStatus::ok)));
  EXPECT_EQ(std::memcmp(&far_->words[1], "abcdefgh", 8), 0);
  EXPECT_EQ(far_->words[2], 99U);
  EXPECT_EQ(here_->words[3], 5U);
  EXPECT_EQ(here_->words[4], 5U);
  EXPECT_EQ(far_->words[4], 6U);
  EXPECT_EQ(here_->words[5], 5U);
  EXPECT_EQ(far_->words[5], 15U);
}

// These queue entries are written by the project itself, including address vector and key.
TEST_F(Dc, masked_atomics_reach_their_target) {
  make_dci();
  const std::uint64_t first = 0xffff'0000'0000'0007;
  for (const std::uint32_t bytes : {8U, 16U}) {
    if ((here_->device->facts().mlx5->masked_dc & bytes) == 0)
      GTEST_SKIP() << "needs masked atomics of " << bytes << " bytes by DC";
    const Words low{0xff, 0xff};
    const Verb swap = masked_cas_verb({}, bytes, Words{7, 7}, low, Words{9, 9}, low);
    const Verb sum = masked_faa_verb({}, bytes, Words{1ULL << 48, 1ULL << 48}, Words{});
    far_->words[0] = far_->words[1] = first;
    WorkRequest cas = request(WorkRequest::Kind::masked_cas, 2, *far_);
    WorkRequest faa = request(WorkRequest::Kind::masked_faa, 4, *far_);
    cas.masked = &swap;
    faa.masked = &sum;
    cas.bytes = faa.bytes = bytes;
    post({cas, faa}, aim(*far_));
    EXPECT_THAT(outcomes(2), AllOf(SizeIs(2), Each(VerbStatus::ok)));
    const auto reply = [&](std::size_t at) {
      return masked_reply({here_->words[at], here_->words[at + 1]}, bytes);
    };
    const std::uint64_t second = bytes == 16 ? first : 0;
    EXPECT_EQ(reply(2), (Words{first, second}));
    EXPECT_EQ(reply(4), (Words{first + 2, bytes == 16 ? first + 2 : 0}));
    EXPECT_EQ(far_->words[0], 9U);  // all 16 bits above it were set
    EXPECT_EQ(far_->words[1], bytes == 16 ? 9U : first);
  }
}

TEST_F(Dc, one_initiator_reaches_one_target_after_the_other) {
  make_dci();
  for (std::uint64_t round = 0; round < 20; ++round) {
    TargetEnd& to = round % 2 == 0 ? *near_ : *far_;
    post({add(2 * round, to), add(2 * round + 1, to)}, aim(to));
  }
  EXPECT_THAT(outcomes(40), AllOf(SizeIs(40), Each(VerbStatus::ok)));
  EXPECT_EQ(near_->words[0], 20U);
  EXPECT_EQ(far_->words[0], 20U);
  for (std::uint64_t i = 0; i < 40; ++i) EXPECT_EQ(here_->words[i], i / 4 * 2 + i % 2) << i;
}

TEST_F(Dc, an_initiator_in_error_flushes_and_comes_back_by_recovery_alone) {
  make_dci();
  WorkRequest wrong = add(2, *far_);
  wrong.remote_key += 1;
  post({add(1, *far_), wrong, add(3, *far_)}, aim(*far_));
  EXPECT_THAT(outcomes(3),
              ElementsAre(VerbStatus::ok, VerbStatus::access_error, VerbStatus::flushed));
  post({add(4, *near_)}, aim(*near_));
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::flushed));
  const std::uint32_t number = dci_->number();
  recover();
  EXPECT_EQ(dci_->number(), number);
  post({add(5, *far_), add(6, *far_)}, aim(*far_));
  EXPECT_THAT(outcomes(2), AllOf(SizeIs(2), Each(VerbStatus::ok)));
  EXPECT_EQ(far_->words[0], 3U);  // 1, 5 and 6
  EXPECT_EQ(near_->words[0], 0U);
}

// More verbs than a queue and its completions hold: going round shows state that recovery forgets.
TEST_F(Dc, an_initiator_works_after_every_recovery) {
  QpOptions small;
  small.depth = 8;
  make_dci(small);
  for (std::uint64_t round = 0; round < 20; ++round) {
    WorkRequest wrong = add(9, *far_);
    wrong.remote_key += 1;
    std::vector<WorkRequest> requests = {add(1, *far_), add(2, *far_), wrong, add(3, *far_)};
    requests[0].signalled = false;
    post(requests, aim(*far_));
    EXPECT_THAT(outcomes(3),
                ElementsAre(VerbStatus::ok, VerbStatus::access_error, VerbStatus::flushed));
    recover();
    EXPECT_EQ(far_->words[0], 2 * (round + 1));
  }
}

TEST_F(Dc, of_a_burst_of_sends_one_finds_a_recv_and_the_rest_fail) {
  make_dci(impatient());
  here_->words[1] = 42;
  std::vector<WorkRequest> burst;
  for (std::uint64_t id = 1; id <= 4; ++id)
    burst.push_back(request(WorkRequest::Kind::send, id, *far_));
  post(burst, aim(*far_));
  EXPECT_THAT(outcomes(4), ElementsAre(VerbStatus::ok, VerbStatus::receiver_not_ready,
                                       VerbStatus::flushed, VerbStatus::flushed));
  ASSERT_THAT(far_->completions(1), SizeIs(1));
  std::uint64_t word = 0;
  std::memcpy(&word, far_->recvs->slot(0), sizeof(word));
  EXPECT_EQ(word, 42U);
  recover();
  far_->recvs->post(0);
  post({request(WorkRequest::Kind::send, 1, *far_)}, aim(*far_));
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::ok));
}

// SENDs for which the receiver has no RECV stay outstanding as long as the test needs.
TEST_F(Dc, failing_an_initiator_flushes_what_is_outstanding) {
  make_dci();
  std::vector<WorkRequest> burst;
  for (std::uint64_t id = 1; id <= 9; ++id)
    burst.push_back(request(WorkRequest::Kind::send, id, *far_));
  post(burst, aim(*far_));
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::ok));
  dci_->fail();
  EXPECT_THAT(outcomes(8), AllOf(SizeIs(8), Each(VerbStatus::flushed)));
  recover();
  post({add(1, *near_)}, aim(*near_));
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::ok));
}

TEST_F(Dc, nothing_lands_at_a_target_that_is_gone_and_others_are_reached_after_recovery) {
  make_dci(impatient());
  const DcAim gone = aim(*far_);
  far_->target.drop();
  post({add(1, *far_)}, gone);
  post({add(2, *near_)}, aim(*near_));
  EXPECT_THAT(outcomes(2), ElementsAre(VerbStatus::peer_failed, VerbStatus::flushed));
  EXPECT_EQ(far_->words[0], 0U);
  EXPECT_EQ(near_->words[0], 0U);
  recover();
  post({add(2, *near_)}, aim(*near_));
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::ok));
  EXPECT_EQ(near_->words[0], 1U);
}

TEST_F(Dc, a_request_with_a_wrong_key_gets_no_response) {
  make_dci(impatient());
  DctAddress wrong = far_->target.address();
  wrong.key ^= 1;
  post({add(1, *far_)}, aim(wrong));
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::peer_failed));
  EXPECT_EQ(far_->words[0], 0U);
}

}  // namespace
}  // namespace latchlab::ib
