// Masked atomics executed by the RNIC itself.

#include "backends/ibverbs/native_atomics.h"
#include "backends/ibverbs/wqe.h"
#include "tests/hardware/pair.h"

namespace latchlab::ib {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::SizeIs;
using Kind = WorkRequest::Kind;

constexpr std::uint32_t kWide = 16;

class Masked : public Errors {
 protected:
  static constexpr std::uint32_t kDepth = 64;

  void SetUp() override {
    Errors::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const std::optional<Mlx5Facts>& facts = here_->device->facts().mlx5;
    if (!facts || (facts->masked & kWide) == 0) GTEST_SKIP() << "needs masked_atomics_16";
    QpOptions options;
    options.depth = kDepth;
    options.masked = true;
    connect(options, options);
  }
  WorkRequest masked(Kind kind, const Verb& verb, std::uint64_t id) const {
    WorkRequest made = here_->request(kind, id);
    made.bytes = kWide;
    made.remote = reinterpret_cast<std::uint64_t>(there_->words.data());
    made.remote_key = there_->registered.remote_key();
    made.masked = &verb;
    return made;
  }
};

// Each swap expects the value of the one before it, so a lost swap is detected, whether a queue
// holds fewer entries of this length than were posted or loses one where it wraps around.
TEST_F(Masked, queues_that_are_full_of_the_longest_entries_lose_none) {
  constexpr std::uint64_t kRounds = 5;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    std::vector<Verb> verbs(kDepth);
    std::vector<WorkRequest> requests;
    for (std::uint64_t i = 0; i < kDepth; ++i) {
      const std::uint64_t before = round * kDepth + i;
      verbs[i].compare = {before, before << 32};
      verbs[i].value = {before + 1, (before + 1) << 32};
      requests.push_back(masked(Kind::masked_cas, verbs[i], i));
    }
    ASSERT_EQ(here_->qp.post(requests), 0);
    const std::vector<VerbStatus> ends = outcomes(kDepth);
    EXPECT_THAT(ends, SizeIs(kDepth));
    EXPECT_THAT(ends, Each(VerbStatus::ok));
  }
  EXPECT_EQ(there_->words[0], kRounds * kDepth);
  EXPECT_EQ(there_->words[1], (kRounds * kDepth) << 32);
}

// libmlx5 writes the fields of a short entry into blocks that still contain operands of longer
// ones.
TEST_F(Masked, shorter_entries_take_the_place_of_longer_ones) {
  Verb verb;
  verb.value = kAllOnes;
  there_->words[8] = 7;
  for (int round = 0; round < 3; ++round) {
    std::vector<WorkRequest> longer;
    std::vector<WorkRequest> shorter;
    for (std::uint64_t i = 0; i < kDepth; ++i) {
      longer.push_back(masked(Kind::masked_cas, verb, i));
      shorter.push_back(read(i));
      shorter.back().remote = reinterpret_cast<std::uint64_t>(&there_->words[8]);
      shorter.back().local = &here_->words[8];
    }
    for (const auto* requests : {&longer, &shorter, &shorter, &shorter, &shorter}) {
      here_->words[8] = 0;
      ASSERT_EQ(here_->qp.post(*requests), 0);
      const std::vector<VerbStatus> ends = outcomes(kDepth);
      EXPECT_THAT(ends, SizeIs(kDepth));
      EXPECT_THAT(ends, Each(VerbStatus::ok));
      EXPECT_EQ(here_->words[8], requests == &longer ? 0U : 7U);
    }
  }
}

TEST_F(Masked, one_completion_tells_of_all_that_was_posted_before) {
  Verb verb;
  verb.value = {1, 2};
  std::vector<WorkRequest> requests;
  for (std::uint64_t i = 0; i < kDepth; ++i) {
    requests.push_back(masked(Kind::masked_faa, verb, i));
    requests.back().signalled = i + 1 == kDepth;
  }
  ASSERT_EQ(here_->qp.post(requests), 0);
  const std::vector<Done> done = here_->completions(1);
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_EQ(done[0].id, kDepth - 1);
  EXPECT_EQ(there_->words[0], kDepth);
  EXPECT_EQ(there_->words[1], 2 * kDepth);
  const Words reply =
      masked_reply({here_->words[0], here_->words[1]}, kWide);  // of the last atomic
  EXPECT_EQ(reply, (Words{kDepth - 1, 2 * (kDepth - 1)}));
}

// A READ behind a masked atomic sees its write, and a WRITE executes between two of them.
TEST_F(Masked, entries_of_both_makes_keep_their_order_in_one_doorbell) {
  Verb verb;
  verb.value = {5, 0};
  const std::uint64_t written = 70;
  std::vector<WorkRequest> requests = {masked(Kind::masked_faa, verb, 1), read(2), read(3),
                                       masked(Kind::masked_faa, verb, 4), read(5)};
  requests[1].local = &here_->words[8];
  requests[2].kind = Kind::write;
  requests[2].local = &written;
  requests[2].by_value = true;
  requests[4].local = &here_->words[9];
  for (const std::size_t behind : {1, 2, 3, 4}) requests[behind].fenced = true;
  ASSERT_EQ(here_->qp.post(requests), 0);
  EXPECT_THAT(outcomes(5), AllOf(SizeIs(5), Each(VerbStatus::ok)));
  EXPECT_EQ(here_->words[8], 5U);
  EXPECT_EQ(here_->words[9], 75U);
}

TEST_F(Masked, a_wrong_key_is_an_access_error) {
  const Verb verb;
  std::vector<WorkRequest> requests = {masked(Kind::masked_cas, verb, 1)};
  requests[0].remote_key += 1;
  ASSERT_EQ(here_->qp.post(requests), 0);
  EXPECT_THAT(outcomes(1), AllOf(SizeIs(1), Each(VerbStatus::access_error)));
}

TEST_F(Masked, what_the_firmware_says_passes_its_trial) {
  const NativeAtomics found = try_atomics(*here_->device);
  EXPECT_EQ(found.lacking, "");
  EXPECT_TRUE(found.has(NativeAtomics::plain));
  EXPECT_TRUE(found.has(NativeAtomics::masked_8));
  EXPECT_TRUE(found.has(NativeAtomics::masked_16));
}

}  // namespace
}  // namespace latchlab::ib
