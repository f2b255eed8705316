// What each verb does to memory and what it returns.

#include "tests/conformance/conformance.h"

namespace latchlab::conformance {
namespace {

class VerbSemantics : public Conformance {};
LATCHLAB_EVERY_BACKEND(VerbSemantics);

constexpr Words kNone{};

TEST_P(VerbSemantics, read_returns_what_was_written) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Completion written = co_await verbs.write(kWord, 0x1122334455667788);
    EXPECT_TRUE(written.ok());
    const Completion word = co_await verbs.read(kWord);
    EXPECT_EQ(word.value.lo, 0x1122334455667788U);
    const Words pair{1, 2};
    co_await verbs.write(on_server(80), pair);
    const Completion both = co_await verbs.read(on_server(80), 16);
    EXPECT_EQ(both.value, pair);
  }(client));
  EXPECT_EQ(world().peek(on_server(88)), 2U);
}

TEST_P(VerbSemantics, fresh_memory_holds_the_initial_image) {
  set_image([](NodeId node, std::uint64_t offset, std::span<std::uint64_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = RemoteAddr{node, offset + 8 * i}.packed();
  });
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Completion seen = co_await verbs.read(on_server(4088));
    EXPECT_EQ(seen.value.lo, on_server(4088).packed());
  }(client));
  EXPECT_EQ(world().peek({kThere, 8}), (RemoteAddr{kThere, 8}).packed());
}

TEST_P(VerbSemantics, long_transfers_go_between_registered_memories) {
  Verbs& client = add_client();
  for (std::uint64_t i = 0; i < 20; ++i) world().poke({kHere, 8 * i}, 100 + i);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Verb push = write_verb(on_server(1024), 0);
    push.bytes = 160;
    push.local = {kHere, 0};
    const Completion there = co_await verbs.issue(push);
    EXPECT_TRUE(there.ok());
    Verb fetch = read_verb(on_server(1024), 160);
    fetch.local = {kHere, 2048};
    const Completion back = co_await verbs.issue(fetch);
    EXPECT_TRUE(back.ok());
  }(client));
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(world().peek(on_server(1024 + 8 * i)), 100 + i);
    EXPECT_EQ(world().peek({kHere, 2048 + 8 * i}), 100 + i);
  }
  EXPECT_EQ(world().peek(on_server(1024 + 160)), 0U);
}

TEST_P(VerbSemantics, verbs_reach_the_own_node_as_well) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const RemoteAddr own{kHere, 64};
    co_await verbs.fetch_add(own, 3);
    const std::uint64_t seen = co_await verbs.load(own);
    EXPECT_EQ(seen, 3U);
  }(client));
}

TEST_P(VerbSemantics, compare_swap_returns_the_old_value_and_writes_only_on_a_match) {
  Verbs& client = add_client();
  world().poke(kWord, 5);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Completion failed = co_await verbs.compare_swap(kWord, 4, 9);
    EXPECT_EQ(failed.value.lo, 5U);
    const Completion unchanged = co_await verbs.read(kWord);
    EXPECT_EQ(unchanged.value.lo, 5U);
    const Completion matching = co_await verbs.compare_swap(kWord, 5, 9);
    EXPECT_EQ(matching.value.lo, 5U);
    EXPECT_EQ(verbs.tally().mismatched, 1U);
  }(client));
  EXPECT_EQ(world().peek(kWord), 9U);
}

TEST_P(VerbSemantics, fetch_add_wraps_around) {
  Verbs& client = add_client();
  world().poke(kWord, ~0ULL);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Completion before = co_await verbs.fetch_add(kWord, 2);
    EXPECT_EQ(before.value.lo, ~0ULL);
  }(client));
  EXPECT_EQ(world().peek(kWord), 1U);
}

