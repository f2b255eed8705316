// await_remote with many probes and with wide ones: the client sees all of them.

#include "tests/conformance/broken.h"

namespace latchlab::conformance {
namespace {

class WideProbes : public Conformance {};
LATCHLAB_EVERY_BACKEND(WideProbes);

constexpr std::uint64_t kProbedMemory = 32 * 1024;
constexpr RemoteAddr kFirstProbe = on_server(1024);
constexpr std::uint32_t kWide = 8192;

constexpr RemoteAddr place_of(std::size_t probe) {
  return kFirstProbe + 128 * probe;
}
constexpr std::uint64_t mark_of(std::size_t probe) {
  return 100 + probe;
}

void every_probe_is_seen(Bench& bench) {
  bench.set_bytes(kProbedMemory);
  Verbs& waiter = bench.add_client();
  Verbs& writer = bench.add_client(kThere);
  RemoteWait wait;
  for (std::size_t i = 0; i < kMaxProbes; ++i) wait.add(read_verb(place_of(i)));
  wait.classify = [](const ProbeValues& seen) {
    for (std::size_t i = 0; i < kMaxProbes; ++i)
      if (seen.words(i).size() != 1 || seen[i].lo != mark_of(i)) return Verdict::pending;
    return Verdict::done;
  };
  wait.pacing = [](const ProbeValues&, std::uint64_t) { return microseconds(1); };
  wait.deadline = waiter.now() + bench.lasting(milliseconds(20));
  RemoteWaitResult result;
  bench.spawn(waiter, wait_into(waiter, wait, result));
  bench.spawn(writer, [](Verbs& verbs) -> Task<void> {
    for (std::size_t i = 0; i < kMaxProbes; ++i) co_await verbs.write(place_of(i), mark_of(i));
  }(writer));
  EXPECT_EQ(bench.run(), RunEnd::finished);
  EXPECT_EQ(result.end, WaitEnd::satisfied);
  EXPECT_EQ(result.tries % kMaxProbes, 0U);
  for (std::size_t i = 0; i < kMaxProbes; ++i) EXPECT_EQ(result.values[i].lo, mark_of(i));
}
TEST_P(WideProbes, sixteen_probes_are_all_seen) {
  every_probe_is_seen(*this);
}

// A wide probe beside two narrow ones; the wait ends when all that they show has been written.
RemoteWait wide_wait() {
  RemoteWait wait;
  wait.add(read_verb(kFirstProbe, kWide));
  wait.add(read_verb(on_server(64), 16));
  wait.add(read_verb(on_server(128)));
  wait.classify = [](const ProbeValues& seen) {
    const std::span<const std::uint64_t> wide = seen.words(0);
    if (wide.size() != kWide / 8 || seen.words(1).size() != 2) return Verdict::pending;
    const bool all = wide.front() == 1 && wide[wide.size() / 2] == 2 && wide.back() == 3 &&
                     seen[1].hi == 4 && seen[2].lo == 5;
    return all ? Verdict::done : Verdict::pending;
  };
  wait.pacing = [](const ProbeValues&, std::uint64_t) { return microseconds(1); };
  return wait;
}

void all_of_a_wide_probe_is_seen(Bench& bench) {
  bench.set_bytes(kProbedMemory);
  Verbs& waiter = bench.add_client();
  Verbs& writer = bench.add_client(kThere);
  RemoteWait wait = wide_wait();
  wait.deadline = waiter.now() + bench.lasting(milliseconds(20));
  RemoteWaitResult result;
  bench.spawn(waiter, wait_into(waiter, wait, result));
  bench.spawn(writer, [](Verbs& verbs) -> Task<void> {
    co_await verbs.write(on_server(128), 5);
    co_await verbs.write(on_server(72), 4);
    co_await verbs.write(kFirstProbe + (kWide - 8), 3);
    co_await verbs.write(kFirstProbe, 1);
    co_await verbs.write(kFirstProbe + kWide / 2, 2);
  }(writer));
  EXPECT_EQ(bench.run(), RunEnd::finished);
  EXPECT_EQ(result.end, WaitEnd::satisfied);
  ASSERT_EQ(result.values.words(0).size(), kWide / 8);
  EXPECT_EQ(result.values.words(0).back(), 3U);
  EXPECT_EQ(result.values[2].lo, 5U);
}
TEST_P(WideProbes, of_several_kib_are_seen_from_end_to_end) {
  all_of_a_wide_probe_is_seen(*this);
}

// ---- and in backends that break these promises ----

TEST(BrokenWideProbes, of_which_one_is_dropped_are_detected) {
  Fault dropped;
  dropped.waiting = [](RemoteWait& wait) {
    if (wait.probes.size() == kMaxProbes) wait.probes[kMaxProbes - 1] = wait.probes[0];
  };
  EXPECT_EQ(worlds_noticed(dropped, every_probe_is_seen), kAllSeeds);
}
TEST(BrokenWideProbes, that_are_cut_are_detected) {
  Fault cut;
  cut.waiting = [](RemoteWait& wait) { wait.probes[0].bytes = 64; };
  EXPECT_EQ(worlds_noticed(cut, all_of_a_wide_probe_is_seen), kAllSeeds);
}

}  // namespace
}  // namespace latchlab::conformance
