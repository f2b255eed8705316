// The memory layout of a dslr entry, on which ports and decoders of dumps rely, and the verbs that
// change one counter.

#include "core/protocols/dslr/rules.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

using dslr::Counter;
using dslr::Tickets;
using dslr::TicketWord;

constexpr RemoteAddr kEntry{NodeId{1}, 4096};

const TicketWord four(unsigned bits) {
  return {bits, false, true};
}
const TicketWord six(unsigned bits) {
  return {bits, false, true, true};
}
const TicketWord wide() {
  return {16, true, true};
}

TEST(dslr_word, has_its_counters_from_the_top_down) {
  const Tickets tickets{1, 2, 3, 4, 5, 6};  // nX nS maxX maxS nU maxU
  EXPECT_EQ(four(16).pack(tickets), (Words{0x0001'0002'0003'0004, 0}));
  EXPECT_EQ(four(3).pack(tickets), (Words{0b001'010'011'100ULL << 52, 0}));
  EXPECT_EQ(wide().pack(tickets), (Words{0x0000'0003'0000'0004, 0x0000'0001'0000'0002}));
  EXPECT_EQ(six(8).pack(tickets), (Words{0x0501'0206'0304'0000, 0}));
  EXPECT_EQ(six(3).pack(tickets), (Words{0b101'001'010'110'011'100ULL << 46, 0}));
}

TEST(dslr_word, is_one_or_two_words_long) {
  EXPECT_EQ(four(16).bytes(), 8U);
  EXPECT_EQ(six(10).bytes(), 8U);
  EXPECT_EQ(wide().bytes(), 16U);
  EXPECT_EQ(wide().read(kEntry).bytes, 16U);
  EXPECT_EQ(wide().swap(kEntry, {}, {}).bytes, 16U);
}

TEST(dslr_word, is_swapped_as_a_whole) {
  const Tickets from{1, 2, 3, 4};
  const Tickets to{2, 1, 4, 3};
  for (const TicketWord& word : {four(16), wide()}) {
    const Verb swap = word.swap(kEntry, word.pack(from), word.pack(to));
    EXPECT_EQ(word.unpack(after_atomic(swap, word.pack(from))), to);
    const Tickets other{1, 2, 3, 5};
    EXPECT_EQ(word.unpack(after_atomic(swap, word.pack(other))), other);
  }
}

// A carry stops at the top bit of each field.
TEST(dslr_word, says_where_its_fields_end) {
  const auto boundary = [](const TicketWord& word) {
    return word.add(kEntry, Counter::max_x, true).boundary;
  };
  EXPECT_EQ(boundary(four(16)), (Words{0x8000'8000'8000'8000, 0}));
  EXPECT_EQ(boundary(four(3)), (Words{0b100'100'100'100ULL << 52, 0}));
  EXPECT_EQ(boundary(six(8)), (Words{0x8080'8080'8080'0000, 0}));
  EXPECT_EQ(boundary(six(3)), (Words{0b100'100'100'100'100'100ULL << 46, 0}));
  EXPECT_EQ(boundary(wide()), (Words{0x8000'0000'8000'0000, 0x8000'0000'8000'0000}));
}

TEST(dslr_word, holds_1023_in_each_of_six_counters) {
  const Tickets full{1023, 1023, 1023, 1023, 1023, 1023};
  EXPECT_EQ(six(10).pack(full), (Words{~0ULL << 4, 0}));
  EXPECT_EQ(six(10).unpack(six(10).pack(full)), full);
  const std::pair<Counter, std::uint32_t Tickets::*> all[] = {
      {Counter::nx, &Tickets::nx},       {Counter::ns, &Tickets::ns},
      {Counter::max_x, &Tickets::max_x}, {Counter::max_s, &Tickets::max_s},
      {Counter::nu, &Tickets::nu},       {Counter::max_u, &Tickets::max_u}};
  for (const auto& [counter, member] : all) {
    Tickets expected = full;  // no carry into a neighbour
    expected.*member = 0;
    const Verb add = six(10).add(kEntry, counter, true);
    EXPECT_EQ(six(10).unpack(after_atomic(add, six(10).pack(full))), expected);
  }
}

}  // namespace
}  // namespace latchlab::testing
