// Long READs and concurrent messages, in the cases that an RNIC and frames of 4 KiB could get
// wrong.

#include "core/verbs/batch.h"
#include "tests/hardware/worlds.h"

namespace latchlab::ib {
namespace {

class Reads : public Worlds, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    Worlds::SetUp();
    if (IsSkipped()) return;
    IbverbsOptions options;
    options.software_atomics = GetParam();
    make(options);
  }
};
INSTANTIATE_TEST_SUITE_P(Memory, Reads, ::testing::Bool(),
                         [](const auto& made) { return made.param ? "agents" : "rnics"; });

void expect_first_values(std::span<const std::uint64_t> words, std::uint64_t offset,
                         std::uint32_t bytes) {
  ASSERT_EQ(words.size(), (bytes + 7) / 8);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t ends = bytes - 8 * i;
    const std::uint64_t kept = ends >= 8 ? ~0ULL : (1ULL << 8 * ends) - 1;
    ASSERT_EQ(words[i], first_value(offset + 8 * i) & kept) << bytes << " bytes, word " << i;
  }
}

TEST_P(Reads, words_of_any_width_arrive_whole_and_buffers_are_reused) {
  Verbs& client = add_client();
  spawn(client, [](Verbs& verbs) -> Task<void> {
    for (int round = 0; round < 3; ++round) {
      for (const std::uint32_t bytes : {24U, 17U, 64U, 65U, 2048U, 4099U, 16384U, 16380U}) {
        const RemoteAddr from{kServer, 8 * bytes % 1024};
        const ReadWords far = co_await verbs.read_words(from, bytes);
        EXPECT_TRUE(far.ok());
        expect_first_values(far.words(), from.offset, bytes);
      }
    }
    Verb too_long = read_verb({kServer, 0}, kMaxReadBytes + 8);
    const Completion refused = co_await verbs.issue(too_long);
    EXPECT_EQ(refused.status, VerbStatus::access_error);
    EXPECT_TRUE((co_await verbs.read_words({kServer, kBytes - 8}, 64)).words().empty());
  }(client));
  run();
}

TEST_P(Reads, a_wait_sees_all_of_sixteen_probes) {
  Verbs& waiter = add_client();
  Verbs& writer = add_client(kThere);
  static constexpr std::uint32_t kWidth = kMaxProbeBytes / kMaxProbes;
  spawn(waiter, [](Verbs& verbs) -> Task<void> {
    RemoteWait wait;
    for (std::uint64_t i = 0; i < kMaxProbes; ++i)
      wait.add(read_verb({kServer, i * kWidth}, kWidth));
    wait.classify = [](const ProbeValues& seen) {
      return seen.words(kMaxProbes - 1)[kWidth / 8 - 1] == 7 ? Verdict::done : Verdict::pending;
    };
    const RemoteWaitResult result = co_await verbs.await_remote(wait);
    EXPECT_EQ(result.end, WaitEnd::satisfied);
    for (std::uint64_t i = 0; i + 1 < kMaxProbes; ++i)
      expect_first_values(result.values.words(i), i * kWidth, kWidth);
  }(waiter));
  spawn(writer, [](Verbs& verbs) -> Task<void> {
    co_await verbs.sleep(milliseconds(20));
    co_await verbs.write({kServer, kMaxProbeBytes - 8}, 7);
  }(writer));
  run();
}

class Mail : public Worlds {
 protected:
  void SetUp() override {
    Worlds::SetUp();
    if (!IsSkipped()) make();
  }
};

Message numbered(std::uint64_t number) {
  Message message;
  message.words[0] = number;
  return message;
}

// Its second message could find the RECV for which the first one was refused.
TEST_F(Mail, messages_of_a_batch_to_one_endpoint_keep_their_order_when_it_is_full) {
  constexpr std::uint64_t kCount = 8;
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(1, Transport::rc_patient);
  spawn(sender, [](Verbs& verbs, EndpointAddr to) -> Task<void> {
    Batch batch(verbs);
    for (std::uint64_t i = 1; i <= kCount; ++i) batch.add(to, numbered(i));
    co_await batch.run();
    EXPECT_EQ(batch.status(), VerbStatus::ok);
  }(sender, inbox));
  spawn(receiver, [](Verbs& verbs, EndpointAddr own) -> Task<void> {
    for (std::uint64_t i = 1; i <= kCount; ++i) {
      co_await verbs.sleep(microseconds(1100));
      const WaitOutcome got = co_await verbs.receive(own, {});
      EXPECT_EQ(got.message.words[0], i);
    }
  }(receiver, inbox));
  run();
}

// The first of them is received only after the last has arrived.
TEST_F(Mail, messages_of_a_batch_are_in_flight_at_the_same_time) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr full = receiver.open_endpoint(1, Transport::rc_patient);
  const EndpointAddr closed = receiver.open_endpoint(1);
  const EndpointAddr open = receiver.open_endpoint(1);
  spawn(sender,
        [](Verbs& verbs, EndpointAddr one, EndpointAddr two, EndpointAddr three) -> Task<void> {
          co_await verbs.send(one, numbered(1));
          co_await verbs.send(two, numbered(1));
          Batch batch(verbs);
          batch.add(one, numbered(2));
          const int refused = batch.add(two, numbered(2));
          batch.add(three, numbered(3));
          co_await batch.run();
          EXPECT_EQ(batch.result(refused).status, VerbStatus::receiver_not_ready);
          EXPECT_TRUE(batch.result(0).ok());
          EXPECT_TRUE(batch.result(2).ok());
        }(sender, full, closed, open));
  spawn(receiver, [](Verbs& verbs, EndpointAddr first, EndpointAddr last) -> Task<void> {
    const WaitOutcome third = co_await verbs.receive(last, {});
    EXPECT_EQ(third.message.words[0], 3U);
    for (std::uint64_t i = 1; i <= 2; ++i) {
      const WaitOutcome got = co_await verbs.receive(first, {});
      EXPECT_EQ(got.message.words[0], i);
    }
  }(receiver, full, open));
  run();
}

// Answers each call when the next one arrives.
class Late final : public CallHandler {
 public:
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    Reply reply;
    reply.words[0] = kept_.request.words[0];
    if (kept_.ticket != 0) verbs.reply(kept_, reply);
    kept_ = pending;
    co_return;
  }

 private:
  PendingCall kept_;
};

TEST_F(Mail, a_reply_after_the_deadline_is_dropped) {
  Late late;
  add_server(late);
  Verbs& hasty = add_client();
  Verbs& other = add_client(kThere);
  spawn(hasty, [](Verbs& verbs) -> Task<void> {
    Request request;
    request.words[0] = 1;
    const Reply none = co_await verbs.call(kServer, request, verbs.now() + milliseconds(50));
    EXPECT_EQ(none.status, VerbStatus::timed_out);
    request.words[0] = 2;  // makes the server reply to the first
    const Reply own = co_await verbs.call(kServer, request, verbs.now() + seconds(60));
    EXPECT_TRUE(own.ok());
    EXPECT_EQ(own.words[0], 2U);
  }(hasty));
  spawn(other, [](Verbs& verbs) -> Task<void> {
    co_await verbs.sleep(seconds(2));
    Request request;
    request.words[0] = 3;
    const Reply none = co_await verbs.call(kServer, request, verbs.now());
    EXPECT_EQ(none.status, VerbStatus::timed_out);
  }(other));
  run();
}

}  // namespace
}  // namespace latchlab::ib
