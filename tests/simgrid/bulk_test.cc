// Long payloads share ports or flows; short ones do not wait for them; no verb overtakes another on
// its QP.

#include <algorithm>

#include "core/base/random.h"
#include "tests/simgrid/fixture.h"
#include "tests/simgrid/network.h"

namespace latchlab::simtest {
namespace {

constexpr Duration kAlone = picoseconds(100) * kBulkBytes;  // time on the wire

Verb long_read(NodeId reader, std::uint32_t bytes = kBulkBytes) {
  Verb verb = read_verb(on_server(0), bytes);
  verb.local = {reader, 0};
  return verb;
}

Verb long_write(NodeId writer, std::uint32_t bytes = kBulkBytes) {
  Verb verb = write_verb(on_server(0), 0);
  verb.bytes = bytes;
  verb.local = {writer, 0};
  return verb;
}

class Bulk : public SimWorld, public testing::WithParamInterface<BulkModel> {
 protected:
  Bulk() { options().bulk.model = GetParam(); }
  Duration read_alone() const {
    return travel() + nic_.serve_read + nic_.read + kAlone + on_wire(8);
  }
  Duration write_alone() const {
    return travel() + nic_.serve_write + nic_.write + kAlone + on_wire(16);
  }
  const NicModel nic_ = plain_nic();
};
INSTANTIATE_TEST_SUITE_P(Models, Bulk, testing::Values(BulkModel::shared_ports, BulkModel::flows),
                         [](const auto& made) {
                           return made.param == BulkModel::flows ? "flows" : "shared_ports";
                         });

TEST_P(Bulk, payload_alone_takes_its_time_on_the_wire) {
  EXPECT_EQ(time_of(long_read(kHere)), read_alone());
  EXPECT_EQ(time_of(long_write(kThere), kThere), write_alone());
}

TEST_P(Bulk, two_reads_from_one_server_take_twice_as_long_each) {
  const Shot& one = shoot(long_read(kHere));
  const Shot& two = shoot(long_read(kThere), kStart, kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration both = read_alone() + kAlone;
  EXPECT_NEAR(one.took().nanoseconds(), both.nanoseconds(), 10);
  EXPECT_NEAR(two.took().nanoseconds(), both.nanoseconds(), 10);
}

TEST_P(Bulk, reads_and_writes_do_not_share_a_full_duplex_port) {
  const Shot& fetch = shoot(long_read(kHere));
  const Shot& push = shoot(long_write(kThere), kStart, kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(fetch.took(), read_alone());
  EXPECT_EQ(push.took(), write_alone());
}

TEST_P(Bulk, short_verbs_do_not_wait_for_long_ones) {
  const Shot& fetch = shoot(long_read(kHere));
  const Time meanwhile = kStart + microseconds(2);
  const Shot& brief = shoot(read_verb(kWord), meanwhile);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_GT(fetch.done, brief.done);
  EXPECT_EQ(brief.took(), travel() + nic_.serve_read + nic_.read);
}

TEST_P(Bulk, a_verb_behind_a_long_write_on_its_qp_lands_after_it) {
  Verbs& client = add_client();
  world().poke({kHere, kBulkBytes - 8}, 77);
  run_alone(client, [](Verbs& verbs, Backend& backend) -> Task<void> {
    const Verb data = long_write(kHere);
    const Verb flag = write_verb(on_server(kBulkBytes), 1);
    verbs.post(data);
    verbs.post(flag);
    while (backend.peek(on_server(kBulkBytes)) == 0) {
      EXPECT_LT(backend.true_now() - kStart, milliseconds(1));
      co_await verbs.sleep(nanoseconds(50));
    }
    EXPECT_EQ(backend.peek(on_server(kBulkBytes - 8)), 77U);
    const VerbStatus status = co_await verbs.flush();
    EXPECT_EQ(status, VerbStatus::ok);
  }(client, world()));
}

TEST_P(Bulk, the_response_behind_a_long_read_arrives_after_it) {
  Verbs& client = add_client();
  Time brief_done;
  run_alone(client, [](Verbs& verbs, Backend& backend, Time& done) -> Task<void> {
    const Verb data = long_read(kHere);
    verbs.post(data);
    const Verb bump = faa_verb(kWord, 1);
    co_await verbs.issue(bump);
    done = backend.true_now();
  }(client, world(), brief_done));
  EXPECT_EQ(brief_done - kStart, read_alone());
  EXPECT_EQ(world().peek(kWord), 1U);
}

// Their first packets leave one after the other, like those of short verbs.
TEST_P(Bulk, long_writes_on_several_qps_take_turns_at_the_port) {
  const Shot& one = shoot(long_write(kHere));
  const Shot& two = shoot(long_write(kHere));
  const Shot& brief = shoot(read_verb(kWord));
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration usual = travel() + nic_.serve_read + nic_.read;
  EXPECT_EQ(brief.took(), usual + nic_.request_gap * 2);
  EXPECT_GT(two.took(), one.took());
}

TEST_P(Bulk, long_writes_leave_at_the_rate_that_cached_contexts_allow) {
  nic().qp_cache = {{1, 1'000'000'000}, {2, 500'000'000}};  // three clients, of one QP each
  shoot(long_write(kHere));
  shoot(long_write(kHere));
  const Shot& brief = shoot(read_verb(kWord));
  EXPECT_EQ(run(), RunEnd::finished);
  // The QPs of all three are known before the last one leaves; the first left at the full rate.
  EXPECT_EQ(brief.took(), travel() + nic_.serve_read * 2 + nic_.read + nic_.request_gap * 3);
}

TEST_P(Bulk, writer_that_crashes_with_its_node_leaves_no_part_of_a_long_write) {
  world().poke({kHere, 0}, 5);
  shoot(long_write(kHere));
  const Shot& witness = shoot(long_read(kThere), kStart + microseconds(20), kThere);
  Backend& backend = world();
  backend.at(kStart + microseconds(2),
             [&backend] { backend.hardware_faults()->crash_node(kHere); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(backend.peek(on_server(0)), 0U);
  EXPECT_EQ(witness.took(), read_alone());
  EXPECT_EQ(backend.census().in_flight, 0U);
}

TEST_P(Bulk, reader_of_a_server_that_crashes_gets_an_error) {
  const Shot& shot = shoot(long_read(kHere));
  Backend& backend = world();
  backend.at(kStart + microseconds(3),
             [&backend] { backend.hardware_faults()->crash_node(kServer); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(shot.completion.status, VerbStatus::peer_failed);
}

// ---- the two models compared, and the two event loops ----

struct Mixture {
  std::uint32_t transfers = 1;
  // Otherwise between any two nodes, so that payloads cross two busy ports.
  bool to_the_server = true;
  bool with_short_verbs = false;
};

// Durations of the transfers, then the fingerprint.
class Traffic : public SimWorld {
 protected:
  Numbers durations(const Mixture& mixture) {
    Rng rng(7, mixture.transfers, StreamPurpose::timing);
    std::vector<const Shot*> shots;
    for (std::uint32_t i = 0; i < mixture.transfers; ++i) {
      const NodeId from{static_cast<std::uint16_t>(2 + rng.below(3))};
      NodeId to = kServer;
      while (!mixture.to_the_server && (to == from || to == kServer))
        to = NodeId{static_cast<std::uint16_t>(1 + rng.below(4))};
      const auto bytes = static_cast<std::uint32_t>(8 * (1'100 + rng.below(3'000)));
      Verb verb = rng.below(2) == 0 ? long_read(from, bytes) : long_write(from, bytes);
      verb.addr = {to, 0};
      const Time start = kStart + nanoseconds(static_cast<std::int64_t>(rng.below(4'000)));
      shots.push_back(&shoot(verb, start, from));
      if (mixture.with_short_verbs)
        for (std::int64_t k = 0; k < 4; ++k)
          shoot(faa_verb(on_server(8 * rng.below(8)), 1), start + nanoseconds(317) * k, from);
    }
    EXPECT_EQ(run(), RunEnd::finished);
    Numbers all;
    for (const Shot* shot : shots) all.push_back(shot->took().ps);
    all.push_back(static_cast<std::int64_t>(world().fingerprint().value()));
    return all;
  }

  Numbers with(BulkModel model, const Mixture& mixture) {
    return in_child([&] {
      options().bulk.model = model;
      return durations(mixture);
    });
  }

  // The largest and the mean difference in the duration of a transfer.
  struct Error {
    double largest = 0;
    double mean = 0;
  };
  Error error(const Mixture& mixture) {
    Numbers ports = with(BulkModel::shared_ports, mixture);
    Numbers flows = with(BulkModel::flows, mixture);
    EXPECT_EQ(ports.size(), mixture.transfers + 1U);
    EXPECT_EQ(flows.size(), ports.size());
    Error found;
    if (flows.size() != ports.size()) return {1, 1};
    for (std::size_t i = 0; i + 1 < ports.size(); ++i) {
      const auto exact = static_cast<double>(flows[i]);
      const double off = std::abs(static_cast<double>(ports[i]) - exact) / exact;
      found.largest = std::max(found.largest, off);
      found.mean += off / mixture.transfers;
    }
    RecordProperty("largest", std::to_string(found.largest));
    RecordProperty("mean", std::to_string(found.mean));
    return found;
  }
};

TEST_F(Traffic, shared_ports_and_flows_agree_on_one_and_two_transfers) {
  EXPECT_LT(error({.transfers = 1}).largest, 1e-6);
  EXPECT_LT(error({.transfers = 2}).largest, 1e-6);
}

TEST_F(Traffic, shared_ports_and_flows_agree_where_a_servers_port_is_the_bottleneck) {
  const Error found = error({.transfers = 60});
  EXPECT_LT(found.largest, 1e-4);
}

TEST_F(Traffic, shared_ports_stay_near_flows_where_payloads_cross_two_busy_ports) {
  const Error found = error({.transfers = 60, .to_the_server = false});
  EXPECT_LT(found.mean, 0.10) << found.largest;
  EXPECT_LT(found.largest, 0.40);
}

TEST_F(Traffic, is_equal_whether_the_event_loop_looks_ahead_or_stops_at_every_time) {
  for (const bool to_the_server : {true, false}) {
    const Mixture mixture{
        .transfers = 50, .to_the_server = to_the_server, .with_short_verbs = true};
    const auto with_pump = [&](sim::PumpMode pump) {
      return in_child([&] {
        nic().jitter = nanoseconds(20);
        options().pump = pump;
        options().bulk.model = BulkModel::flows;
        return durations(mixture);
      });
    };
    const Numbers ahead = with_pump(sim::PumpMode::look_ahead);
    EXPECT_EQ(ahead.size(), 51U);
    EXPECT_EQ(ahead, with_pump(sim::PumpMode::every_date));
  }
}

}  // namespace
}  // namespace latchlab::simtest
