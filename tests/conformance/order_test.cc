// Batches, fences and detached verbs.

#include "tests/conformance/conformance.h"

namespace latchlab::conformance {
namespace {

class VerbOrder : public Conformance {};
LATCHLAB_EVERY_BACKEND(VerbOrder);

constexpr int kOrderedRounds = 30;

Verb fenced(Verb verb) {
  verb.fenced = true;
  return verb;
}

TEST_P(VerbOrder, batch_gives_each_verb_its_own_result) {
  Verbs& client = add_client();
  world().poke(kWord, 10);
  world().poke(kWord + 8, 20);
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Batch batch(verbs);
    const int sum = batch.add(faa_verb(kWord, 1));
    const int next = batch.add(read_verb(kWord + 8));
    const int swap = batch.add(cas_verb(kWord + 16, 1, 2));
    co_await batch.run();
    EXPECT_EQ(batch.result(sum).value.lo, 10U);
    EXPECT_EQ(batch.result(next).value.lo, 20U);
    EXPECT_EQ(batch.result(swap).value.lo, 0U);
  }(client));
}

TEST_P(VerbOrder, empty_batch_completes_at_once) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Batch batch(verbs);
    co_await batch.run();
  }(client));
}

TEST_P(VerbOrder, read_behind_a_write_in_a_batch_sees_it) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    for (std::uint64_t round = 1; round <= kOrderedRounds; ++round) {
      Batch batch(verbs);
      batch.add(write_verb(kWord, round));
      batch.add(write_verb(kWord + 8, round));
      const int seen = batch.add(read_verb(kWord));
      co_await batch.run();
      EXPECT_EQ(batch.result(seen).value.lo, round);
    }
  }(client));
}

Task<void> write_pairs(Verbs& verbs) {
  for (std::uint64_t round = 1; round <= kOrderedRounds; ++round) {
    Batch batch(verbs);
    batch.add(write_verb(kWord, round));
    batch.add(write_verb(kWord + 8, round));
    co_await batch.run();
  }
}

TEST_P(VerbOrder, no_client_sees_the_second_write_of_a_batch_without_the_first) {
  Verbs& writer = add_client();
  Verbs& reader = add_client(kThere);
  spawn(writer, write_pairs(writer));
  spawn(reader, [](Verbs& verbs) -> Task<void> {
    for (int round = 0; round < kOrderedRounds; ++round) {
      const Completion second = co_await verbs.read(kWord + 8);
      const Completion first = co_await verbs.read(kWord);
      EXPECT_GE(first.value.lo, second.value.lo);
    }
  }(reader));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(VerbOrder, fenced_verb_waits_for_earlier_reads_and_atomics) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    for (std::uint64_t round = 1; round <= kOrderedRounds; ++round) {
      Batch batch(verbs);
      const int word = batch.add(read_verb(kWord));
      const int sum = batch.add(faa_verb(kWord + 8, 1));
      batch.add(fenced(write_verb(kWord, round)));
      batch.add(write_verb(kWord + 8, 100 * round));
      co_await batch.run();
      EXPECT_EQ(batch.result(word).value.lo, round - 1);
      EXPECT_EQ(batch.result(sum).value.lo, 100 * (round - 1));
    }
  }(client));
}

TEST_P(VerbOrder, awaited_verbs_are_ordered_by_their_awaits) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    for (std::uint64_t round = 1; round <= kOrderedRounds; ++round) {
      const Completion before = co_await verbs.read(kWord);
      EXPECT_EQ(before.value.lo, round - 1);
      co_await verbs.write(kWord, round);
    }
  }(client));
}

TEST_P(VerbOrder, flush_waits_for_all_detached_verbs) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    for (int i = 0; i < 10; ++i) verbs.post(faa_verb(kWord, 1));
    const VerbStatus status = co_await verbs.flush();
    EXPECT_EQ(status, VerbStatus::ok);
    const Completion seen = co_await verbs.read(kWord);
    EXPECT_EQ(seen.value.lo, 10U);
    const VerbStatus nothing_left = co_await verbs.flush();
    EXPECT_EQ(nothing_left, VerbStatus::ok);
  }(client));
}

