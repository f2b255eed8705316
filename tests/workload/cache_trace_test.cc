// Traces of caches: how they are read, which client replays what, and the messages about invalid
// ones.
#include "core/workload/cache_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/workload/key_numbers.h"
#include "tests/paths.h"
#include "tests/workload/trace_files.h"

namespace latchlab {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

std::vector<CacheAccess> all_of(const Result<std::shared_ptr<const CacheTrace>>& trace) {
  EXPECT_EQ(complaint_of(trace), "");
  std::vector<CacheAccess> all;
  for (std::uint64_t i = 0; trace && i < trace.value()->accesses(); ++i)
    all.push_back(trace.value()->access(i));
  return all;
}

std::string of_line(const std::string& line) {
  return complaint_of(cache_trace("0,before,6,1,1,get,0\n" + line + "\n"));
}

// This number of accesses, the n-th to object n, by the trace's clients in turn.
std::shared_ptr<const CacheTrace> numbered(std::uint64_t accesses, std::uint32_t clients) {
  const auto trace = std::make_shared<CacheTrace>("numbered.csv");
  for (std::uint64_t i = 0; i < accesses; ++i)
    trace->add({i, false, 1, static_cast<std::uint32_t>(i % clients)});
  return trace;
}

std::vector<std::uint64_t> replayed(CacheReplay& replay, std::uint32_t client, int times) {
  std::vector<std::uint64_t> objects;
  for (int i = 0; i < times; ++i) objects.push_back(replay.next(ClientId{client}).object);
  return objects;
}

std::unique_ptr<CacheReplay> replay(std::shared_ptr<const CacheTrace> trace, ClientRange here,
                                    ClientRange all, TraceShare by) {
  return std::move(CacheReplay::make(std::move(trace), here, all, by)).value();
}

TEST(CacheTrace, numbers_keys_and_clients_in_the_order_of_their_first_access) {
  const auto trace =
      read_cache_trace(std::string(LATCHLAB_SOURCE_DIR) + "/scenarios/whatif/sessions.csv", {});
  EXPECT_EQ(all_of(trace), (std::vector<CacheAccess>{{0, false, 0, 0},
                                                     {0, true, 230, 0},
                                                     {1, false, 214, 1},
                                                     {2, true, 8, 1},
                                                     {0, false, 230, 2},
                                                     {0, true, 236, 2},
                                                     {2, true, 8, 0},
                                                     {1, true, 0, 1},
                                                     {2, false, 8, 2}}));
  EXPECT_EQ(trace.value()->locks(), 3U);
  EXPECT_EQ(trace.value()->clients(), 3U);
  EXPECT_EQ(trace.value()->largest_value_bytes(), 236U);
}

TEST(CacheTrace, classifies_operations_as_reads_or_writes) {
  const std::map<std::string, bool> writes = {{"get", false},   {"gets", false},   {"set", true},
                                              {"add", true},    {"replace", true}, {"cas", true},
                                              {"append", true}, {"prepend", true}, {"delete", true},
                                              {"incr", true},   {"decr", true}};
  for (const auto& [operation, is_write] : writes) {
    const auto all = all_of(cache_trace("5,k,1,4294967295,2147483647," + operation + ",60\n"));
    EXPECT_EQ(all, (std::vector<CacheAccess>{{0, is_write, UINT32_MAX, 0}})) << operation;
  }
}

// Hashes of 32 and 64 bits.
TEST(CacheTrace, renumbers_clients_for_any_ids) {
  const auto all =
      all_of(cache_trace("0,ab:1,4,100,3000000000,get,0\n"
                         "0,ab:1,4,100,18000000000000000000,set,60\n"
                         "0,ab:1,4,100,18446744073709551615,get,0\n"
                         "0,ab:1,4,100,3000000000,get,0\n"
                         "0,ab:1,4,100,0,get,0\n"));
  std::vector<std::uint32_t> clients;
  for (const CacheAccess& access : all) clients.push_back(access.client);
  EXPECT_THAT(clients, ElementsAre(0, 1, 2, 0, 3));
}

TEST(CacheTrace, accepts_any_key) {
  const auto all =
      all_of(cache_trace("0,a,1,0,1,get,0\r\n"
                         "0,a,b,3,0,1,get,0\r\n"
                         "0, a,2,0,1,get,0\n\n"
                         "# Again:\n"
                         "9,a,b,3,0,1,get,0\n"
                         "9,\xc3\xbc,2,0,1,get,0\n"
                         "9,a,1,0,1,get,0"));
  std::vector<std::uint64_t> objects;
  for (const CacheAccess& access : all) objects.push_back(access.object);
  EXPECT_THAT(objects, ElementsAre(0, 1, 2, 1, 3, 0));
}

TEST(CacheTrace, is_read_no_further_than_requested) {
  const std::string text = "0,a,1,0,1,get,0\n# Odd:\n\n0,b,1,0,1,get,0\nnonsense\n";
  EXPECT_EQ(all_of(cache_trace(text, {.most = 2})).size(), 2U);
  EXPECT_THAT(complaint_of(cache_trace(text, {.most = 3})), StartsWith("c.csv:5: 1 field in"));
  EXPECT_EQ(all_of(cache_trace("0,a,1,0,1,get,0\n", {.most = 5})).size(), 1U);
  EXPECT_EQ(complaint_of(cache_trace(text, {.most = 0})),
            "c.csv: 0 accesses are to be read; expected 1 at least: raise most");
}

TEST(KeyNumbers, distinguish_keys_by_every_byte) {
  KeyNumbers numbers;
  EXPECT_EQ(numbers.number_of(""), 0U);
  std::uint32_t next = 1;
  for (std::size_t length = 1; length < 40; ++length) {
    const std::string plain(length, 'a');
    EXPECT_EQ(numbers.number_of(plain), next++);
    for (std::size_t i = 0; i < length; ++i) {
      std::string other = plain;
      other[i] = 'b';
      EXPECT_EQ(numbers.number_of(other), next++) << other;
    }
    EXPECT_EQ(numbers.number_of(plain + '\0'), next++);
  }
  EXPECT_EQ(numbers.number_of("aa"), 4U);
  EXPECT_EQ(numbers.size(), next);
}

TEST(KeyNumbers, do_not_change_as_keys_are_added) {
  KeyNumbers numbers;
  for (std::uint32_t round = 0; round < 2; ++round)
    for (std::uint32_t i = 0; i < 100'000; ++i)
      ASSERT_EQ(numbers.number_of("key " + std::to_string(i)), i);
  EXPECT_EQ(numbers.size(), 100'000U);
}

TEST(CacheReplay, distributes_accesses_to_clients_in_turn) {
  const auto trace = numbered(7, 2);
  const auto whole = replay(trace, {0, 3}, {0, 3}, TraceShare::turn);
  EXPECT_THAT(replayed(*whole, 1, 4), ElementsAre(1, 4, 1, 4));
  EXPECT_THAT(replayed(*whole, 0, 5), ElementsAre(0, 3, 6, 0, 3));
  const auto part = replay(trace, {2, 1}, {0, 3}, TraceShare::turn);
  EXPECT_EQ(replayed(*part, 2, 9), replayed(*whole, 2, 9));
}

TEST(CacheReplay, gives_a_client_all_accesses_of_its_clients_in_the_trace) {
  const auto trace = numbered(10, 4);  // client 0 of the trace: 0, 4, 8; 2: 2, 6; 3: 3, 7
  const auto whole = replay(trace, {20, 3}, {20, 3}, TraceShare::client);
  EXPECT_THAT(replayed(*whole, 22, 3), ElementsAre(2, 6, 2));
  EXPECT_THAT(replayed(*whole, 20, 7), ElementsAre(0, 3, 4, 7, 8, 0, 3));
  EXPECT_THAT(replayed(*whole, 21, 4), ElementsAre(1, 5, 9, 1));
  const auto first = replay(trace, {20, 1}, {20, 3}, TraceShare::client);
  EXPECT_THAT(replayed(*first, 20, 2), ElementsAre(0, 3));
  const auto others = replay(trace, {21, 2}, {20, 3}, TraceShare::client);
  EXPECT_THAT(replayed(*others, 22, 2), ElementsAre(2, 6));
  EXPECT_THAT(replayed(*others, 21, 2), ElementsAre(1, 5));
}

TEST(CacheReplay, needs_at_least_one_client_of_the_trace_for_each_replaying_client) {
  EXPECT_EQ(complaint_of(CacheReplay::make(numbered(10, 3), {0, 2}, {0, 4}, TraceShare::client)),
            "numbered.csv: has accesses of 3 clients, and 4 are to replay them by client; expected "
            "one for each at least: let fewer clients replay it, read more of it, or say by: turn");
  EXPECT_EQ(complaint_of(CacheReplay::make(numbered(10, 4), {0, 2}, {0, 4}, TraceShare::client)),
            "");
}

TEST(CacheTraceErrors, name_what_is_wrong_with_a_line) {
  EXPECT_EQ(of_line("0,k,1,0,1,get"),
            "c.csv:2: 6 fields in '0,k,1,0,1,get'; expected 7 (timestamp,key,key size,value "
            "size,client id,operation,TTL): add what is missing");
  EXPECT_EQ(complaint_of(cache_trace("0,k,1,0,1,get,0\n0,k,1,")),
            "c.csv:2: 4 fields in '0,k,1,'; expected 7 (timestamp,key,key size,value size,client "
            "id,operation,TTL): the file ends in the middle of this line, so copy it whole, or "
            "delete the line");
  EXPECT_EQ(of_line("0,k,1,0,1,touch,0"),
            "c.csv:2: operation 'touch' is unknown; expected one of get, gets and set, add, "
            "replace, cas, append, prepend, delete, incr, decr: write what it comes nearest to, or "
            "delete the line");
  EXPECT_EQ(of_line("0,,1,0,1,get,0"),
            "c.csv:2: the key is empty; expected what was accessed: name it");
  EXPECT_EQ(of_line("0,k,1,5,1,get,0,more"),
            "c.csv:2: client id 'get' is not a number; expected 0 to 18446744073709551615: "
            "write plain digits (the line has 8 fields, and so 'k,1' was taken for the key)");
}

TEST(CacheTraceErrors, name_the_range_of_numbers) {
  EXPECT_EQ(of_line("-1,k,1,0,1,get,0"),
            "c.csv:2: timestamp '-1' is not a number; expected 0 to 18446744073709551615: write "
            "plain digits");
  EXPECT_EQ(of_line("0,k,0,0,1,get,0"),
            "c.csv:2: key size 0 is out of range; expected 1 to 4294967295: give the key's bytes, "
            "1 if unknown");
  EXPECT_EQ(of_line("0,k,1,4294967296,1,get,0"),
            "c.csv:2: value size 4294967296 is out of range; expected 0 to 4294967295: give the "
            "value's bytes, 0 if unknown");
  EXPECT_EQ(of_line("0,k,1,0,18446744073709551616,get,0"),
            "c.csv:2: client id 18446744073709551616 is out of range; expected 0 to "
            "18446744073709551615: write plain digits");
  EXPECT_EQ(of_line("0,k,1,0,1,get,x"),
            "c.csv:2: TTL 'x' is not a number; expected 0 to 18446744073709551615: write plain "
            "digits");
}

TEST(CacheTraceErrors, report_an_empty_trace) {
  EXPECT_EQ(complaint_of(cache_trace("# None.\n")),
            "c.csv: has no accesses; expected lines of timestamp,key,key size,value size,client "
            "id,operation,TTL: is this the right file?");
  EXPECT_THAT(complaint_of(cache_trace(std::string("0,k,1,0,1,get,0\n\0", 17))),
              StartsWith("c.csv:2: the byte 0x00 is not text"));
}

}  // namespace
}  // namespace latchlab