TEST_P(VerbSemantics, masked_compare_swap_compares_and_writes_through_its_masks) {
  LATCHLAB_NEEDS(Capability::masked_atomics_8);
  Verbs& client = add_client();
  world().poke(kWord, 0xaaaa'0000'0000'0007);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Words compare_low{0xffff};
    const Words swap_high{0xffff'0000'0000'0000};
    const Completion before =
        co_await verbs.masked_compare_swap(kWord, 8, Words{0x1111'0000'0000'0007}, compare_low,
                                           Words{0xbbbb'0000'0000'0009}, swap_high);
    EXPECT_EQ(before.value.lo, 0xaaaa'0000'0000'0007U);
  }(client));
  EXPECT_EQ(world().peek(kWord), 0xbbbb'0000'0000'0007U);
}

TEST_P(VerbSemantics, empty_compare_mask_makes_an_unconditional_exchange) {
  LATCHLAB_NEEDS(Capability::masked_atomics_8);
  Verbs& client = add_client();
  world().poke(kWord, 42);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Completion before =
        co_await verbs.masked_compare_swap(kWord, 8, kNone, kNone, Words{7}, kAllOnes);
    EXPECT_EQ(before.value.lo, 42U);
    EXPECT_EQ(verbs.tally().mismatched, 0U);
  }(client));
  EXPECT_EQ(world().peek(kWord), 7U);
}

TEST_P(VerbSemantics, wide_masked_compare_swap_compares_both_words) {
  LATCHLAB_NEEDS(Capability::masked_atomics_16);
  Verbs& client = add_client();
  world().poke(kWord, 1);
  world().poke(kWord + 8, 2);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Completion failed =
        co_await verbs.masked_compare_swap(kWord, 16, Words{1, 3}, kAllOnes, Words{8, 9}, kAllOnes);
    const Words before{1, 2};
    EXPECT_EQ(failed.value, before);
    const Completion unchanged = co_await verbs.read(kWord, 16);
    EXPECT_EQ(unchanged.value, before);
    co_await verbs.masked_compare_swap(kWord, 16, Words{1, 2}, kAllOnes, Words{8, 9}, kAllOnes);
  }(client));
  EXPECT_EQ(world().peek(kWord), 8U);
  EXPECT_EQ(world().peek(kWord + 8), 9U);
}

TEST_P(VerbSemantics, no_carry_leaves_a_field_of_a_masked_fetch_add) {
  LATCHLAB_NEEDS(Capability::masked_atomics_8);
  Verbs& client = add_client();
  world().poke(kWord, 0x0000'ffff'0000'ffff);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Words fields_of_16{0x8000'8000'8000'8000};
    const Completion before =
        co_await verbs.masked_fetch_add(kWord, 8, Words{0x0001'0001'0001'0001}, fields_of_16);
    EXPECT_EQ(before.value.lo, 0x0000'ffff'0000'ffffU);
  }(client));
  EXPECT_EQ(world().peek(kWord), 0x0001'0000'0001'0000U);
}

TEST_P(VerbSemantics, no_carry_crosses_from_the_low_word_to_the_high_one) {
  LATCHLAB_NEEDS(Capability::masked_atomics_16);
  Verbs& client = add_client();
  world().poke(kWord, ~0ULL);
  world().poke(kWord + 8, 5);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Completion before = co_await verbs.masked_fetch_add(kWord, 16, Words{1, 1}, kNone);
    const Words expected{~0ULL, 5};
    EXPECT_EQ(before.value, expected);
  }(client));
  EXPECT_EQ(world().peek(kWord), 0U);
  EXPECT_EQ(world().peek(kWord + 8), 6U);
}

Task<void> expect_refused(Verbs& verbs, Verb verb) {
  const Completion result = co_await verbs.issue(verb);
  EXPECT_EQ(result.status, VerbStatus::access_error)
      << "kind " << static_cast<int>(verb.kind) << ", offset " << verb.addr.offset << ", "
      << verb.bytes << " bytes";
}

TEST_P(VerbSemantics, misaligned_foreign_or_wrongly_sized_verbs_are_refused) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Verb wide_faa = masked_faa_verb(on_server(72), 16, Words{1, 1}, kNone);
    Verb wide_cas = cas_verb(on_server(64), 0, 1);
    wide_cas.bytes = 16;
    Verb bulk = read_verb(on_server(0), 64);
    bulk.local = {kThere, 0};
    const std::vector<Verb> refusable = {read_verb(on_server(4)),
                                         write_verb(on_server(kBytes), 1),
                                         read_verb(on_server(4088), 16),
                                         faa_verb(on_server(kMaxOffset - 8), 1),
                                         cas_verb(on_server(65), 0, 1),
                                         wide_faa,
                                         wide_cas,
                                         bulk};
    for (const Verb& verb : refusable) {
      Task<void> refused = expect_refused(verbs, verb);
      co_await refused;
    }
    const Completion after = co_await verbs.read(on_server(64));
    EXPECT_TRUE(after.ok()) << "an error must not outlast its verb";
  }(client));
  for (std::uint64_t offset = 0; offset < 128; offset += 8)
    EXPECT_EQ(world().peek(on_server(offset)), 0U);
}

}  // namespace
}  // namespace latchlab::conformance
