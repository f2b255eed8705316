// First come, first served: clients queue up one after the other while the first one holds the
// lock; then the order of grants must be the order of arrival, whatever the schedule.

#include <functional>

#include "core/protocols/dslr/ticket_word.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

// Does the entry show that `count` clients have arrived?
using Arrived = InlineFunction<bool(const Words& entry, std::uint32_t count)>;

struct Queue {
  World* world = nullptr;
  Arrived arrived;
  std::uint32_t clients = 0;
  std::uint32_t shared_from = ~0U;  // clients from here on are readers
  std::vector<std::uint32_t> order;
};

Task<void> until_arrived(Queue& queue, ClientId me, std::uint32_t count) {
  const Queue* const seen_by = &queue;
  RemoteWait wait;
  wait.add(read_verb(queue.world->lock(LockId{0}).entry));
  wait.classify = [seen_by, count](const ProbeValues& values) {
    return seen_by->arrived(values[0], count) ? Verdict::done : Verdict::pending;
  };
  co_await queue.world->verbs(me).await_remote(wait);
}

Task<void> one_turn(Queue& queue, ClientId me) {
  co_await until_arrived(queue, me, me.value);
  LockClient& client = queue.world->client(me);
  const LockMode mode = me.value >= queue.shared_from ? LockMode::shared : LockMode::exclusive;
  const LockRef lock = queue.world->lock(LockId{0});
  const AcquireResult result = co_await client.acquire(Want{lock, mode}, {});
  const Grant* grant = std::get_if<Grant>(&result);
  if (grant == nullptr) co_return;
  queue.order.push_back(me.value);
  if (me.value == 0) co_await until_arrived(queue, me, queue.clients);
  const Grant held = *grant;
  co_await client.release(held);
}

void expect_order_of_arrival(const char* protocol_name, const Arrived& arrived,
                             std::uint32_t shared_from) {
  const ProtocolEntry& entry = *find_protocol(protocol_name);
  ParamSet params = entry.info.resolve(entry.info.profiles.front().name);
  if (on_hardware() && params.values().count("lease") > 0) params.set("lease", kHardwareLease);
  const auto protocol = entry.make(params);
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    WorldShape shape;
    shape.client_nodes = 5;
    shape.seed = seed;
    World world(*protocol, shape);
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = 20'000;
    const auto backend = make_world(world.plan(), *protocol, options);
    world.attach(*backend);
    Queue queue{&world, arrived, shape.clients(), shared_from, {}};
    for (std::uint32_t i = 0; i < shape.clients(); ++i)
      backend->spawn(world.verbs(ClientId{i}), one_turn(queue, ClientId{i}), Time{});
    ASSERT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished) << "seed " << seed;
    const auto writers = std::min(shared_from, shape.clients());
    ASSERT_EQ(queue.order.size(), shape.clients()) << "seed " << seed;
    for (std::uint32_t i = 0; i < writers; ++i) ASSERT_EQ(queue.order[i], i) << "seed " << seed;
  }
}

// Client i is alone on node 2 + i, so the tail's node says who came last.
bool queued_in_mcs(const Words& entry, std::uint32_t count) {
  const EndpointAddr tail = EndpointAddr::unpack(entry.lo);
  return count == 0 || tail.node.value == count + 1;
}

bool queued_in_dslr(const Words& entry, std::uint32_t count) {
  const dslr::TicketWord word(16, false, false);
  const dslr::Tickets tickets = word.unpack(entry);
  return tickets.max_x + tickets.max_s >= count;
}

TEST(fifo, mcs_serves_in_order_of_arrival) {
  expect_order_of_arrival("mcs", queued_in_mcs, ~0U);
}

TEST(fifo, dslr_serves_writers_in_order_of_arrival) {
  expect_order_of_arrival("dslr", queued_in_dslr, ~0U);
}

TEST(fifo, dslr_serves_writers_before_readers_that_came_later) {
  expect_order_of_arrival("dslr", queued_in_dslr, 3);
}

}  // namespace
}  // namespace latchlab::testing
