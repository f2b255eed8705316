// Traces of transactions: how they are read, and which client replays what.
#include "core/workload/transactions/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/base/random.h"
#include "tests/paths.h"
#include "tests/workload/trace_files.h"

namespace latchlab {
namespace {

using testing::ElementsAre;

constexpr LockMode kShared = LockMode::shared, kExclusive = LockMode::exclusive,
                   kUpdate = LockMode::update;
const std::string kThreeColumns = "transaction,lock,mode\n";

using Needs = std::vector<LockNeed>;

std::vector<Transaction> all_of(const Result<std::shared_ptr<const LockTrace>>& trace) {
  EXPECT_EQ(complaint_of(trace), "");
  std::vector<Transaction> all;
  if (!trace) return all;
  all.resize(trace.value()->transactions());
  for (std::size_t i = 0; i < all.size(); ++i) trace.value()->read(i, all[i]);
  return all;
}

std::vector<Needs> needs_of(const Result<std::shared_ptr<const LockTrace>>& trace) {
  std::vector<Needs> needs;
  for (const Transaction& transaction : all_of(trace)) needs.push_back(transaction.needs);
  return needs;
}

// The n-th transaction asks for lock n.
std::shared_ptr<const LockTrace> numbered(std::uint64_t count) {
  const auto trace = std::make_shared<LockTrace>();
  for (std::uint64_t i = 0; i < count; ++i) trace->add({0, {{LockId{i}, kExclusive}}});
  return trace;
}

std::vector<std::uint64_t> replayed(TransactionMix& mix, std::uint32_t client, int times) {
  std::vector<std::uint64_t> locks;
  Transaction transaction;
  for (int i = 0; i < times; ++i) {
    mix.next(ClientId{client}, transaction);
    locks.push_back(transaction.needs.at(0).lock.value);
  }
  return locks;
}

TEST(LockTrace, of_the_native_format_is_read_in_the_order_of_its_lines) {
  const auto trace =
      read_lock_trace(std::string(LATCHLAB_SOURCE_DIR) + "/scenarios/whatif/orders.csv", {});
  const std::vector<Needs> needs = needs_of(trace);
  ASSERT_EQ(needs.size(), 6U);
  EXPECT_EQ(needs[0],
            (Needs{{LockId{4}, kShared}, {LockId{0}, kExclusive}, {LockId{7}, kExclusive}}));
  EXPECT_EQ(needs[5], (Needs{{LockId{2}, kUpdate}, {LockId{7}, kShared}}));
  EXPECT_EQ(trace.value()->locks(), 8U);
  EXPECT_EQ(trace.value()->requests(), 16U);
  EXPECT_THAT(trace.value()->type_names(), ElementsAre("transaction"));
}

TEST(LockTrace, accepts_modes_by_their_first_letter) {
  EXPECT_THAT(
      needs_of(lock_trace(kThreeColumns + "1,5,s\n1,6,x\n1,7,u\n2,5,shared\n2,6,exclusive\n"
                                          "2,7,update\n")),
      ElementsAre(Needs{{LockId{5}, kShared}, {LockId{6}, kExclusive}, {LockId{7}, kUpdate}},
                  Needs{{LockId{5}, kShared}, {LockId{6}, kExclusive}, {LockId{7}, kUpdate}}));
}

TEST(LockTrace, accepts_files_of_other_systems_and_manual_edits) {
  const std::vector<Needs> expected = {{{LockId{5}, kShared}, {LockId{6}, kExclusive}},
                                       {{LockId{5}, kExclusive}}};
  EXPECT_EQ(needs_of(lock_trace("transaction,lock,mode\r\n1,5,s\r\n1,6,x\r\n2,5,x\r\n")), expected);
  EXPECT_EQ(needs_of(lock_trace("\xef\xbb\xbf" + kThreeColumns + "1,5,s\n1,6,x\n2,5,x")), expected);
  EXPECT_EQ(needs_of(lock_trace("# Mine.\n\n" + kThreeColumns +
                                "1, 5 ,s\n#1,9,x\n \t\r\n1,6,\tx\n2,5,x\r")),
            expected);
}

TEST(LockTrace, of_fisslock_has_transaction_types) {
  const auto trace = lock_trace("1,0,3,10,1\n1,0,3,12,2\n7,0,1,281474976710655,2\n",
                                {.format = TraceFormat::fisslock});
  EXPECT_EQ(all_of(trace),
            (std::vector<Transaction>{{2, {{LockId{10}, kShared}, {LockId{12}, kExclusive}}},
                                      {0, {{LockId{kMostTraceLock}, kExclusive}}}}));
  EXPECT_THAT(trace.value()->type_names(), ElementsAre("type 1", "type 2", "type 3"));
  EXPECT_EQ(trace.value()->locks(), kMostTraceLock + 1);
}

TEST(LockTrace, stores_every_valid_transaction) {
  Rng rng(7);
  LockTrace trace(std::vector<std::string>(kMostTraceTypes, "any"));
  std::vector<Transaction> added;
  for (int i = 0; i < 500; ++i) {
    Transaction transaction{static_cast<std::uint32_t>(rng.below(kMostTraceTypes)), {}};
    for (std::uint64_t n = 1 + rng.below(9); n > 0; --n)
      transaction.needs.push_back(
          {LockId{rng.below(kMostTraceLock + 1)}, static_cast<LockMode>(rng.below(kLockModes))});
    trace.add(transaction);
    added.push_back(transaction);
  }
  Transaction read{9, Needs(20)};
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t at = rng.below(added.size());
    trace.read(at, read);
    EXPECT_EQ(read, added[at]) << at;
  }
}

TEST(LockTrace, merges_duplicate_requests_on_request) {
  const TraceOptions merge = {.duplicates = TraceDuplicates::merge};
  EXPECT_THAT(
      needs_of(
          lock_trace(kThreeColumns + "1,5,s\n1,6,u\n1,7,x\n1,5,u\n1,6,x\n1,7,s\n1,6,s\n", merge)),
      ElementsAre(Needs{{LockId{5}, kUpdate}, {LockId{6}, kExclusive}, {LockId{7}, kExclusive}}));
}

// After any ids in any order, a new id is accepted, and one that returns is detected.
TEST(LockTrace, detects_any_transaction_that_is_not_contiguous) {
  std::vector<std::uint64_t> ids(40);
  std::iota(ids.begin(), ids.end(), 0U);
  ids.back() = UINT64_MAX;
  Rng rng(3);
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = ids.size() - 1; i > 0; --i) std::swap(ids[i], ids[rng.below(i + 1)]);
    std::string text = kThreeColumns;
    for (const std::uint64_t id : ids) text += std::to_string(id) + ",1,x\n";
    EXPECT_EQ(complaint_of(lock_trace(text)), "");
    for (const std::uint64_t id : ids) {
      if (id == ids.back()) continue;
      EXPECT_THAT(
          complaint_of(lock_trace(text + std::to_string(id) + ",2,x\n")),
          testing::StartsWith("t.csv:42: transaction " + std::to_string(id) + " comes back"));
    }
  }
}

