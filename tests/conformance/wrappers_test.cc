// Verbs that wrap other Verbs behave like them, in every backend.

#include "core/verbs/wrappers.h"

#include "tests/conformance/conformance.h"

namespace latchlab::conformance {
namespace {

class Wrappers : public Conformance {};
LATCHLAB_EVERY_BACKEND(Wrappers);

Task<void> use_everything(Verbs& verbs) {
  const EndpointAddr inbox = verbs.open_endpoint(1);
  const Completion added = co_await verbs.fetch_add(kWord, 3);
  EXPECT_TRUE(added.ok());
  Batch batch(verbs);
  batch.add(write_verb(kWord + 8, 4));
  const int seen = batch.add(read_verb(kWord + 8));
  co_await batch.run();
  EXPECT_EQ(batch.result(seen).value.lo, 4U);
  verbs.post(write_verb(kWord + 16, 5));
  const VerbStatus flushed = co_await verbs.flush();
  EXPECT_EQ(flushed, VerbStatus::ok);
  Message message;
  message.words[0] = 6;
  const VerbStatus sent = co_await verbs.send(inbox, message);
  EXPECT_EQ(sent, VerbStatus::ok);
  const WaitOutcome got = co_await verbs.receive(inbox, {});
  EXPECT_EQ(got.message.words[0], 6U);
  RemoteWait wait;
  wait.add(read_verb(kWord));
  wait.classify = [](const ProbeValues& values) {
    return values[0].lo == 3 ? Verdict::done : Verdict::pending;
  };
  auto waiting = verbs.await_remote(wait);
  const RemoteWaitResult result = co_await waiting;
  EXPECT_EQ(result.end, WaitEnd::satisfied);
}

TEST_P(Wrappers, wrapped_client_behaves_like_a_bare_one) {
  Verbs& bare = add_client();
  ForwardingVerbs inner(&bare);
  ForwardingVerbs outer(&inner);
  run_alone(bare, use_everything(outer));
  EXPECT_EQ(&outer.tally(), &bare.tally());
  EXPECT_EQ(bare.tally().atomics(), 1U);
  EXPECT_EQ(bare.tally().writes(), 2U);
}

TEST_P(Wrappers, injected_fault_shows_where_it_was_injected_and_has_no_effect) {
  Verbs& bare = add_client();
  FaultInjectingVerbs verbs(&bare, [](const Operation& op) -> std::optional<VerbStatus> {
    if (op.kind == OpKind::send) return VerbStatus::receiver_not_ready;
    if (op.kind == OpKind::call) return VerbStatus::peer_failed;
    if (op.verb.kind == VerbKind::cas) return VerbStatus::peer_failed;
    return std::nullopt;
  });
  run_alone(bare, [](Verbs& client) -> Task<void> {
    const Completion alone = co_await client.compare_swap(kWord, 0, 1);
    EXPECT_EQ(alone.status, VerbStatus::peer_failed);
    const Message message;
    const VerbStatus sent = co_await client.send(client.open_endpoint(1), message);
    EXPECT_EQ(sent, VerbStatus::receiver_not_ready);
    const Request request;
    const Reply reply = co_await client.call(kServer, request);
    EXPECT_EQ(reply.status, VerbStatus::peer_failed);
    const Completion fine = co_await client.read(kWord);
    EXPECT_TRUE(fine.ok());
  }(verbs));
  EXPECT_EQ(world().peek(kWord), 0U);
}

TEST_P(Wrappers, injected_fault_in_a_batch_flushes_the_verbs_behind_it) {
  Verbs& bare = add_client();
  FaultInjectingVerbs verbs(&bare, [](const Operation& op) -> std::optional<VerbStatus> {
    if (op.kind == OpKind::verb && op.verb.kind == VerbKind::cas) return VerbStatus::peer_failed;
    return std::nullopt;
  });
  run_alone(bare, [](Verbs& client) -> Task<void> {
    for (int round = 0; round < 2; ++round) {
      const bool cas_first = round == 1;
      Batch batch(client);
      if (!cas_first) batch.add(write_verb(kWord, 1));
      const int bad = batch.add(cas_verb(kWord + 8, 0, 1));
      const int behind = batch.add(write_verb(kWord + 16, 1));
      co_await batch.run();
      if (!cas_first) {
        EXPECT_TRUE(batch.result(0).ok());
      }
      EXPECT_EQ(batch.result(bad).status, VerbStatus::peer_failed);
      EXPECT_EQ(batch.result(behind).status, VerbStatus::flushed);
    }
  }(verbs));
  EXPECT_EQ(world().peek(kWord), 1U);
  EXPECT_EQ(world().peek(kWord + 8), 0U);
  EXPECT_EQ(world().peek(kWord + 16), 0U);
}

TEST_P(Wrappers, injected_fault_of_a_detached_verb_shows_at_flush) {
  Verbs& bare = add_client();
  FaultInjectingVerbs verbs(&bare, [](const Operation& op) -> std::optional<VerbStatus> {
    if (op.detached) return VerbStatus::peer_failed;
    return std::nullopt;
  });
  run_alone(bare, [](Verbs& client) -> Task<void> {
    client.post(write_verb(kWord, 1));
    const VerbStatus status = co_await client.flush();
    EXPECT_EQ(status, VerbStatus::access_error);
  }(verbs));
  EXPECT_EQ(world().peek(kWord), 0U);
}

// The message that fails is lost, and the others arrive.
TEST_P(Wrappers, injected_fault_of_a_detached_message_shows_at_flush) {
  LATCHLAB_NEEDS(Capability::reliable_messages);
  Verbs& bare = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(2, Transport::rc);
  FaultInjectingVerbs verbs(&bare, [](const Operation& op) -> std::optional<VerbStatus> {
    if (op.detached && op.message.type == 1) return VerbStatus::flushed;
    return std::nullopt;
  });
  spawn(bare, [](Verbs& client, EndpointAddr target) -> Task<void> {
    {
      Batch batch(client);
      for (std::uint64_t type = 0; type < 3; ++type) {
        Message message;
        message.type = type;
        batch.add(target, message);
      }
      batch.post();
    }
    const VerbStatus status = co_await client.flush();
    EXPECT_EQ(status, VerbStatus::peer_failed);
  }(verbs, inbox));
  spawn(receiver, [](Verbs& own, EndpointAddr at) -> Task<void> {
    for (std::uint64_t type = 0; type < 3; type += 2) {
      const WaitOutcome got = co_await own.receive(at, {});
      EXPECT_EQ(got.message.type, type);
    }
  }(receiver, inbox));
  EXPECT_EQ(run(), RunEnd::finished);
}

}  // namespace
}  // namespace latchlab::conformance
