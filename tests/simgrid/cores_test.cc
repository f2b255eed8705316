// Cores and QPs that clients share; pauses, slow CPUs, and clocks that jump.

#include <array>

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

class Cores : public SimWorld {};

Task<void> compute_then_note(Verbs& verbs, Backend& backend, Duration length, Time& done) {
  co_await verbs.compute(length);
  done = backend.true_now();
}

Task<void> verb_then_note(Verbs& verbs, Backend& backend, Verb verb, Time& done) {
  co_await verbs.issue(verb);
  done = backend.true_now();
}

TEST_F(Cores, clients_of_one_core_compute_one_after_the_other) {
  options().cores = 1;
  Time one, two;
  for (Time* done : {&one, &two}) {
    Verbs& client = add_client();
    spawn(client, compute_then_note(client, world(), microseconds(3), *done));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(one, kStart + microseconds(3));
  EXPECT_EQ(two, kStart + microseconds(6));
}

TEST_F(Cores, clients_are_assigned_to_the_cores_of_their_node_in_turn) {
  options().cores = 2;
  std::vector<Time> done(3);
  for (Time& each : done) {
    Verbs& client = add_client();
    spawn(client, compute_then_note(client, world(), microseconds(3), each));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done, (std::vector<Time>{kStart + microseconds(3), kStart + microseconds(3),
                                     kStart + microseconds(6)}));
}

TEST_F(Cores, posting_occupies_the_core_and_does_not_delay_a_single_verb) {
  options().cores = 1;
  nic().request_gap = {};
  const Duration alone = travel() + nic().serve_read + nic().read;
  const Shot& one = shoot(read_verb(kWord));
  const Shot& two = shoot(read_verb(kWord));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(one.took(), alone);
  EXPECT_EQ(two.done - one.done, nic().post);
}

TEST_F(Cores, a_completion_waits_for_a_busy_core) {
  options().cores = 1;
  const Shot& verb = shoot(read_verb(kWord));
  Verbs& busy = add_client();
  Time done;
  spawn(busy, compute_then_note(busy, world(), microseconds(10), done));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done, kStart + nic().post + microseconds(10));
  EXPECT_EQ(verb.done, done + nic().completion);
}

TEST_F(Cores, shared_by_clients_count_their_busy_time) {
  options().cores = 2;
  Verbs& busy = add_client();
  const Shot& verb = shoot(read_verb(kWord));
  Time done;
  spawn(busy, compute_then_note(busy, world(), microseconds(10), done));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_GT(verb.took(), Duration{});
  EXPECT_EQ(world().client_cpus().cores, 2U);
  EXPECT_EQ(world().client_cpus().busy, microseconds(10) + nic().post + nic().completion);
  world().reset_stats();
  EXPECT_EQ(world().client_cpus().busy, Duration{});
}

// ---- QPs ----

Task<void> many_reads(Verbs& verbs, int count) {
  Batch batch(verbs);
  for (int i = 0; i < count; ++i) batch.add(read_verb(kWord));
  co_await batch.run();
}

TEST_F(Cores, clients_that_share_a_qp_share_its_outstanding_reads) {
  options().qps = QpOwner::node;
  nic().request_gap = {};
  Verbs& greedy = add_client();
  spawn(greedy, many_reads(greedy, 16));
  const Shot& other = shoot(read_verb(kWord));
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration alone = travel() + nic().serve_read + nic().read;
  EXPECT_EQ(other.took(), alone + alone - nic().post);
}

TEST_F(Cores, clients_with_qps_of_their_own_do_not) {
  nic().request_gap = {};
  Verbs& greedy = add_client();
  spawn(greedy, many_reads(greedy, 16));
  const Shot& other = shoot(read_verb(kWord));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(other.took(), travel() + nic().serve_read * 17 + nic().read);
}

TEST_F(Cores, on_a_shared_qp_an_atomic_delays_later_verbs_of_other_clients) {
  options().qps = QpOwner::core;
  options().cores = 1;
  const Shot& atomic = shoot(faa_verb(kWord, 1));
  const Shot& read = shoot(read_verb(kWord + 512));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(read.done - atomic.done, nic().serve_read + nic().read);
}

// ---- faults ----

