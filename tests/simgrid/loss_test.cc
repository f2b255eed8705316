// Links that lose single packets: what is lost is sent again, at once if something behind it shows
// the loss, and nothing takes effect twice or out of order.

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "tests/simgrid/links.h"
#include "tests/simgrid/network.h"
#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

constexpr std::int64_t kOnePercent = 10'000'000;
constexpr std::int64_t kAll = 1'000'000'000;

class Loss : public Links {
 protected:
  Loss() {
    options().packet_loss_ppb = kOnePercent;
    nic().ack_retries = 7;
  }
};

struct Log {
  std::vector<Duration> took;
  std::vector<Completion> results;
  Time end;
};

Task<void> in_turn(Verbs& verbs, Backend& backend, Verb verb, int count, Log& log) {
  for (int i = 0; i < count; ++i) {
    const Time begin = backend.true_now();
    log.results.push_back(co_await verbs.issue(verb));
    log.took.push_back(backend.true_now() - begin);
  }
}

Task<void> together(Verbs& verbs, Backend& backend, Verb verb, int count, Log& log) {
  Batch batch(verbs);
  for (int i = 0; i < count; ++i) batch.add(verb);
  co_await batch.run();
  for (int i = 0; i < count; ++i) log.results.push_back(batch.result(i));
  log.end = backend.true_now();
}

void expect_one_after_the_other(const Log& log, int count) {
  ASSERT_EQ(log.results.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const Completion& result = log.results[static_cast<std::size_t>(i)];
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.value.lo, static_cast<std::uint64_t>(i));
  }
}

// A packet crosses two links on each way, so that 3.9% of the verbs lose something.
TEST_F(Loss, a_verb_alone_waits_for_the_timeout) {
  const int kCount = 2'000;
  Log log;
  Verbs& client = add_client();
  run_alone(client, in_turn(client, world(), faa_verb(kWord, 1), kCount, log));
  expect_one_after_the_other(log, kCount);
  const auto late = std::ranges::count_if(log.took, [&](Duration took) { return took > timeout_; });
  EXPECT_NEAR(static_cast<double>(late), 0.0394 * kCount, 27);
  const auto usual = std::ranges::count(log.took, std::ranges::min(log.took));
  EXPECT_EQ(usual + late, kCount);
  expect_all_given_back();
}

TEST_F(Loss, verbs_behind_a_lost_one_show_the_loss_at_once_and_keep_their_order) {
  const int kCount = 2'000;
  nic().ack_timeout = milliseconds(50);
  for (const std::int64_t selective : {0, 1}) {
    const Numbers found = in_child([&]() -> Numbers {
      nic().selective = selective;
      Log log;
      Verbs& client = add_client();
      run_alone(client, together(client, world(), faa_verb(kWord, 1), kCount, log));
      expect_one_after_the_other(log, kCount);
      expect_all_given_back();
      return {log.end.ps};
    });
    ASSERT_EQ(found.size(), 1U);
    const Time end{found[0]};
    // Each holds the word for 500 ns. Some 79 are lost, and each loss costs a few round trips.
    EXPECT_GT(end, kStart + nic().hold_8 * kCount);
    EXPECT_LT(end, kStart + nic().hold_8 * kCount + microseconds(500));
  }
}

TEST_F(Loss, long_payloads_arrive_whole) {
  Verb push = write_verb(on_server(0), 0);
  push.bytes = kBulkBytes;
  push.local = {kHere, 0};
  Verb fetch = read_verb(on_server(0), kBulkBytes);
  fetch.local = {kThere, 0};
  const RemoteAddr last_word{kHere, kBulkBytes - 8};
  world().poke(last_word, 7);
  for (const auto& [verb, node] : {std::pair{push, kHere}, std::pair{fetch, kThere}}) {
    Log log;
    Verbs& client = add_client(node);
    spawn(client, in_turn(client, world(), verb, 50, log), world().true_now());
    EXPECT_EQ(run(), RunEnd::finished);
    EXPECT_TRUE(std::ranges::all_of(log.results, &Completion::ok));
    // Eight packets each: 16% of the verbs lose one.
    EXPECT_GT(std::ranges::max(log.took), timeout_ + picoseconds(100) * kBulkBytes);
  }
  EXPECT_EQ(world().peek({kThere, kBulkBytes - 8}), 7U);
  expect_all_given_back();
}

