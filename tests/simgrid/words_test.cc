// READs by value of more than 16 bytes, CPU loads of several words, and waits with many probes.

#include "core/verbs/batch.h"
#include "tests/simgrid/links.h"

namespace latchlab::simtest {
namespace {

class LongReads : public Links {
 protected:
  LongReads() {
    for (std::uint64_t i = 0; i < kWords; ++i) poke_at(kServer, i);
  }
  static constexpr std::uint64_t kWords = 2048;
  void poke_at(NodeId node, std::uint64_t word) { world().poke({node, 8 * word}, expected(word)); }
  static std::uint64_t expected(std::uint64_t word) { return 0x0101010101010101ULL * (word % 251); }
  Duration alone() { return travel() + nic().serve_read + nic().read; }
};

struct Fetched {
  std::vector<std::uint64_t> words;
  VerbStatus status = VerbStatus::ok;
  Duration took;
};

Task<void> fetch(Verbs& verbs, Backend& backend, RemoteAddr from, std::uint32_t bytes,
                 Fetched& result) {
  const Time begin = backend.true_now();
  const ReadWords got = co_await verbs.read_words(from, bytes);
  result.took = backend.true_now() - begin;
  result.status = got.status();
  result.words.assign(got.words().begin(), got.words().end());
}

TEST_F(LongReads, return_every_word_and_take_the_time_of_their_bytes) {
  for (const std::uint32_t bytes : {64U, 72U, 4096U}) {
    Fetched got;
    Verbs& client = add_client();
    spawn(client, fetch(client, world(), on_server(0), bytes, got), world().true_now());
    EXPECT_EQ(run(), RunEnd::finished);
    ASSERT_EQ(got.words.size(), bytes / 8);
    for (std::uint64_t i = 0; i < got.words.size(); ++i) EXPECT_EQ(got.words[i], expected(i));
    EXPECT_EQ(got.took, alone() + (bytes > 64 ? beyond_short(bytes) : Duration{})) << bytes;
  }
}

TEST_F(LongReads, share_a_port_like_other_payloads) {
  std::vector<Fetched> got(2);
  for (Fetched& each : got) {
    Verbs& client = add_client();
    spawn(client, fetch(client, world(), on_server(0), 8000, each));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(got[0].took, alone() + beyond_short(8000));
  EXPECT_EQ(got[1].took, alone() + beyond_short(8000) + on_wire(8000 + 8));
}

TEST_F(LongReads, that_are_bulk_take_as_long_as_reads_into_memory) {
  Verb into = read_verb(on_server(0), kMaxReadBytes);
  into.local = {kHere, 0};
  const Duration took = time_of(into);
  Fetched got;
  Verbs& client = add_client();
  spawn(client, fetch(client, world(), on_server(0), kMaxReadBytes, got), world().true_now());
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(got.took, took);
  ASSERT_EQ(got.words.size(), kWords);
  EXPECT_EQ(got.words[2047], expected(2047));
}

TEST_F(LongReads, pad_the_last_word_with_zeros) {
  Fetched got;
  Verbs& client = add_client();
  run_alone(client, fetch(client, world(), on_server(8), 21, got));
  EXPECT_EQ(got.words, (std::vector<std::uint64_t>{expected(1), expected(2),
                                                   expected(3) & 0xff'ffff'ffffULL}));
}

TEST_F(LongReads, beyond_memory_fail_and_return_nothing) {
  Fetched got;
  Verbs& client = add_client();
  run_alone(client, fetch(client, world(), on_server(kBytes - 64), 128, got));
  EXPECT_EQ(got.status, VerbStatus::access_error);
  EXPECT_TRUE(got.words.empty());
}

TEST_F(LongReads, return_nothing_of_an_earlier_read_in_their_slot) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    for (const std::uint32_t bytes : {512U, 24U, 128U}) {
      const ReadWords got = co_await verbs.read_words(on_server(80), bytes);
      EXPECT_EQ(got.words().size(), bytes / 8);
      for (std::size_t i = 0; i < got.words().size(); ++i) EXPECT_EQ(got[i], expected(10 + i));
    }
  }(client));
  expect_all_given_back();
}

