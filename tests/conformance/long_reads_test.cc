// READs by value of more than 16 bytes, also in batches, and CPU loads of several words.

#include <algorithm>

#include "tests/conformance/broken.h"

namespace latchlab::conformance {
namespace {

class LongReads : public Conformance {};
LATCHLAB_EVERY_BACKEND(LongReads);

constexpr std::uint64_t kMemory = 40 * 1024;
constexpr std::uint32_t kWidths[] = {8, 16, 20, 24, 64, 4096, kMaxReadBytes};

// The initial value at each address, before any client has written.
std::uint64_t mark_of(RemoteAddr word) {
  return word.packed() * 0x9e37'79b9'7f4a'7c15;
}

void fill_with_marks(Bench& bench) {
  bench.set_bytes(kMemory);
  bench.set_image([](NodeId node, std::uint64_t offset, std::span<std::uint64_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = mark_of({node, offset + 8 * i});
  });
}

void expect_marks(std::span<const std::uint64_t> seen, RemoteAddr from, std::uint32_t bytes) {
  ASSERT_EQ(seen.size(), (bytes + 7) / 8);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::uint64_t left = bytes - 8 * i;
    const std::uint64_t mask = left >= 8 ? ~0ULL : (1ULL << (8 * left)) - 1;
    wrong += seen[i] != (mark_of(from + 8 * i) & mask) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0U) << "words of " << bytes << " bytes";
}

// ---- one READ ----

Task<void> read_marks(Verbs& verbs, RemoteAddr from) {
  for (const std::uint32_t bytes : kWidths) {
    const ReadWords seen = co_await verbs.read_words(from, bytes);
    EXPECT_TRUE(seen.ok());
    expect_marks(seen.words(), from, bytes);
  }
  const ReadWords first = co_await verbs.read_words(from, 4096);
  const ReadWords second = co_await verbs.read_words(from + 4096, 64);
  expect_marks(first.words(), from, 4096);
  expect_marks(second.words(), from + 4096, 64);
}

void every_width_is_read(Bench& bench) {
  fill_with_marks(bench);
  Verbs& client = bench.add_client();
  bench.run_alone(client, read_marks(client, on_server(64)));
}
TEST_P(LongReads, return_the_memory_for_every_width) {
  every_width_is_read(*this);
}

std::uint64_t twin(std::uint64_t half) {
  return half << 32 | half;
}

constexpr RemoteAddr kFirst = on_server(1024);

// The words of a READ of `bytes` that another client writes meanwhile.
std::vector<RemoteAddr> written_words(std::uint32_t bytes) {
  return {kFirst, kFirst + bytes / 16 * 8, kFirst + (bytes - 8)};
}

Task<void> write_twins(Verbs& verbs, std::uint32_t bytes) {
  const std::vector<RemoteAddr> words = written_words(bytes);
  for (std::uint64_t i = 1; i <= 10; ++i)
    for (const RemoteAddr word : words) co_await verbs.write(word, twin(i));
}
Task<void> read_twins(Verbs& verbs, std::uint32_t bytes) {
  std::vector<std::uint64_t> last(bytes / 8);
  for (int i = 0; i < 10; ++i) {
    const ReadWords seen = co_await verbs.read_words(kFirst, bytes);
    EXPECT_EQ(seen.words().size(), last.size());
    for (std::size_t w = 0; w < seen.words().size(); ++w) {
      EXPECT_EQ(seen[w], twin(seen[w] & 0xffff'ffff)) << "word " << w;
      EXPECT_GE(seen[w], last[w]) << "word " << w << " went back";
      last[w] = seen[w];
    }
  }
}

void no_word_is_torn(Bench& bench, std::uint32_t bytes) {
  bench.set_bytes(kMemory);
  Verbs& writer = bench.add_client();
  Verbs& reader = bench.add_client(kThere);
  bench.spawn(writer, write_twins(writer, bytes));
  bench.spawn(reader, read_twins(reader, bytes));
  EXPECT_EQ(bench.run(), RunEnd::finished);
}
TEST_P(LongReads, of_24_bytes_tear_no_word) {
  no_word_is_torn(*this, 24);
}
TEST_P(LongReads, of_64_bytes_tear_no_word) {
  no_word_is_torn(*this, 64);
}
TEST_P(LongReads, of_4096_bytes_tear_no_word) {
  no_word_is_torn(*this, 4096);
}
TEST_P(LongReads, of_16_kib_tear_no_word) {
  no_word_is_torn(*this, kMaxReadBytes);
}

void longest_is_16_kib(Bench& bench) {
  bench.set_bytes(kMemory);
  Verbs& client = bench.add_client();
  bench.run_alone(client, [](Verbs& verbs) -> Task<void> {
    const ReadWords longest = co_await verbs.read_words(on_server(0), kMaxReadBytes);
    EXPECT_TRUE(longest.ok());
    const ReadWords longer = co_await verbs.read_words(on_server(0), kMaxReadBytes + 8);
    EXPECT_EQ(longer.status(), VerbStatus::access_error);
    EXPECT_TRUE(longer.words().empty());
    const ReadWords outside = co_await verbs.read_words(on_server(kMemory - 64), 128);
    EXPECT_EQ(outside.status(), VerbStatus::access_error);
  }(client));
}
TEST_P(LongReads, beyond_16_kib_or_registered_memory_are_refused) {
  longest_is_16_kib(*this);
}

// ---- in a batch ----

void each_of_a_batch_has_its_words(Bench& bench) {
  fill_with_marks(bench);
  Verbs& client = bench.add_client();
  bench.run_alone(client, [](Verbs& verbs) -> Task<void> {
    const RemoteAddr places[] = {on_server(64), on_server(8192), on_server(128)};
    Batch batch(verbs);
    const int wide = batch.add(read_verb(places[0], 64));
    const int counter = batch.add(faa_verb(on_server(0), 1));
    const int wider = batch.add(read_verb(places[1], 4096));
    const int narrow = batch.add(read_verb(places[2], 16));
    co_await batch.run();
    const ReadWords other = co_await verbs.read_words(on_server(2048), 4096);
    EXPECT_EQ(batch.result(counter).value.lo, mark_of(on_server(0)));
    expect_marks(batch.words(wide), places[0], 64);
    expect_marks(batch.words(wider), places[1], 4096);
    expect_marks(batch.words(narrow), places[2], 16);
    EXPECT_EQ(batch.result(wider).value.hi, mark_of(places[1] + 8));
  }(client));
}
TEST_P(LongReads, in_a_batch_have_buffers_of_their_own) {
  each_of_a_batch_has_its_words(*this);
}

// ---- and in backends that break these promises ----

// For every verb of a batch.
template <class Change>
Fault of_verbs(Change change) {
  Fault fault;
  fault.posting = [change](Operation& first, Verbs& verbs) {
    for (Operation* op = &first; op != nullptr; op = op->next)
      if (op->kind == OpKind::verb) change(op->verb, verbs);
  };
  return fault;
}

TEST(BrokenLongReads, of_other_words_are_detected) {
  const Fault shifted = of_verbs([](Verb& verb, Verbs&) {
    if (reads_words(verb) && verb.bytes == 4096) verb.addr = verb.addr + 8;
  });
  EXPECT_EQ(worlds_noticed(shifted, every_width_is_read), kAllSeeds);
}
TEST(BrokenLongReads, that_are_short_are_detected) {
  const Fault cut = of_verbs([](Verb& verb, Verbs&) {
    if (reads_words(verb) && verb.bytes > 8192) verb.bytes = 8192;
  });
  EXPECT_EQ(worlds_noticed(cut, every_width_is_read), kAllSeeds);
  EXPECT_EQ(worlds_noticed(cut, longest_is_16_kib), kAllSeeds);
}
TEST(BrokenLongReads, that_tear_words_are_detected) {
  const Fault halves = of_verbs([](Verb& verb, Verbs& verbs) {
    if (verb.kind != VerbKind::write) return;
    const Words low{0xffff'ffff, 0};
    const Words high{0xffff'ffff'0000'0000, 0};
    verbs.post(masked_cas_verb(verb.addr, 8, {}, {}, verb.value, high));
    verb = masked_cas_verb(verb.addr, 8, {}, {}, verb.value, low);
  });
  const auto body = [](Bench& bench) { no_word_is_torn(bench, 64); };
  EXPECT_GT(worlds_noticed(halves, body), 0);
}
TEST(BrokenLongReads, that_share_a_buffer_are_detected) {
  Fault shared;
  shared.posting = [](Operation& first, Verbs&) {
    if (first.next == nullptr) return;
    for (Operation* op = first.next; op != nullptr; op = op->next)
      if (reads_words(op->verb)) op->verb.addr = first.verb.addr;
  };
  EXPECT_EQ(worlds_noticed(shared, each_of_a_batch_has_its_words), kAllSeeds);
}

}  // namespace
}  // namespace latchlab::conformance