// A WRITE's acknowledgement is lost on a path that is down for 100 ns; that of the FAA behind it is
// not.
TEST_F(Links, a_qp_goes_on_after_a_lost_acknowledgement) {
  cut_port(kServer, kStart + nanoseconds(2'500), kStart + nanoseconds(2'600));
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Batch batch(verbs);
    batch.add(write_verb(kWord, 1));
    batch.add(faa_verb(kWord, 1));
    co_await batch.run();
    EXPECT_TRUE(batch.result(0).ok());
    EXPECT_TRUE(batch.result(1).ok());
    const Verb again = faa_verb(kWord, 1);
    const Completion later = co_await verbs.issue(again);
    EXPECT_EQ(later.value.lo, 2U);
  }(client));
  expect_all_given_back();
}

// Each round ends with a long WRITE over the word that two short ones have written.
Task<void> write_long_after_short(Verbs& verbs, Backend& backend, int rounds, int& wrong) {
  Verb last = write_verb(on_server(0), 0);
  last.bytes = kBulkBytes;
  last.local = {kHere, 0};
  for (int i = 0; i < rounds; ++i) {
    Batch batch(verbs);
    batch.add(write_verb(on_server(64), 1));
    batch.add(write_verb(on_server(64), 2));
    batch.add(last);
    batch.add(read_verb(on_server(64)));
    co_await batch.run();
    wrong += batch.result(3).ok() && batch.result(3).value.lo == 7 ? 0 : 1;
    wrong += backend.peek(on_server(64)) == 7 ? 0 : 1;
  }
}

TEST_F(Loss, a_long_write_does_not_overtake_what_was_lost_before_it) {
  options().packet_loss_ppb = 2 * kOnePercent;
  for (const std::int64_t selective : {0, 1}) {
    const Numbers found = in_child([&]() -> Numbers {
      nic().selective = selective;
      world().poke({kHere, 64}, 7);
      int wrong = 0;
      Verbs& client = add_client();
      run_alone(client, write_long_after_short(client, world(), 300, wrong));
      expect_all_given_back();
      return {wrong};
    });
    EXPECT_EQ(found, Numbers{0});
  }
}

// Clients of a node that share a QP: nothing is lost for ever, and each FAA has one effect.
TEST_F(Loss, a_shared_qp_goes_on) {
  options().packet_loss_ppb = 3 * kOnePercent;
  options().qps = QpOwner::node;
  for (const std::int64_t selective : {0, 1}) {
    const Numbers found = in_child([&]() -> Numbers {
      nic().selective = selective;
      std::deque<Log> logs(12);
      for (Log& log : logs) {
        Verbs& client = add_client();
        spawn(client, in_turn(client, world(), faa_verb(kWord, 1), 200, log));
      }
      EXPECT_EQ(run(), RunEnd::finished);
      for (const Log& log : logs) EXPECT_TRUE(std::ranges::all_of(log.results, &Completion::ok));
      expect_all_given_back();
      return {static_cast<std::int64_t>(world().peek(kWord))};
    });
    EXPECT_EQ(found, Numbers{12 * 200});
  }
}

TEST_F(Loss, a_link_that_loses_all_makes_the_peer_fail_after_all_retries) {
  options().packet_loss_ppb = kAll;
  nic().ack_retries = retries_;
  const Shot& shot = shoot(read_verb(kWord));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(shot.completion.status, VerbStatus::peer_failed);
  EXPECT_GE(shot.took(), timeout_ * (retries_ + 1));
  EXPECT_LT(shot.took(), timeout_ * (retries_ + 1) + microseconds(10));
  expect_all_given_back();
}

TEST_F(Loss, groups_have_links_of_their_own) {
  options().packet_loss_ppb = 0;
  options().groups = {{nic(), {}, kAll}};
  planned(kHere).group = 1;
  const Shot& lost = shoot(read_verb(kWord));
  const Shot& fine = shoot(read_verb(kWord), kStart, kThere);
  const Shot& at_home = shoot(read_verb({kHere, 64}));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(lost.completion.status, VerbStatus::peer_failed);
  EXPECT_TRUE(fine.completion.ok());
  EXPECT_TRUE(at_home.completion.ok());
}