TEST_F(Cores, a_paused_client_continues_afterwards_and_its_verb_lands_meanwhile) {
  Verbs& client = add_client();
  Time done;
  spawn(client, verb_then_note(client, world(), faa_verb(kWord, 1), done));
  world().at(kStart + nanoseconds(500),
             [this] { world().cpu_faults()->pause(ClientId{0}, microseconds(50)); });
  std::uint64_t during = 0;
  world().at(kStart + microseconds(10), [&] { during = world().peek(kWord); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(during, 1U);
  EXPECT_EQ(done, kStart + nanoseconds(500) + microseconds(50));
}

TEST_F(Cores, a_pause_lengthens_the_computation_that_it_interrupts) {
  Verbs& client = add_client();
  Time done;
  spawn(client, compute_then_note(client, world(), microseconds(20), done));
  world().at(kStart + microseconds(5),
             [this] { world().cpu_faults()->pause(ClientId{0}, microseconds(7)); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done, kStart + microseconds(27));
}

TEST_F(Cores, a_paused_node_stops_all_its_clients_and_no_others) {
  Time here, there;
  Verbs& one = add_client(kHere);
  Verbs& two = add_client(kThere);
  spawn(one, compute_then_note(one, world(), microseconds(4), here));
  spawn(two, compute_then_note(two, world(), microseconds(4), there));
  world().at(kStart + microseconds(1),
             [this] { world().cpu_faults()->pause_node(kHere, microseconds(9)); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(here, kStart + microseconds(13));
  EXPECT_EQ(there, kStart + microseconds(4));
}

TEST_F(Cores, a_paused_client_can_be_crashed) {
  Verbs& client = add_client();
  Time done;
  spawn(client, verb_then_note(client, world(), faa_verb(kWord, 1), done));
  world().at(kStart + nanoseconds(500),
             [this] { world().cpu_faults()->pause(ClientId{0}, microseconds(50)); });
  world().at(kStart + microseconds(10), [this] { world().crash(ClientId{0}, CrashKind::client); });
  add_client();
  run();
  EXPECT_EQ(done, Time{});
  expect_conservation();
}

TEST_F(Cores, a_slow_client_does_not_slow_others_down) {
  add_client();
  world().at(kStart, [this] { world().cpu_faults()->slow_down(ClientId{0}, 3'000'000'000); });
  const Shot& other = shoot(read_verb(kWord), kStart + microseconds(1));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(other.took(), travel() + nic().serve_read + nic().read);
}

TEST_F(Cores, a_slow_client_posts_and_handles_completions_slowly) {
  Verbs& client = add_client();
  Time done;
  world().at(kStart, [this] { world().cpu_faults()->slow_down(ClientId{0}, 3'000'000'000); });
  spawn(client, verb_then_note(client, world(), read_verb(kWord), done), kStart + microseconds(1));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done - kStart, microseconds(1) + travel() + nic().serve_read + nic().read +
                               (nic().post + nic().completion) * 2);
}

// Nodes with 2 cores: client 0 shares its core with client 2, client 1 has one of its own.
class HardwareThreads : public SimWorld {
 protected:
  HardwareThreads() {
    options().cores = 2;
    options().core_sharing = CoreSharing::threads;
    nic().shared_core_ppb = 1'500'000'000;
    for (Verbs*& client : clients_) client = &add_client();
  }
  Verbs& client(std::size_t i) { return *clients_[i]; }

 private:
  std::array<Verbs*, 3> clients_ = {};
};

TEST_F(HardwareThreads, that_share_a_core_slow_each_other_down) {
  std::vector<Time> done(3);
  for (std::size_t i = 0; i < done.size(); ++i)
    spawn(client(i), compute_then_note(client(i), world(), microseconds(2), done[i]));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done, (std::vector<Time>{kStart + microseconds(3), kStart + microseconds(2),
                                     kStart + microseconds(3)}));
}

TEST_F(HardwareThreads, post_and_handle_completions_slowly_where_they_share) {
  Time shared, alone;
  spawn(client(2), verb_then_note(client(2), world(), read_verb(kWord), shared));
  spawn(client(1), verb_then_note(client(1), world(), read_verb(kWord), alone),
        kStart + microseconds(10));
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration usual = travel() + nic().serve_read + nic().read;
  EXPECT_EQ(alone - kStart, microseconds(10) + usual);
  EXPECT_EQ(shared - kStart, usual + nanoseconds(75));  // half of post and completion
}

TEST_F(HardwareThreads, are_slowed_by_a_fault_as_well) {
  Time done;
  world().at(kStart, [this] { world().cpu_faults()->slow_down(ClientId{0}, 2'000'000'000); });
  spawn(client(0), compute_then_note(client(0), world(), microseconds(1), done));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done, kStart + microseconds(3));
}

Task<void> wait_until(Verbs& verbs, Backend& backend, Time deadline, EndpointAddr inbox,
                      Time& done) {
  const WaitOutcome outcome = co_await verbs.receive(inbox, {}, deadline);
  EXPECT_EQ(outcome.by, Woke::deadline);
  done = backend.true_now();
}

TEST_F(Cores, deadlines_move_with_a_clock_that_jumps) {
  std::vector<Time> done(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const NodeId node = i == 0 ? kHere : kThere;
    Verbs& client = add_client(node);
    const EndpointAddr inbox = client.open_endpoint(1);
    spawn(client, wait_until(client, world(), Time{} + microseconds(100), inbox, done[i]));
  }
  world().at(kStart + microseconds(10), [this] {
    world().cpu_faults()->disturb_clock(kHere, microseconds(30), {});
    world().cpu_faults()->disturb_clock(kThere, microseconds(-30), {});
  });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done[0], kStart + microseconds(70));
  EXPECT_EQ(done[1], kStart + microseconds(130));
}

TEST_F(Cores, a_clock_drifts_from_the_fault_on) {
  world().at(kStart + milliseconds(1),
             [this] { world().cpu_faults()->disturb_clock(kHere, {}, 1'000'000); });
  Verbs& client = add_client();
  Time done;
  spawn(client, compute_then_note(client, world(), milliseconds(11), done));
  EXPECT_EQ(run(kStart + milliseconds(11)), RunEnd::finished);
  const Duration gained = world().local_now(kHere) - kStart - milliseconds(11);
  EXPECT_NEAR(gained.nanoseconds(), 10'000, 0.01);
  EXPECT_EQ(world().local_now(kThere) - kStart, milliseconds(11));
}

}  // namespace
}  // namespace latchlab::simtest
