// The metrics that the observer of one run computes from the events that it gets.

#include "core/run/measuring.h"

#include <gtest/gtest.h>

#include "core/protocols/registry.h"
#include "core/world/world.h"
#include "tests/conformance/simulation.h"

namespace latchlab::simtest {
namespace {

// A client asks, is refused, does something else for a while, and asks again.
TEST(Measuring, does_not_count_the_time_between_a_refused_request_and_the_next) {
  const ProtocolEntry& entry = *find_protocol("cas");
  const auto protocol = entry.make(entry.small_params());
  World world(*protocol, WorldShape{});
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  MeasuringObserver observer(world, *backend, 0, Time{}, milliseconds(1), OnViolation::stop);
  observer.watch_clients();
  observer.window_opens();
  const ClientId client{0};
  const Want want{world.lock(LockId{0})};
  observer.cycle_begins(client);
  observer.acquire_begins(client, want);
  observer.acquire_aborted(client, want, AbortReason::unsupported);
  backend->run_until(Time{} + microseconds(500));
  observer.cycle_begins(client);
  observer.acquire_begins(client, want);
  backend->run_until(Time{} + microseconds(502));
  observer.acquired(client, Grant(want, LockMode::exclusive));
  const Histogram acquire = observer.share().acquire_write;
  EXPECT_EQ(acquire.count(), 1U);
  EXPECT_EQ(acquire.max().value_or(Duration{}).ps, microseconds(2).ps);
}

}  // namespace
}  // namespace latchlab::simtest