class CutReads : public LongReads, public ::testing::WithParamInterface<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Dates, CutReads, ::testing::Values(200, 1200, 1700, 2400));

TEST_P(CutReads, are_resent_and_return_each_word_once) {
  const Time down = kStart + nanoseconds(GetParam());
  cut_port(kServer, down, down + microseconds(12));
  std::vector<Fetched> got(2);
  const std::uint32_t sizes[] = {4096, kMaxReadBytes};
  for (std::size_t i = 0; i < 2; ++i) {
    Verbs& client = add_client();
    spawn(client, fetch(client, world(), on_server(0), sizes[i], got[i]));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(got[i].status, VerbStatus::ok);
    ASSERT_EQ(got[i].words.size(), sizes[i] / 8);
    for (std::uint64_t w = 0; w < got[i].words.size(); ++w) ASSERT_EQ(got[i].words[w], expected(w));
    EXPECT_GT(got[i].took, timeout_);
  }
  expect_all_given_back();
}

TEST_F(LongReads, in_a_batch_have_their_own_words) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Batch batch(verbs);
    const int head = batch.add(read_verb(on_server(16), 8));
    const int first = batch.add(read_verb(on_server(0), 64));
    const int second = batch.add(read_verb(on_server(800), 200));
    co_await batch.run();
    EXPECT_EQ(batch.words(head).size(), 1U);
    EXPECT_EQ(batch.words(head)[0], expected(2));
    EXPECT_EQ(batch.words(first).size(), 8U);
    EXPECT_EQ(batch.words(first)[7], expected(7));
    EXPECT_EQ(batch.words(second).size(), 25U);
    EXPECT_EQ(batch.words(second)[24], expected(124));
  }(client));
}

TEST_F(LongReads, see_all_their_words_at_one_instant) {
  // Two words that a 16-byte atomic changes together, read meanwhile as part of 4 KiB.
  poke_at(kServer, 0);
  Verbs& writer = add_client(kThere);
  spawn(writer, [](Verbs& verbs) -> Task<void> {
    for (int i = 0; i < 40; ++i)
      co_await verbs.masked_fetch_add(on_server(32), 16, Words{1, 1}, Words{});
  }(writer));
  Verbs& reader = add_client();
  spawn(reader, [](Verbs& verbs) -> Task<void> {
    for (int i = 0; i < 40; ++i) {
      const ReadWords got = co_await verbs.read_words(on_server(0), 4096);
      EXPECT_EQ(got[4] - expected(4), got[5] - expected(5));
    }
  }(reader));
  EXPECT_EQ(run(), RunEnd::finished);
}

// ---- waits with many probes ----

TEST_F(LongReads, of_sixteen_probes_use_one_doorbell) {
  constexpr std::uint64_t kProbes = 16;
  RemoteWait wait;
  for (std::uint64_t i = 0; i < kProbes; ++i) wait.add(read_verb(on_server(1024 * i), 40));
  wait.classify = [](const ProbeValues& values) {
    return values.words(15)[4] == 77 ? Verdict::done : Verdict::pending;
  };
  world().at(kStart + microseconds(30), [this] { world().poke(on_server(1024 * 15 + 32), 77); });
  RemoteWaitResult result;
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs, const RemoteWait& what, RemoteWaitResult& got) -> Task<void> {
    got = co_await verbs.await_remote(what);
  }(client, wait, result));
  EXPECT_EQ(result.end, WaitEnd::satisfied);
  for (std::uint64_t i = 0; i < kProbes - 1; ++i)
    EXPECT_EQ(result.values.words(i)[4], expected(128 * i + 4));
  EXPECT_EQ(world().census().executed % kProbes, 0U);
  EXPECT_EQ(world().census().executed, result.tries) << "each READ is a try";
  // One round trip per round, not sixteen.
  EXPECT_GE(result.tries / kProbes, 11U);
  expect_all_given_back();
}

}  // namespace
}  // namespace latchlab::simtest
