// CQL's header and queue entries bit by bit, and what a release reads from a queue.

#include <gtest/gtest.h>

#include <vector>

#include "core/protocols/cql/queue.h"
#include "core/protocols/registry.h"
#include "tests/protocols/harness.h"

namespace latchlab::cql_tests {
namespace {

using cql::Behind;
using cql::Entry;
using cql::Format;
using cql::Header;
using cql::Look;

constexpr Format kFour(4, 3);  // four places, versions 0 to 6

TEST(CqlHeader, has_fields_of_one_bit_more_than_places_need) {
  EXPECT_EQ(Format(4, 3).most_places(), 7U);
  EXPECT_EQ(Format(3, 3).most_places(), 7U);
  EXPECT_EQ(Format(2, 3).most_places(), 3U);
  EXPECT_EQ(Format(5, 3).most_places(), 15U);
  EXPECT_EQ(Format(24, 16).bytes(), 200U);
  EXPECT_EQ(kFour.pack(Header{1, 0, 0, 0}), 1ULL << 18);
  EXPECT_EQ(kFour.pack(Header{0, 1, 0, 0}), 1ULL << 15);
  EXPECT_EQ(kFour.pack(Header{0, 0, 1, 0}), 1ULL << 12);
  EXPECT_EQ(kFour.pack(Header{0, 0, 0, 4095}), 4095U);
}

TEST(CqlHeader, unpacks_to_what_was_packed) {
  const Header header{77, 5, 3, 1234};
  EXPECT_EQ(kFour.unpack(kFour.pack(header)), header);
  EXPECT_EQ(header.resetter(), 1233U);
}

TEST(CqlHeader, is_joined_and_left_by_addition) {
  std::uint64_t word = kFour.pack(Header{9, 0, 0, 21});
  word += kFour.join(true);
  word += kFour.join(false);
  EXPECT_EQ(kFour.unpack(word), (Header{9, 2, 1, 21}));
  word += kFour.leave(true);
  EXPECT_EQ(kFour.unpack(word), (Header{10, 1, 0, 21}));
  word += kFour.leave(false);
  EXPECT_EQ(kFour.unpack(word), (Header{11, 0, 0, 21}));
}

// The largest value of each field still fits, including the versions.
TEST(CqlHeader, loses_no_bit_of_a_head_that_has_passed_through_all_versions) {
  const Format format(cql::kMaxCapacity, 16);
  const std::uint64_t last = std::uint64_t{format.never()} * format.capacity() + 4095;
  EXPECT_EQ(format.unpack(format.pack(Header{last, 4095, 4095, 4095})),
            (Header{last, 4095, 4095, 4095}));
  std::uint64_t word = format.pack(Header{0, 1, 1, 1}) | ~0ULL << 36;
  word += format.leave(true);  // the head runs over
  EXPECT_EQ(format.unpack(word), (Header{0, 0, 0, 1}));
}

TEST(CqlEntries, unpack_to_what_was_packed) {
  const Entry entry{true, 4094, 6, 65535};
  EXPECT_EQ(Format::unpack_entry(kFour.pack(entry)), entry);
  EXPECT_EQ(Format::unpack_entry(kFour.pack(Entry{false, 1, 2, 3})), (Entry{false, 1, 2, 3}));
  EXPECT_EQ(Format::unpack_entry(kFour.initial()).version, kFour.never());
}

TEST(CqlEntries, have_versions_that_count_rounds) {
  EXPECT_EQ(kFour.version(3), 0U);
  EXPECT_EQ(kFour.version(4), 1U);
  EXPECT_EQ(kFour.slot(7), 3U);
  const Format odd(3, 4);
  EXPECT_EQ(odd.version(5), 1U);
  EXPECT_EQ(odd.version(6), 2U);
  EXPECT_EQ(odd.slot(5), 2U);
}

TEST(CqlEntries, run_out_of_versions_before_the_version_of_unwritten_entries) {
  EXPECT_EQ(kFour.version(28), kFour.never());
  EXPECT_FALSE(kFour.reaches_never(27, 1));
  EXPECT_TRUE(kFour.reaches_never(27, 2));
  EXPECT_FALSE(kFour.reaches_never(25, 3));
  EXPECT_TRUE(kFour.reaches_never(25, 7));  // beyond the whole round
  EXPECT_TRUE(kFour.reaches_never(28, 1));
  EXPECT_TRUE(kFour.reaches_never(31, 1));
  EXPECT_FALSE(kFour.reaches_never(32, 1));
}

// ---- which clients to wake ----

class Queue {
 public:
  Queue() : words_(4, kFour.initial()) {}
  Queue& put(std::uint64_t index, bool writes) {
    words_[kFour.slot(index)] = kFour.pack(Entry{writes, 9, kFour.version(index), 0});
    return *this;
  }
  cql::Wake wake(const Header& before, bool writer_leaves, bool next_first = false) const {
    return cql::whom_to_wake(kFour, cql::behind(before, writer_leaves, next_first), words_);
  }