// ---- messages ----

Task<void> send_all(Verbs& verbs, EndpointAddr target, std::uint64_t count, int& failed,
                    std::uint64_t first = 0) {
  Batch batch(verbs);
  for (std::uint64_t i = 1; i <= count; ++i) batch.add(target, numbered(first + i));
  co_await batch.run();
  for (int i = 0; i < static_cast<int>(count); ++i) failed += batch.result(i).ok() ? 0 : 1;
}

Task<void> take_all(Verbs& verbs, EndpointAddr own, Time until, std::vector<std::uint64_t>& seen) {
  for (;;) {
    const WaitOutcome got = co_await verbs.receive(own, {}, until);
    if (got.by != Woke::message) co_return;
    seen.push_back(got.message.words[0]);
  }
}

TEST_F(Loss, messages_with_acknowledgements_arrive_once_and_in_order_and_datagrams_get_lost) {
  const std::uint64_t kCount = 500;
  std::vector<std::uint64_t> all(kCount);
  std::iota(all.begin(), all.end(), 1);
  for (const Transport transport : {Transport::rc, Transport::dc, Transport::ud}) {
    Verbs& receiver = add_client(kThere);
    const EndpointAddr inbox = receiver.open_endpoint(600, transport);
    std::vector<std::uint64_t> seen;
    int failed = 0;
    const Time begin = world().true_now();
    Verbs& sender = add_client();
    spawn(receiver, take_all(receiver, inbox, begin + milliseconds(30), seen), begin);
    spawn(sender, send_all(sender, inbox, kCount, failed), begin);
    EXPECT_EQ(run(), RunEnd::finished);
    EXPECT_EQ(failed, 0);
    if (transport == Transport::ud) {
      EXPECT_LT(seen.size(), kCount);
      EXPECT_GT(seen.size(), kCount * 9 / 10);
    } else {
      EXPECT_EQ(seen, all);
    }
  }
  expect_all_given_back();
}

// Their messages wait in the receiver's pipeline.
TEST_F(Loss, messages_of_several_senders_keep_the_order_of_each) {
  constexpr std::uint64_t kSenders = 6, kCount = 200;
  nic().serve_send = nanoseconds(200);
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(kSenders * kCount, Transport::rc);
  std::vector<std::uint64_t> seen;
  int failed = 0;
  spawn(receiver, take_all(receiver, inbox, kStart + milliseconds(50), seen));
  for (std::uint64_t s = 0; s < kSenders; ++s) {
    Verbs& sender = add_client(s % 2 == 0 ? kHere : kElsewhere);
    spawn(sender, send_all(sender, inbox, kCount, failed, s * 1'000));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(seen.size(), kSenders * kCount);
  std::vector<std::uint64_t> last(kSenders);
  for (const std::uint64_t number : seen) {
    EXPECT_EQ(number % 1'000, last[number / 1'000] + 1);
    last[number / 1'000] = number % 1'000;
  }
  expect_all_given_back();
}

// ---- locks ----

// No lock notices more than late answers: RC hides the rest.
TEST(LossyLinks, break_no_lock) {
  for (const ProtocolInfo& info : protocol_infos()) {
    if (info.name == "ideal_local") continue;  // needs one client node
    SCOPED_TRACE(info.name);
    const RepeatOutcome outcome = outcome_of(point_of(
        "platform: {nic: {base: connectx-5, timeout.ack: 50us}, servers: 2, client_nodes: 2, "
        "clients_per_node: 4, packet_loss: 0.5%}\nlocks: {count: 4}\n"
        "workload: {read_ratio: 50%}\nprotocol: " +
        info.name + "\n"));
    // 2 ms are short for a lock that starves clients.
    EXPECT_THAT(outcome.status, testing::AnyOf(RepeatStatus::ok, RepeatStatus::starved));
    EXPECT_GT(outcome.metrics.cycle.count(), 20U);
    EXPECT_EQ(outcome.metrics.safety.violations.value_or(1), 0U);
  }
}

}  // namespace
}  // namespace latchlab::simtest