// Lines end anywhere in the buffer, and most of them do not fit into the rest of it.
TEST(LockTrace, may_have_long_lines) {
  std::string text = kThreeColumns;
  std::vector<Needs> expected;
  for (std::uint64_t i = 0; i < 40; ++i) {
    text += "#" + std::string(99'991 * (i % 11), 'c') + "\n" + std::to_string(i) + ",7,x\n";
    expected.push_back({{LockId{7}, kExclusive}});
  }
  EXPECT_EQ(needs_of(lock_trace(text)), expected);
}

TEST(LockTrace, of_a_million_lines_is_read_from_a_file) {
  std::string text = kThreeColumns;
  for (int i = 0; i < 1'000'000; ++i)
    text += std::to_string(i / 4) + "," + std::to_string(i) + ",x\n";
  const TraceFile file(text);
  const auto trace = read_lock_trace(file.path(), {});
  ASSERT_EQ(complaint_of(trace), "");
  EXPECT_EQ(trace.value()->transactions(), 250'000U);
  EXPECT_EQ(trace.value()->locks(), 1'000'000U);
  Transaction last;
  trace.value()->read(249'999, last);
  EXPECT_EQ(last.needs.back(), (LockNeed{LockId{999'999}, kExclusive}));
}

TEST(Replay, distributes_transactions_to_clients_in_turn_and_restarts) {
  const auto mix = replay_of(numbered(8), {.first = 0, .count = 3}, {0, 3});
  EXPECT_THAT(replayed(*mix, 0, 5), ElementsAre(0, 3, 6, 0, 3));
  EXPECT_THAT(replayed(*mix, 2, 4), ElementsAre(2, 5, 2, 5));
  EXPECT_THAT(replayed(*mix, 1, 4), ElementsAre(1, 4, 7, 1));
  EXPECT_EQ(mix->locks(), 8U);
  EXPECT_THAT(mix->type_names(), ElementsAre("transaction"));
}

TEST(Replay, is_the_same_in_several_processes_as_in_one) {
  const auto trace = numbered(29);
  const auto whole = replay_of(trace, {.first = 10, .count = 6}, {10, 6});
  const auto low = replay_of(trace, {.first = 10, .count = 2}, {10, 6});
  const auto high = replay_of(trace, {.first = 12, .count = 4}, {10, 6});
  EXPECT_THAT(replayed(*replay_of(trace, {.first = 11, .count = 1}, {10, 6}), 11, 2),
              ElementsAre(1, 7));
  for (std::uint32_t client = 15; client >= 10; --client)
    EXPECT_EQ(replayed(client < 12 ? *low : *high, client, 20), replayed(*whole, client, 20));
}

TEST(Replay, leaves_no_client_idle_if_there_are_few_transactions) {
  const auto mix = replay_of(numbered(3), {.first = 0, .count = 8}, {0, 8});
  EXPECT_THAT(replayed(*mix, 1, 2), ElementsAre(1, 1));
  EXPECT_THAT(replayed(*mix, 7, 3), ElementsAre(1, 1, 1));
  const auto one = replay_of(numbered(1), {.first = 0, .count = 1}, {0, 1});
  EXPECT_THAT(replayed(*one, 0, 2), ElementsAre(0, 0));
}

}  // namespace
}  // namespace latchlab