TEST_P(VerbOrder, error_of_a_detached_verb_shows_at_flush_once) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    verbs.post(write_verb(on_server(kBytes), 1));
    const VerbStatus first = co_await verbs.flush();
    EXPECT_EQ(first, VerbStatus::access_error);
    const VerbStatus second = co_await verbs.flush();
    EXPECT_EQ(second, VerbStatus::ok);
  }(client));
}

TEST_P(VerbOrder, an_error_is_reported_by_its_verb_and_never_before_it) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Batch batch(verbs);
    const int fine = batch.add(write_verb(kWord, 1));
    const int bad = batch.add(write_verb(on_server(kBytes), 1));
    const int behind = batch.add(write_verb(kWord + 8, 1));
    co_await batch.run();
    EXPECT_EQ(batch.result(fine).status, VerbStatus::ok);
    EXPECT_EQ(batch.result(bad).status, VerbStatus::access_error);
    EXPECT_EQ(batch.result(behind).status, VerbStatus::flushed);
    const Completion later = co_await verbs.read(kWord);
    EXPECT_EQ(later.value.lo, 1U);
  }(client));
  EXPECT_EQ(world().peek(kWord + 8), 0U);
}

// A WRITE of the client's own memory that begins in the server's memory and ends beyond it.
Verb beyond_the_end() {
  Verb verb = write_verb(on_server(kBytes - 8), 0);
  verb.bytes = 160;
  verb.local = {kHere, 0};
  return verb;
}

TEST_P(VerbOrder, an_error_of_a_long_transfer_flushes_the_rest_of_its_batch) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Batch batch(verbs);
    const int bad = batch.add(beyond_the_end());
    const int behind = batch.add(write_verb(kWord, 1));
    co_await batch.run();
    EXPECT_EQ(batch.result(bad).status, VerbStatus::access_error);
    EXPECT_EQ(batch.result(behind).status, VerbStatus::flushed);
  }(client));
  EXPECT_EQ(world().peek(kWord), 0U);
}

// Longer than the queues of any backend: a verb that had not left when the error came must not
// leave later.
TEST_P(VerbOrder, of_a_batch_that_meets_an_error_no_verb_lands_behind_the_first_failure) {
  static constexpr int kVerbs = 300;
  Verbs& client = add_client();
  int landed = 0;
  run_alone(client, [](Verbs& verbs, int& fine) -> Task<void> {
    verbs.post(beyond_the_end());
    Batch batch(verbs);
    for (int i = 0; i < kVerbs; ++i) batch.add(write_verb(on_server(8 * i), 1));
    co_await batch.run();
    while (fine < kVerbs && batch.result(fine).ok()) ++fine;
    for (int i = fine; i < kVerbs; ++i) EXPECT_FALSE(batch.result(i).ok()) << i;
    const VerbStatus detached = co_await verbs.flush();
    EXPECT_EQ(detached, VerbStatus::access_error);
  }(client, landed));
  for (int i = landed; i < kVerbs; ++i) EXPECT_EQ(world().peek(on_server(8 * i)), 0U) << i;
}

Task<void> write_ones(Verbs& verbs, std::uint64_t offset, int count) {
  Batch batch(verbs);
  for (int i = 0; i < count; ++i) batch.add(write_verb(on_server(offset), 1));
  co_await batch.run();
  for (int i = 0; i < count; ++i) EXPECT_TRUE(batch.result(i).ok());
}

// Together more verbs than a completion queue holds.
TEST_P(VerbOrder, many_clients_with_full_queues_all_finish) {
  static constexpr int kClients = 70;
  for (int i = 0; i < kClients; ++i) {
    Verbs& client = add_client();
    spawn(client, write_ones(client, 8 * i, 130));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  for (int i = 0; i < kClients; ++i) EXPECT_EQ(world().peek(on_server(8 * i)), 1U);
}

}  // namespace
}  // namespace latchlab::conformance
