// Intention locks on tables, in whole runs of TPC-C with scans of its orders.

#include <algorithm>
#include <map>
#include <vector>

#include "core/workload/forwarding_observer.h"
#include "core/workload/transactions/tpcc_rows.h"
#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

constexpr std::uint64_t kFirstOrder = 30'011, kFirstHistory = 60'011;
constexpr Duration kScan = microseconds(20);

// When scans read the table, and when a client held a row of it exclusively.
class TableTimes final : public TraceHook, public ForwardingObserver {
 public:
  struct Span {
    Time from, to;
    bool meets(const Span& other) const { return from < other.to && other.from < to; }
  };

  std::unique_ptr<Backend> around(std::unique_ptr<Backend> inner, const WorldPlan&) override {
    backend_ = inner.get();
    return inner;
  }
  LoopObserver& around(LoopObserver& inner, const World& world) override {
    inner_ = &inner;
    world_ = &world;
    return *this;
  }
  void transaction_begins(ClientId client) override {
    scans_only_[client.value] = true;
    ForwardingObserver::transaction_begins(client);
  }
  void acquired(ClientId client, const Grant& grant) override {
    scans_only_[client.value] = false;
    if (is_order(grant)) since_[client.value] = backend_->true_now();
    ForwardingObserver::acquired(client, grant);
  }
  void release_begins(ClientId client, const Grant& grant) override {
    if (is_order(grant)) changes.push_back({since_[client.value], backend_->true_now()});
    ForwardingObserver::release_begins(client, grant);
  }
  void transaction_done(ClientId client) override {
    const Time now = backend_->true_now();
    if (scans_only_[client.value]) scans.push_back({now - kScan, now});
    ForwardingObserver::transaction_done(client);
  }
  void ended(Time) override {
    word = backend_->peek(world_->object_of(LockId{kFirstOrder}));
    other_word = backend_->peek(world_->object_of(LockId{kFirstHistory}));
  }

  std::vector<Span> scans, changes;
  std::uint64_t word = 0, other_word = 0;

 protected:
  LoopObserver& inner(ClientId) override { return *inner_; }

 private:
  static bool is_order(const Grant& grant) {
    return grant.mode == LockMode::exclusive && grant.lock.id.value >= kFirstOrder &&
           grant.lock.id.value < kFirstHistory;
  }
  Backend* backend_ = nullptr;
  const World* world_ = nullptr;
  LoopObserver* inner_ = nullptr;
  std::map<std::uint32_t, bool> scans_only_;
  std::map<std::uint32_t, Time> since_;
};

int meetings(const std::vector<TableTimes::Span>& some,
             const std::vector<TableTimes::Span>& others) {
  int count = 0;
  for (const TableTimes::Span& one : some)
    for (const TableTimes::Span& other : others)
      if (&one != &other && one.meets(other)) ++count;
  return count;
}

std::string scanned(const std::string& transactions, const std::string& rest = "") {
  return "platform: {client_nodes: 2, clients_per_node: 4}\nlocks: {count: 620012}\n"
         "protocol: {name: dslr}\nworkload: {kind: transactions, order: as_asked, transactions: "
         "{kind: tpcc_rows, original: true, warehouses: 1, homes: common, scan_time: 20us, " +
         transactions + "}}\n" + rest;
}

// Scans run together, and so do changes, but never a scan and a change. At the end each of the 8
// clients is counted at most once in each counter of a word.
TEST(Tables, are_not_scanned_while_they_are_changed) {
  Point point = point_of(scanned("scans: 30%, scanned: orders, intention_locks: true"));
  point.run.duration = milliseconds(20);
  TableTimes times;
  const RepeatOutcome outcome = run_repeat(point, *find_protocol("dslr"), 0, simulation, &times);
  EXPECT_EQ(outcome.status, RepeatStatus::ok) << outcome.message;
  EXPECT_EQ(outcome.metrics.safety.violations, 0U);
  EXPECT_GT(times.scans.size(), 100U);
  EXPECT_GT(times.changes.size(), 100U);
  EXPECT_EQ(meetings(times.scans, times.changes), 0);
  EXPECT_GT(meetings(times.scans, times.scans), 20);
  EXPECT_GT(meetings(times.changes, times.changes), 20);
  for (const std::uint64_t word : {times.word, times.other_word})
    for (unsigned shift = 0; shift < 63; shift += 21) EXPECT_LE(word >> shift & 0x1f'ffff, 8U);
}

// A table costs a transaction two FAA.
TEST(Tables, cost_two_atomics_each) {
  const RepeatMetrics without = run(scanned("scans: 0%"));
  const RepeatMetrics with = run(scanned("scans: 0%, intention_locks: true"));
  // Tables of the five types in the mix, and their shares.
  const double tables = 0.45 * 8 + 0.43 * 4 + 0.04 * (3 + 4 + 3);
  EXPECT_NEAR(*with.verbs_per_cycle.atomic - *without.verbs_per_cycle.atomic, 2 * tables, 0.8);
  EXPECT_GT(*with.transactions.length->mean_ns(), *without.transactions.length->mean_ns());
}

}  // namespace
}  // namespace latchlab::simtest