 private:
  std::vector<std::uint64_t> words_;
};

void expect(const cql::Wake& wake, Look look, std::uint32_t count = 0) {
  EXPECT_EQ(wake.look, look);
  EXPECT_EQ(wake.count, count);
}

TEST(CqlQueue, has_no_client_to_wake_behind_the_last_one) {
  expect(Queue().wake({6, 1, 1, 0}, true), Look::known);
  expect(Queue().wake({6, 1, 0, 0}, false), Look::known);
}

TEST(CqlQueue, wakes_the_next_writer_alone) {
  const Queue queue = Queue().put(7, true).put(8, false);
  expect(queue.wake({6, 3, 2, 0}, true), Look::known, 1);
}

TEST(CqlQueue, wakes_readers_up_to_the_next_writer) {
  Queue queue = Queue().put(7, false).put(8, false);
  expect(queue.wake({6, 3, 1, 0}, true), Look::known, 2);
  queue.put(9, true);
  expect(queue.wake({6, 4, 2, 0}, true), Look::known, 2);
}

TEST(CqlQueue, is_read_again_until_the_end_of_its_readers_is_known) {
  Queue queue = Queue().put(7, false);
  expect(queue.wake({6, 3, 1, 0}, true), Look::missing);
  queue.put(4, true);  // of the round before
  expect(queue.wake({6, 3, 1, 0}, true), Look::missing);
}

TEST(CqlQueue, a_reader_wakes_no_client_if_the_next_one_is_a_reader) {
  const Queue queue = Queue().put(8, true);
  expect(queue.wake({6, 3, 1, 0}, false), Look::known, 0);
}

TEST(CqlQueue, is_read_again_by_a_reader_until_all_writers_have_entries) {
  Queue queue = Queue().put(8, true);
  expect(queue.wake({6, 4, 2, 0}, false), Look::missing);
  queue.put(9, true);
  expect(queue.wake({6, 4, 2, 0}, false), Look::known, 0);
  queue = Queue().put(7, true);
  expect(queue.wake({6, 4, 2, 0}, false), Look::missing);
  expect(queue.wake({6, 4, 2, 0}, false, true), Look::known, 1);
  queue.put(9, true);
  expect(queue.wake({6, 4, 2, 0}, false), Look::known, 1);
}

TEST(CqlQueue, shows_an_entry_that_was_overwritten) {
  const Queue queue = Queue().put(11, true);
  expect(queue.wake({6, 3, 2, 0}, true), Look::lost);
  expect(queue.wake({6, 3, 1, 0}, false), Look::lost);
}

// ---- the decoded entry ----

TEST(CqlEntry, is_decoded_to_text) {
  const ProtocolEntry& entry = *find_protocol("cql");
  const auto protocol = entry.make(entry.info.resolve("repaired"));
  const Format format(2, 16);
  std::vector<std::uint64_t> words = {0, format.initial(), format.initial()};
  EXPECT_EQ(protocol->decode(words), "free; head=0 queue=[- -]");
  words = {format.pack(Header{3, 2, 1, 5}), format.pack(Entry{true, 7, 2, 0}), format.initial()};
  EXPECT_EQ(protocol->decode(words),
            "2 in the queue, 1 of them to write, reset by client 4; head=3 queue=[X7v2 -]");
  EXPECT_FALSE(protocol->is_free({}, words));
  words[0] = format.pack(Header{3, 0, 0, 0});
  EXPECT_TRUE(protocol->is_free({}, words));
  words[0] = format.pack(Header{3, 0, 0, 2});
  EXPECT_FALSE(protocol->is_free({}, words));
  words[0] = format.pack(Header{3, 1, 0, 0});
  EXPECT_FALSE(protocol->is_free({}, words));
}

TEST(CqlEntry, refuses_more_clients_than_twice_its_places) {
  const ProtocolEntry& entry = *find_protocol("cql");
  ParamSet params = entry.info.resolve("repaired");
  Shape shape;
  shape.clients = 24;
  EXPECT_EQ(entry.make(params)->layout(shape).entry_bytes, 200U);
  EXPECT_EQ(entry.make(params)->limits().max_clients, 2047U);
  params.set("capacity", testing::number(4));
  EXPECT_EQ(entry.make(params)->layout(shape).entry_bytes, 40U);
  EXPECT_EQ(entry.make(params)->limits().max_clients, 7U);
}

}  // namespace
}  // namespace latchlab::cql_tests
