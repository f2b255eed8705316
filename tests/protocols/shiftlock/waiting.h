#pragma once
// A ShiftLock client that waits behind a crashed writer. The test itself writes the effects of the
// lock's other users into the entry.

#include "tests/protocols/faulty.h"
#include "tests/protocols/shiftlock/bench.h"

namespace latchlab::shiftlock_tests {

using ::latchlab::testing::FaultyClient;

// Called before the n-th verb or call, counted from 1 without probes.
using Hook = std::function<void(Bench&, std::uint64_t n)>;

struct Waited {
  LockMode mode = LockMode::shared;
  Hook before = [](Bench&, std::uint64_t) {};
  std::uint64_t fails = 0;  // the one that fails; 0: none
  bool granted = false;
  std::uint64_t recoveries = 0;
  Duration took;
  ActorTally tally;
};

// Acquires the lock behind a crashed writer.
inline Task<void> wait_behind_the_dead(Bench& bench, Waited& seen) {
  Verbs& verbs = bench.verbs(0);
  const EndpointAddr dead = verbs.open_endpoint(8);
  const Verb queued = bench.format().join_queue(bench.lock().entry, dead);
  co_await verbs.issue(queued);
  verbs.tally() = {};
  std::uint64_t count = 0;
  FaultyClient client(bench.world(), ClientId{0}, [&](const Operation& op) {
    if (op.kind != OpKind::verb && op.kind != OpKind::call) return std::optional<VerbStatus>();
    seen.before(bench, ++count);
    return count == seen.fails ? std::optional(VerbStatus::peer_failed) : std::nullopt;
  });
  const Want want{bench.lock(), seen.mode};
  const Time begin = verbs.now();
  const AcquireResult got = co_await client->acquire(want, {});
  seen.granted = std::get_if<Grant>(&got) != nullptr;
  seen.recoveries = client->recoveries();
  seen.took = verbs.now() - begin;
  seen.tally = verbs.tally();
}

// `at`: called before the run, to schedule changes.
inline void wait_in(Bench& bench, Waited& seen, const std::function<void(Backend&)>& at = {}) {
  bench.body = [&seen](Bench& me, ClientId) { return wait_behind_the_dead(me, seen); };
  if (at) at(bench.backend());
  EXPECT_EQ(bench.run(), RunEnd::finished);
  EXPECT_EQ(seen.granted, seen.fails == 0);
}

// ---- effects of other clients ----

inline void change(Bench& bench, std::uint64_t lo, std::uint64_t hi) {
  Backend& backend = bench.backend();
  const RemoteAddr entry = bench.lock().entry;
  backend.poke(entry, backend.peek(entry) ^ lo);
  backend.poke(entry + 8, backend.peek(entry + 8) + hi);
}
inline void count_a_release(Bench& bench) {
  change(bench, 0, 1);
}
// One more recovery, after which no readers and writers are counted, and one use of the lock since.
inline void recover(Bench& bench) {
  const RemoteAddr entry = bench.lock().entry;
  const std::uint64_t relcnt = bench.entry().relcnt;
  bench.backend().poke(entry, bench.backend().peek(entry) & shiftlock::kEpochBit);
  bench.backend().poke(entry + 8, bench.format().plus(bench.format().recovered(relcnt), 1));
}
inline void begin_an_era(Bench& bench) {
  const RemoteAddr era = bench.world().server_words(bench.lock().entry.node);
  bench.backend().poke(era, bench.backend().peek(era) + 1);
}

inline constexpr std::uint64_t kReaderAtomics = 1;  // to join

}  // namespace latchlab::shiftlock_tests
