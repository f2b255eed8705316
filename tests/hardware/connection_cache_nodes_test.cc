// What nodes cache from world to world if each has a process of its own (here, a thread), and they
// exchange what they need to know.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backends/ibverbs/connection_cache.h"
#include "tests/hardware/worlds.h"

namespace latchlab::ib {
namespace {

constexpr std::uint32_t kClientsOfNode2 = 4;

// Where two nodes exchange their data.
class Meeting {
 public:
  using Texts = std::vector<std::string>;
  explicit Meeting(int fails_at) : fails_at_(fails_at) {}

  Result<Texts> exchange(std::size_t me, const Texts& each) {
    std::unique_lock lock(mutex_);
    const int number = numbers_[me]++;
    given_[me] = each;
    if (++here_ == 2) {
      for (std::size_t i = 0; i < 2; ++i) taken_[i] = {given_[0][i], given_[1][i]};
      here_ = 0;
      ++done_;
      all_here_.notify_all();
    }
    all_here_.wait(lock, [&] { return done_ > number; });
    if (number == fails_at_) return Error{"a node is lost", {}};
    return taken_[me];
  }

 private:
  const int fails_at_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::array<Texts, 2> given_;
  std::array<Texts, 2> taken_;
  std::array<int, 2> numbers_ = {};
  int here_ = 0;
  int done_ = 0;
};

constexpr int kNever = -1;
constexpr int kAtTheEnd = 2;  // after the exchange of descriptors and the one at the beginning

class CachedNodes : public ::testing::Test {
 protected:
  // QPs that each node has created since its device was opened.
  using Made = std::array<std::uint64_t, 2>;

  void SetUp() override {
    if (!on_hardware()) GTEST_SKIP() << "needs an RDMA device and LATCHLAB_WORLD=ibverbs";
    for (auto& each : caches_) each = std::make_shared<ConnectionCache>();
  }

  // A world in which each client adds to a word of its own. `fails_at`: the exchange that fails.
  Made world(int fails_at = kNever) {
    Meeting meeting(fails_at);
    std::atomic<std::uint32_t> left = kClientsOfNode2;
    Made made = {};
    std::thread other([&] { made[1] = node(1, meeting, left); });
    made[0] = node(0, meeting, left);
    other.join();
    return made;
  }
  // A process that was restarted.
  void restart(std::size_t node) { caches_[node] = std::make_shared<ConnectionCache>(); }
  static std::uint64_t of_each_world() { return 1 + (tests_dc() ? 1 : 0); }

 private:
  std::uint64_t node(std::size_t me, Meeting& meeting, std::atomic<std::uint32_t>& left) {
    WorldPlan plan;
    plan.nodes = {{NodeId{1}, 4096, true, false}, {NodeId{2}, 4096, false, true}};
    plan.clients = kClientsOfNode2;
    IbverbsOptions options;
    options.hosted = {NodeId{static_cast<std::uint16_t>(1 + me)}};
    options.connection_cache = caches_[me];
    options.exchange = [&](const Meeting::Texts& each) { return meeting.exchange(me, each); };
    const auto made = hardware_world(plan, options);
    for (std::uint32_t i = 0; me == 1 && i < kClientsOfNode2; ++i) {
      Verbs& client = made->add_actor(ActorKind::client, NodeId{2}, ClientId{i});
      made->spawn(client, add_to(client, {NodeId{1}, 8ULL * i}, left), Time{});
    }
    EXPECT_TRUE(made->start_together());
    while (left > 0) made->run_until(made->true_now() + milliseconds(1));
    return made->set_up_cost(options.hosted.front()).qps_made;
  }
  static Task<void> add_to(Verbs& verbs, RemoteAddr word, std::atomic<std::uint32_t>& left) {
    const Completion added = co_await verbs.fetch_add(word, 1);
    EXPECT_TRUE(added.ok());
    EXPECT_EQ(added.value.lo, 0U);  // every world begins with 0
    --left;
  }

  std::array<std::shared_ptr<ConnectionCache>, 2> caches_;
};

TEST_F(CachedNodes, reuse_the_qps_of_their_first_world) {
  const Made first = world();
  for (std::uint64_t repeat = 1; repeat < 3; ++repeat) {
    const Made next = world();
    EXPECT_EQ(next[0], first[0] + repeat * of_each_world());
    EXPECT_EQ(next[1], first[1] + repeat * of_each_world());
  }
}

TEST_F(CachedNodes, recreate_the_qps_to_a_process_that_was_restarted) {
  world();  // this world also tests the atomics of this process's device
  restart(0);
  restart(1);
  const Made first = world();
  const std::uint64_t of_clients = first[1] - of_each_world();
  if (!tests_dc()) {
    EXPECT_EQ(of_clients, kClientsOfNode2);
  }
  restart(1);
  const Made next = world();
  EXPECT_EQ(next[1], first[1]);
  EXPECT_EQ(next[0], 2 * first[0]);
  restart(0);
  const Made last = world();
  EXPECT_EQ(last[0], first[0]);
  EXPECT_EQ(last[1], next[1] + of_each_world() + (tests_dc() ? 0 : kClientsOfNode2));
}

TEST_F(CachedNodes, keep_nothing_when_a_node_is_lost) {
  world();
  restart(0);
  restart(1);
  const Made first = world(kAtTheEnd);
  EXPECT_EQ(world(), first);
}

}  // namespace
}  // namespace latchlab::ib
