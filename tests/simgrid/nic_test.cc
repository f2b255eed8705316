// Features of an RNIC beyond ports, pipeline and slots.

#include <algorithm>

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

class NicFeatures : public SimWorld {
 protected:
  NicFeatures() { nic().request_gap = {}; }
  // All verbs at once, each from its own client: the time from the first completion to the last.
  Duration spread(const std::vector<Verb>& verbs, NodeId from = kHere) {
    std::vector<Shot*> shots;
    for (const Verb& verb : verbs) shots.push_back(&shoot(verb, kStart, from));
    EXPECT_EQ(run(), RunEnd::finished);
    const auto [first, last] = std::minmax_element(
        shots.begin(), shots.end(), [](const Shot* a, const Shot* b) { return a->done < b->done; });
    return (*last)->done - (*first)->done;
  }
};

// ---- QP contexts ----

TEST_F(NicFeatures, many_qps_slow_the_pipeline_down_along_the_curve) {
  nic().qp_cache = {{10, 1'000'000'000}, {20, 500'000'000}};
  // The QPs of 21 clients are in use when the verbs of all have been posted.
  EXPECT_EQ(spread(std::vector<Verb>(21, read_verb(kWord))), nic().serve_read * 20 * 2);
}

TEST_F(NicFeatures, few_qps_cost_nothing) {
  nic().qp_cache = {{30, 1'000'000'000}, {40, 500'000'000}};
  EXPECT_EQ(spread(std::vector<Verb>(21, read_verb(kWord))), nic().serve_read * 20);
}

TEST_F(NicFeatures, many_qps_slow_the_outbound_port_down) {
  nic().request_gap = nanoseconds(40);
  nic().serve_read = {};
  nic().qp_cache = {{1, 1'000'000'000}, {2, 500'000'000}};
  // The first verb leaves with one QP in use, the others with two or more.
  EXPECT_EQ(spread(std::vector<Verb>(11, read_verb(kWord))),
            nic().request_gap + nic().request_gap * 9 * 2);
}

// ---- answers ----

TEST_F(NicFeatures, answers_of_reads_occupy_the_pipeline_of_the_requesters_rnic) {
  nic().request_answer = nanoseconds(40);
  EXPECT_EQ(spread(std::vector<Verb>(21, read_verb(kWord))), nic().request_answer * 20);
}

TEST_F(NicFeatures, acknowledgements_of_writes_do_not) {
  nic().request_answer = nanoseconds(40);
  EXPECT_EQ(spread(std::vector<Verb>(21, write_verb(kWord, 1))), nic().serve_write * 20);
}

TEST_F(NicFeatures, an_answer_waits_for_what_others_ask_of_the_same_rnic) {
  nic().request_answer = nanoseconds(10);
  const Shot& mine = shoot(read_verb(kWord));
  const Duration alone = travel() + nic().serve_read + nic().read;
  // Two thirds of them have come when the answer does, and ten of these are served.
  const Duration later = alone - nic().post - nic().one_way - nic().serve_read * 10;
  for (int i = 0; i < 50; ++i) shoot(read_verb({kHere, 1024}), kStart + later, kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_GE(mine.took(), alone + nic().serve_read * 20);
  EXPECT_LE(mine.took(), alone + nic().serve_read * 30);
}

TEST_F(NicFeatures, an_acknowledgement_stays_behind_an_answer_of_its_qp_that_waits) {
  options().qps = QpOwner::node;
  nic().request_answer = nanoseconds(10);
  nic().write = {};
  const Shot& read = shoot(read_verb(kWord));
  const Shot& write = shoot(write_verb(kWord, 1));
  const Duration alone = travel() + nic().serve_read + nic().read;
  const Duration later = alone - nic().post - nic().one_way - nic().serve_read * 10;
  for (int i = 0; i < 50; ++i) shoot(read_verb({kHere, 1024}), kStart + later, kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_GE(read.took(), alone + nic().serve_read * 5);
  EXPECT_GT(write.done, read.done);
}

TEST_F(NicFeatures, answers_of_atomics_occupy_that_pipeline_too) {
  nic().request_answer = nanoseconds(900);
  EXPECT_EQ(spread({faa_verb(kWord, 1), faa_verb(kWord + 8, 1)}), nic().request_answer);
}

TEST_F(NicFeatures, answers_in_loopback_occupy_that_pipeline_too) {
  nic().request_answer = nanoseconds(900);
  EXPECT_EQ(spread(std::vector<Verb>(3, read_verb({kHere, 1024}))), nic().request_answer * 2);
}

// ---- slots ----

TEST_F(NicFeatures, wide_atomic_does_not_use_the_slot_of_its_second_word_with_one_slot) {
  EXPECT_LT(spread({masked_faa_verb(kWord, 16, {1, 1}, {}), faa_verb(kWord + 8, 1)}), nic().hold_8);
}

TEST_F(NicFeatures, wide_atomic_excludes_atomics_on_its_second_word_with_two_slots) {
  nic().slots_16 = 2;
  nic().serve_atomic_16 = nic().serve_atomic_8;  // so that they keep their order
  EXPECT_TRUE(world().capabilities().has(Capability::mixed_width_atomic));
  EXPECT_EQ(spread({masked_faa_verb(kWord, 16, {1, 1}, {}), faa_verb(kWord + 8, 1),
                    masked_faa_verb(kWord, 16, {1, 1}, {})}),
            nic().hold_8 + nic().hold_16);
  EXPECT_EQ(world().peek(kWord + 8), 3U);
}

TEST_F(NicFeatures, read_bypasses_a_held_slot_unless_reads_hold_slots) {
  EXPECT_LT(spread({faa_verb(kWord, 1), read_verb(kWord)}), nic().hold_8);
}

TEST_F(NicFeatures, reads_that_hold_slots_wait_for_atomics_and_for_each_other) {
  nic().read_hold = nanoseconds(60);
  const Shot& atomic = shoot(faa_verb(kWord, 1));
  const Time later = kStart + nanoseconds(30);
  const Shot& one = shoot(read_verb(kWord), later);
  const Shot& two = shoot(read_verb(kWord), later);
  const Shot& elsewhere = shoot(read_verb(kWord + 8), later);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(one.done - atomic.done, nic().read_hold + nic().read);
  EXPECT_EQ(two.done - one.done, nic().read_hold);
  EXPECT_EQ(one.completion.value.lo, 1U);
  EXPECT_LT(elsewhere.done, atomic.done);
}

// ---- masked atomics ----

TEST_F(NicFeatures, widths_of_masked_atomics_are_capabilities) {
  nic().masked_bytes = 8;
  EXPECT_TRUE(world().capabilities().has(Capability::masked_atomics_8));
  EXPECT_EQ(world().capabilities().first_missing({Capability::masked_atomics_16}),
            "masked_atomics_16 (plain has no masked atomics of 16 bytes)");
}

// ---- memory ----

TEST_F(NicFeatures, device_memory_has_its_own_times) {
  device_bytes = 8192;
  nic().device_read = nanoseconds(11);
  nic().device_write = nanoseconds(22);
  nic().device_serve_atomic_8 = nanoseconds(5);
  nic().device_hold_8 = nanoseconds(100);
  nic().device_hold_8_failed = nanoseconds(90);
  nic().device_serve_atomic_16 = nanoseconds(7);
  nic().device_hold_16 = nanoseconds(110);
  EXPECT_EQ(time_of(read_verb(kWord)), travel() + nic().serve_read + nic().device_read);
  EXPECT_EQ(time_of(write_verb(kWord, 0)), travel() + nic().serve_write + nic().device_write);
  EXPECT_EQ(time_of(cas_verb(kWord, 0, 1)), travel() + nanoseconds(105));
  EXPECT_EQ(time_of(cas_verb(kWord, 0, 1)), travel() + nanoseconds(95));
  EXPECT_EQ(time_of(masked_faa_verb(kWord, 16, {1, 1}, {})),
            travel() + nanoseconds(117) + nic().atomic_16);
  const RemoteAddr host = on_server(8192);
  EXPECT_EQ(time_of(cas_verb(host, 0, 1)), travel() + nic().serve_atomic_8 + nic().hold_8);
}

TEST_F(NicFeatures, host_cache_keeps_hot_lines_and_evicts_cold_ones) {
  nic().host_cache_bytes = 16 * 64;  // 16 lines, one set
  nic().host_cache_miss = nanoseconds(185);
  const Duration hit = travel() + nic().serve_atomic_8 + nic().hold_8;
  EXPECT_EQ(time_of(faa_verb(kWord, 1)), hit + nic().host_cache_miss);
  EXPECT_EQ(time_of(faa_verb(kWord + 8, 1)), hit);
  for (std::uint64_t line = 1; line <= 15; ++line) time_of(read_verb(kWord + 64 * line));
  EXPECT_EQ(time_of(faa_verb(kWord, 1)), hit) << "16 lines fit";
  time_of(read_verb(kWord + 64 * 16));
  EXPECT_EQ(time_of(faa_verb(kWord, 1)), hit) << "it was used last but one";
  EXPECT_EQ(time_of(read_verb(kWord + 64)),
            travel() + nic().serve_read + nic().read + nic().host_cache_miss)
      << "the oldest line had to go";
}

// ---- PCIe ----

TEST_F(NicFeatures, verbs_wait_for_pcie_once_and_loopback_twice) {
  nic().pcie_per_verb = nanoseconds(50);
  EXPECT_EQ(spread(std::vector<Verb>(11, write_verb(kWord, 1))), nic().pcie_per_verb * 10);
}

TEST_F(NicFeatures, loopback_occupies_pcie_twice) {
  nic().pcie_per_verb = nanoseconds(50);
  EXPECT_EQ(spread(std::vector<Verb>(11, write_verb({kHere, 256}, 1))), nic().pcie_per_verb * 20);
}

TEST_F(NicFeatures, pcie_is_already_included_in_the_latency_of_a_single_verb) {
  nic().pcie_per_verb = nanoseconds(50);
  nic().pcie_bits_per_s = 80'000'000'000;
  EXPECT_EQ(time_of(write_verb(kWord, 1)), travel() + nic().serve_write + nic().write);
}

TEST_F(NicFeatures, long_payload_in_loopback_takes_its_time_on_pcie) {
  nic().pcie_bits_per_s = 80'000'000'000;  // 100 ps per byte
  constexpr std::uint32_t kLong = 4096;
  Verb fetch = read_verb({kHere, 256}, kLong);
  fetch.local = {kHere, 16384};
  EXPECT_EQ(time_of(fetch), nic().post + nic().loopback_one_way * 2 + nic().completion +
                                nic().serve_read + nic().read + picoseconds(100) * kLong);
}

// ---- the RNIC's clock ----

Task<void> stamped(Verbs& receiver, EndpointAddr inbox, Backend& backend, NodeId at, int count,
                   std::vector<Duration>& widths) {
  for (int i = 0; i < count; ++i) {
    const WaitOutcome got = co_await receiver.receive(inbox, {});
    const Time shown = backend.local_now(at) - nanoseconds(50);  // completion
    EXPECT_LE(got.message.received_earliest, shown);
    EXPECT_GE(got.message.received_latest, shown);
    widths.push_back(got.message.received_latest - got.message.received_earliest);
  }
}

Task<void> send_now_and_later(Verbs& sender, EndpointAddr inbox) {
  const Message message = numbered(1);
  co_await sender.send(inbox, message);
  co_await sender.sleep(milliseconds(10));
  co_await sender.send(inbox, message);
}

TEST_F(NicFeatures, receive_timestamps_of_another_clock_are_intervals_that_contain_the_time) {
  options().clocks.nic_offset = microseconds(2);
  options().clocks.nic_drift_ppb = 20'000;
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(4);
  std::vector<Duration> widths;
  spawn(receiver, stamped(receiver, inbox, world(), kThere, 2, widths));
  spawn(sender, send_now_and_later(sender, inbox));
  EXPECT_EQ(run(), RunEnd::finished);
  ASSERT_EQ(widths.size(), 2U);
  EXPECT_NEAR(widths[0].nanoseconds(), 4'000, 1);
  EXPECT_NEAR(widths[1].nanoseconds(), 4'400, 1) << "20 ppm of 10 ms, either way";
}

}  // namespace
}  // namespace latchlab::simtest
