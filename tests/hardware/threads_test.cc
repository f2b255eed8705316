// Worlds on several threads.

#include <time.h>

#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "backends/ibverbs/cores.h"
#include "tests/hardware/worlds.h"

namespace latchlab::ib {
namespace {

class Threads : public Worlds {};

TEST_F(Threads, endpoints_have_predictable_addresses) {
  IbverbsOptions options;
  options.workers = 3;
  make(options);
  std::map<std::pair<NodeId, std::uint32_t>, std::uint32_t> opened;
  const auto expect_next = [&](Verbs& verbs) {
    const std::uint32_t thread = world().thread_of(verbs.kind(), verbs.node(), verbs.client());
    const std::uint32_t place = ++opened[{verbs.node(), thread}];
    EXPECT_EQ(verbs.open_endpoint(4), world().endpoint_address(verbs.node(), thread, place));
  };
  for (const NodeId node : {kHere, kThere})
    expect_next(world().add_actor(ActorKind::node, node, ClientId{}));
  for (int i = 0; i < 7; ++i) expect_next(add_client(i < 4 ? kHere : kThere));
  EXPECT_EQ(opened.size(), 6U);
}

TEST_F(Threads, statistics_of_the_time_of_workers_are_reported) {
  IbverbsOptions options;
  options.workers = 2;
  make(options);
  for (int i = 0; i < 2; ++i) {
    Verbs& client = add_client();
    spawn(client, [](Verbs& verbs) -> Task<void> {
      const RemoteAddr word{kServer, 0};
      for (int round = 0; round < 300; ++round) co_await verbs.fetch_add(word, 1);
    }(client));
  }
  world().reset_stats();
  run();
  const auto reports = hardware().worker_reports();
  ASSERT_EQ(reports.size(), 2U);
  for (const WorkerReport& report : reports) {
    EXPECT_GT(report.busy.ps, 0);
    EXPECT_LE(report.busy, report.watched);
    EXPECT_GT(report.longest_turn.ps, 0);
    EXPECT_LE(report.longest_turn, report.watched);
    EXPECT_GE(report.began, Time{});
  }
  EXPECT_EQ(hardware().clock_error(), Duration{});  // one machine, one clock
}

std::int64_t cpu_time_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

constexpr RemoteAddr kOwnWord{kHere, 8};

// A client that sleeps leaves its thread nothing to do. With completions by event the thread
// sleeps, too, unless a client waits for a word of memory.
TEST_F(Threads, sleep_if_completions_are_learned_of_by_event) {
  if (tests_events()) GTEST_SKIP() << "compares with a thread that polls";
  for (const bool by_event : {true, false})
    for (const bool word : {true, false}) {
      SCOPED_TRACE(testing::Message() << "by event: " << by_event << ", a word: " << word);
      forget_clients();
      drop();
      IbverbsOptions options;
      options.by_event = by_event;
      make(options);
      Verbs& client = add_client();
      spawn(client, [](Verbs& verbs) -> Task<void> {
        for (int round = 0; round < 20; ++round) co_await verbs.fetch_add({kServer, 0}, 1);
        co_await verbs.sleep(milliseconds(200));
        co_await verbs.store(kOwnWord, 0);
      }(client));
      Verbs& other = add_client();
      if (word)
        spawn(other, [](Verbs& verbs) -> Task<void> {
          WordWait wait;
          wait.word = kOwnWord;
          wait.until = [](std::uint64_t value) { return value == 0; };
          co_await verbs.await_local(wait);
        }(other));
      world().reset_stats();
      const std::int64_t before = cpu_time_ns();
      run();
      const std::int64_t used = cpu_time_ns() - before;
      const Duration asleep = hardware().worker_reports().at(0).asleep;
      if (by_event && !word) {
        EXPECT_GT(asleep, milliseconds(100));
        EXPECT_LT(used, asleep.ps / 1000);
      } else {
        EXPECT_LT(asleep, milliseconds(10));
      }
    }
}

// On a node with clients on three threads: a doorbell register for each thread, and one for the
// memory server, for any number of QPs. With one domain for all, libmlx5 would give each of the
// first QPs a register of its own, and all others one together.
TEST_F(Threads, ring_registers_of_their_own) {
  const auto devices = list_devices();
  ASSERT_TRUE(devices.ok());
  if (!devices.value().front().thread_domains) GTEST_SKIP() << "needs a device with thread domains";
  IbverbsOptions options;
  options.workers = 3;
  make(options);
  for (int i = 0; i < 12; ++i) {
    Verbs& client = add_client();
    spawn(client, [](Verbs& verbs) -> Task<void> {
      for (const NodeId node : {kServer, kThere}) {
        const RemoteAddr word{node, 0};
        for (int round = 0; round < 20; ++round) co_await verbs.fetch_add(word, 1);
      }
    }(client));
  }
  run();
  const SetUpCost cost = hardware().set_up_cost(kHere);
  EXPECT_GE(cost.qps, tests_dc() ? 4U : 24U);
  EXPECT_EQ(cost.doorbells, 4U);
}

TEST_F(Threads, have_their_cores_before_anything_is_allocated) {
  const std::vector<int> before = own_cores();
  IbverbsOptions options;
  options.pin = true;
  make(options);
  EXPECT_EQ(own_cores().size(), 1U);  // also with one worker
  drop();
  EXPECT_EQ(own_cores(), before);
  options.workers = static_cast<std::uint32_t>(before.size()) + 1;
  make(options);
  EXPECT_EQ(own_cores(), before);  // more threads than cores: no thread has its own
}

enum RequestType : std::uint16_t { kStep, kManySteps, kLong, kHold, kRelease };

constexpr RemoteAddr kTally{kThere, 0};

// The server part accesses its own data without any protection.
class Desk final : public CallHandler {
 public:
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    enter();
    if (pending.request.type == kHold) {
      held_.push_back(pending);
      co_return leave();
    }
    if (pending.request.type == kRelease) {
      for (const PendingCall& each : std::exchange(held_, {})) verbs.reply(each, {});
    } else {
      const int steps = pending.request.type == kManySteps ? 50 : 1;
      for (int i = 0; i < steps; ++i) {
        leave();
        co_await verbs.compute(pending.request.type == kLong ? seconds(3) : microseconds(50));
        enter();
      }
      leave();
      co_await verbs.fetch_add(kTally, 1);
      enter();
    }
    Reply reply;
    reply.words[0] = ++served;
    verbs.reply(pending, reply);
    leave();
  }
  std::uint64_t served = 0;
  std::uint64_t met = 0;  // times that two threads were inside
  std::set<std::thread::id> threads;

