#include "tools/benchmarks/hardware/measure.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "core/coro/when_all.h"
#include "core/protocols/cas/cas.h"
#include "core/world/world.h"

namespace latchlab::bench {

namespace {

constexpr ClientId kOnly{0};
constexpr std::uint64_t kWarmUp = 200;  // verbs; the first one connects
constexpr Duration kLimit = seconds(120);

std::unique_ptr<Protocol> cas_without_backoff() {
  const ProtocolEntry entry = cas_entry();
  ParamSet params = entry.info.resolve("paper");
  params.set("backoff", std::string("none"));
  return entry.make(params);
}

WorldShape one_lock() {
  WorldShape shape;
  shape.locks.count = 1;
  return shape;
}

double microseconds_of(Duration length) {
  return length.nanoseconds() / 1e3;
}

// A run of several processes lasts to its end time even if its clients finish earlier, so the only
// client stops it.
Task<void> and_stop(Task<void> body, Backend& backend) {
  co_await body;
  backend.request_stop();
}

// Runs one client's coroutine to completion against the server in the other process.
template <class Body>
Status run_on_hardware(const Where& where, const Body& body) {
  const std::unique_ptr<Protocol> protocol = cas_without_backoff();
  World world(*protocol, one_lock());
  return with_server(world.plan(), where, [&](IbverbsBackend& backend) -> Status {
    world.attach(backend);
    backend.spawn(world.verbs(kOnly), and_stop(body(world), backend), Time{});
    if (backend.run_until(Time{} + kLimit) == RunEnd::stopped) return fine();
    return Error{"the client has not ended in two minutes", {}};
  });
}

// ---- one at a time ----

struct Acquisitions {
  std::uint64_t wanted = 0;
  std::vector<double> samples_us;
  bool failed = false;
};

Task<void> acquire_and_release(Verbs& verbs, LockClient& client, LockRef lock,
                               Acquisitions& record) {
  record.samples_us.reserve(record.wanted);
  for (std::uint64_t i = 0; i < kWarmUp + record.wanted; ++i) {
    const Time before = verbs.now();
    const AcquireResult result = co_await client.acquire(Want{lock}, {});
    const Duration taken = verbs.now() - before;
    const Grant* const grant = std::get_if<Grant>(&result);
    record.failed = grant == nullptr;
    if (record.failed) co_return;
    if (i >= kWarmUp) record.samples_us.push_back(microseconds_of(taken));
    co_await client.release(*grant);
  }
}

Latency summary(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto size = static_cast<double>(samples.size());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(std::ceil(size * share)) - 1];
  };
  Latency latency;
  latency.samples = samples.size();
  latency.min_us = samples.front();
  latency.median_us = at(0.5);
  latency.mean_us = std::accumulate(samples.begin(), samples.end(), 0.0) / size;
  latency.p99_us = at(0.99);
  latency.p999_us = at(0.999);
  latency.max_us = samples.back();
  return latency;
}

// ---- several outstanding ----

struct Flood {
  std::uint32_t outstanding = 0;
  std::uint64_t each = 0;  // verbs per coroutine
  Duration taken;
  bool failed = false;
};

// The CAS replaces 0 by 0, so that each one succeeds.
Task<void> one_after_the_other(Verbs& verbs, RemoteAddr word, std::uint64_t times, bool& failed) {
  for (std::uint64_t i = 0; i < times; ++i) {
    const Completion done = co_await verbs.compare_swap(word, 0, 0);
    failed = failed || !done.ok();
  }
}

Task<void> flood(Verbs& verbs, RemoteAddr word, Flood& record) {
  co_await one_after_the_other(verbs, word, kWarmUp, record.failed);
  std::vector<Task<void>> tasks;
  for (std::uint32_t i = 0; i < record.outstanding; ++i)
    tasks.push_back(one_after_the_other(verbs, word, record.each, record.failed));
  const Time before = verbs.now();
  co_await when_all(tasks);
  record.taken = verbs.now() - before;
}

}  // namespace

Result<Latency> measure_acquire(const Where& where, std::uint64_t samples) {
  Acquisitions record;
  record.wanted = samples;
  const Status ran = run_on_hardware(where, [&](World& world) {
    return acquire_and_release(world.verbs(kOnly), world.client(kOnly), world.lock(LockId{0}),
                               record);
  });
  if (!ran) return ran.error();
  if (record.failed) return Error{"a free lock could not be acquired", {}};
  return summary(std::move(record.samples_us));
}

Result<Rate> measure_outstanding(const Where& where, std::uint32_t outstanding,
                                 std::uint64_t operations) {
  Flood record;
  record.outstanding = outstanding;
  record.each = std::max<std::uint64_t>(1, operations / outstanding);
  const Status ran = run_on_hardware(where, [&](World& world) {
    return flood(world.verbs(kOnly), world.lock(LockId{0}).entry, record);
  });
  if (!ran) return ran.error();
  if (record.failed) return Error{"a CAS has failed", {}};
  return Rate{outstanding, outstanding * record.each, record.taken.seconds()};
}

}  // namespace latchlab::bench
