// Clients that notice late that their turn has come: meanwhile the lock may have been repaired and
// granted to another client.

#if LATCHLAB_WITH_SIMGRID

#include <optional>

#include "tests/conformance/simulation.h"
#include "tests/protocols/harness.h"

namespace latchlab::dslr_tests {
namespace {

using namespace testing;

constexpr Time kBegin = Time{} + microseconds(100);
constexpr Duration kLease = microseconds(200);
// Another client has repaired the lock by then, and its grant is still valid.
constexpr Duration kStandsStill = microseconds(550);
constexpr std::uint32_t kLocks = 40;

// The outcome for one lock.
struct Story {
  std::optional<AbortReason> refused;  // the paused client
  Time late_from, late_until;          // and its grant, if it was not refused
  Time other_from, other_until;        // the grant of the client that came after it
  bool late_granted = false, other_granted = false;

  bool both_valid() const {
    return late_granted && other_granted && late_from < other_until && other_from < late_until;
  }
};

// Each lock has a holder that releases, or none, a client that is paused while it asks, and a
// client that arrives later and retries until it acquires the lock. The last two keep it. Clocks
// are exact.
class Late {
 public:
  explicit Late(const char* validity) {
    const ProtocolEntry& entry = *find_protocol("dslr");
    ParamSet params = entry.info.resolve("repaired");
    params.set("lease", kLease);
    params.set("omega", microseconds(1));
    params.set("validity", std::string(validity));
    protocol_ = entry.make(params);
    WorldShape shape;
    shape.client_nodes = 3;
    shape.clients_per_node = kLocks;
    shape.locks.count = kLocks;
    world_ = std::make_unique<World>(*protocol_, shape);
    SimgridOptions options = plain_options();
    options.clocks = {};
    backend_ = make_simgrid(world_->plan(), options);
    world_->attach(*backend_);
  }

  // `leaves`: a holder releases, this much earlier for each next lock; the client is paused from
  // then on, when it asks or shortly afterwards. Otherwise the lock is free.
  std::vector<Story> run(bool leaves, LockMode mode, Duration still = kStandsStill) {
    mode_ = mode;
    for (std::uint32_t i = 0; i < kLocks; ++i) {
      const ClientId holder{i}, late{kLocks + i}, other{2 * kLocks + i};
      const Duration step = nanoseconds(100) * i;
      const Time asks = kBegin + microseconds(10);
      const Time stops = leaves ? kBegin + microseconds(60) : asks + nanoseconds(50) * i;
      if (leaves) backend_->spawn(verbs(holder), hold(holder, i, stops - step), kBegin);
      backend_->spawn(verbs(late), ask_once(late, i), asks);
      backend_->spawn(verbs(other), ask_until_granted(other, i), stops + microseconds(20));
      backend_->at(stops, [this, late, still] { backend_->cpu_faults()->pause(late, still); });
    }
    EXPECT_EQ(backend_->run_until(Time{} + seconds(1)), RunEnd::finished);
    return stories_;
  }

 private:
  Verbs& verbs(ClientId id) { return world_->verbs(id); }
  Want want(std::uint32_t lock) const { return Want(world_->lock(LockId{lock}), mode_); }

  Task<void> hold(ClientId id, std::uint32_t lock, Time until) {
    const AcquireResult result = co_await world_->client(id).acquire(want(lock), {});
    const Grant grant = std::get<Grant>(result);
    co_await verbs(id).sleep(until - verbs(id).now());
    co_await world_->client(id).release(grant);
  }

  Task<void> ask_once(ClientId id, std::uint32_t lock) {
    Story& story = stories_[lock];
    const AcquireResult result = co_await world_->client(id).acquire(want(lock), {});
    if (const Aborted* const aborted = std::get_if<Aborted>(&result)) {
      story.refused = aborted->reason;
      co_return;
    }
    story.late_granted = true;
    story.late_from = verbs(id).now();
    story.late_until = std::get<Grant>(result).valid_until;
  }

  Task<void> ask_until_granted(ClientId id, std::uint32_t lock) {
    Story& story = stories_[lock];
    while (!story.other_granted) {
      Want other = want(lock);
      other.mode = LockMode::exclusive;
      const AcquireResult result = co_await world_->client(id).acquire(other, {});
      const Grant* const grant = std::get_if<Grant>(&result);
      if (grant == nullptr) continue;
      story.other_granted = true;
      story.other_from = verbs(id).now();
      story.other_until = grant->valid_until;
    }
  }

  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Backend> backend_;
  LockMode mode_ = LockMode::exclusive;
  std::vector<Story> stories_ = std::vector<Story>(kLocks);
};

// How many of the locks have two holders, and how many late clients were refused.
struct Counts {
  std::uint32_t both = 0, refused = 0, granted = 0;
};
Counts count(const std::vector<Story>& stories) {
  Counts counts;
  for (const Story& story : stories) {
    EXPECT_TRUE(story.other_granted);
    counts.both += story.both_valid() ? 1U : 0U;
    counts.granted += story.late_granted ? 1U : 0U;
    if (!story.refused) continue;
    EXPECT_EQ(*story.refused, AbortReason::recovered);
    ++counts.refused;
  }
  EXPECT_EQ(counts.granted + counts.refused, kLocks);
  return counts;
}

TEST(timed, dslr_refuses_a_writer_that_sees_late_that_the_lock_was_free) {
  const Counts counts = count(Late("from_look").run(false, LockMode::exclusive));
  EXPECT_EQ(counts.both, 0U);
  EXPECT_GT(counts.refused, kLocks / 2);
}

TEST(timed, dslr_refuses_a_reader_that_sees_late_that_the_lock_was_free) {
  const Counts counts = count(Late("from_look").run(false, LockMode::shared));
  EXPECT_EQ(counts.both, 0U);
  EXPECT_GT(counts.refused, kLocks / 2);
}

TEST(timed, dslr_refuses_a_client_that_sees_late_that_its_turn_has_come) {
  const Counts counts = count(Late("from_look").run(true, LockMode::exclusive));
  EXPECT_EQ(counts.both, 0U);
  EXPECT_GT(counts.refused, 0U);
}

// The client receives the result of a READ that was too early when its turn has come more than a
// lease ago, and reads again before the repair.
TEST(timed, dslr_dates_a_grant_by_the_last_look_that_was_too_early) {
  const Counts counts = count(Late("from_look").run(true, LockMode::exclusive, kLease * 3 / 2));
  EXPECT_EQ(counts.both, 0U);
  EXPECT_GT(counts.refused, 0U);
}

// Counter-example 8 of dslr.h.
TEST(timed, dslr_as_printed_grants_twice_when_a_free_lock_is_seen_late) {
  EXPECT_GT(count(Late("from_grant").run(false, LockMode::exclusive)).both, 0U);
}

TEST(timed, dslr_as_printed_grants_twice_when_a_turn_is_seen_late) {
  EXPECT_GT(count(Late("from_grant").run(true, LockMode::exclusive)).both, 0U);
}

}  // namespace
}  // namespace latchlab::dslr_tests

#endif