 private:
  void enter() {
    if (std::exchange(inside_, true)) ++met;
    threads.insert(std::this_thread::get_id());
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
  }
  void leave() { inside_ = false; }

  bool inside_ = false;
  std::vector<PendingCall> held_;
};

class ServerThreads : public Worlds {
 protected:
  void SetUp() override {
    Worlds::SetUp();
    if (IsSkipped()) return;
    IbverbsOptions options;
    options.server_workers = 2;
    make(options);
    add_server(desk_);
  }
  static Request request_of(RequestType type) {
    Request request;
    request.type = type;
    return request;
  }
  Desk desk_;
};

TEST_F(ServerThreads, calls_are_served_by_all_of_them_one_at_a_time) {
  for (int i = 0; i < 6; ++i) {
    Verbs& client = add_client(i % 2 == 0 ? kHere : kThere);
    spawn(client, [](Verbs& verbs) -> Task<void> {
      for (int round = 0; round < 200; ++round) {
        const Reply reply = co_await verbs.call(kServer, request_of(kStep));
        EXPECT_TRUE(reply.ok());
      }
    }(client));
  }
  run();
  EXPECT_EQ(desk_.served, 1200U);
  EXPECT_EQ(desk_.met, 0U);
  EXPECT_EQ(desk_.threads.size(), 2U);
  EXPECT_EQ(world().peek(kTally), first_value(kTally.offset) + 1200);
}

TEST_F(ServerThreads, a_call_may_be_answered_by_any_thread) {
  for (int i = 0; i < 6; ++i) {
    Verbs& client = add_client();
    spawn(client, [](Verbs& verbs, bool releases) -> Task<void> {
      if (releases) co_await verbs.sleep(seconds(1));
      const Reply reply = co_await verbs.call(kServer, request_of(releases ? kRelease : kHold));
      EXPECT_TRUE(reply.ok());
    }(client, i == 5));
  }
  run();
}

// Answers through the verbs of its first call.
class Borrower final : public CallHandler {
 public:
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    if (first_ == nullptr) first_ = &verbs;
    first_->reply(pending, {});
    co_return;
  }

 private:
  Verbs* first_ = nullptr;
};

TEST_F(Threads, a_part_that_uses_the_verbs_of_another_thread_is_aborted) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run_it = [this] {
    IbverbsOptions options;
    options.server_workers = 2;
    make(options);
    Borrower borrower;
    add_server(borrower);
    Verbs& client = add_client();
    spawn(client, [](Verbs& verbs) -> Task<void> {
      for (int i = 0; i < 2; ++i) {
        Request request;
        co_await verbs.call(kServer, request);
      }
    }(client));
    run();
  };
  EXPECT_DEATH(run_it(), "uses the verbs that it is given");
}

// The clients' thread is the server's first: the long call must reach the other.
TEST_F(ServerThreads, while_one_thread_computes_another_serves) {
  Verbs& patient = add_client(kHere);
  Verbs& busy = add_client(kThere);
  spawn(patient, [](Verbs& verbs) -> Task<void> {
    const Reply first = co_await verbs.call(kServer, request_of(kStep));
    EXPECT_EQ(first.words[0], 1U);
    const Reply last = co_await verbs.call(kServer, request_of(kLong));
    EXPECT_EQ(last.words[0], 3U);
  }(patient));
  spawn(busy, [](Verbs& verbs) -> Task<void> {
    co_await verbs.sleep(milliseconds(500));
    const Reply second = co_await verbs.call(kServer, request_of(kManySteps));
    EXPECT_EQ(second.words[0], 2U);
  }(busy));
  run();
}

}  // namespace
}  // namespace latchlab::ib
