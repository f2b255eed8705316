#include "tests/simgrid/fixture.h"

#include <utility>

namespace latchlab::simtest {

namespace {

constexpr std::uint32_t kClients = 300;

Task<void> one_verb(Verbs& verbs, Backend& backend, Verb verb, Shot& shot) {
  shot.posted = backend.true_now();
  shot.completion = co_await verbs.issue(verb);
  shot.done = backend.true_now();
  shot.over = true;
}

}  // namespace

NicModel plain_nic() {
  NicModel nic;
  nic.name = "plain";
  nic.link_bits_per_s = 80'000'000'000;  // 100 ps per byte
  nic.post = nanoseconds(100);
  nic.one_way = nanoseconds(1000);
  nic.completion = nanoseconds(50);
  nic.read = nanoseconds(300);
  nic.write = nanoseconds(400);
  nic.atomic_16 = nanoseconds(90);
  nic.request_gap = nanoseconds(10);
  nic.serve_read = nanoseconds(6);
  nic.serve_write = nanoseconds(8);
  nic.serve_send = nanoseconds(9);
  nic.serve_atomic_8 = nanoseconds(20);
  nic.serve_atomic_16 = nanoseconds(30);
  nic.slots = 512;
  nic.hold_8 = nanoseconds(500);
  nic.hold_8_failed = nanoseconds(300);
  nic.hold_16 = nanoseconds(700);
  nic.window = 64;
  nic.outstanding = 16;
  nic.dc_connect = nanoseconds(800);
  nic.dc_reset = microseconds(50);
  nic.rnr_timer = microseconds(10);
  nic.rnr_retries = 3;
  nic.ack_timeout = microseconds(20);
  nic.ack_retries = 2;
  nic.loopback_one_way = nanoseconds(600);
  nic.intra_node_message = nanoseconds(250);
  nic.on_node = nanoseconds(40);
  nic.cpu_access = nanoseconds(30);
  nic.server_cores = 2;
  nic.call_service = microseconds(2);
  return nic;
}

Verb fenced(Verb verb) {
  verb.fenced = true;
  return verb;
}

Message numbered(std::uint64_t number) {
  Message message;
  message.type = 1;
  message.words[0] = number;
  return message;
}

SimWorld::SimWorld() {
  options_.nic = plain_nic();
  for (const NodeId id : {kServer, kHere, kThere, kElsewhere})
    nodes_.push_back(
        {.id = id, .bytes = kBytes, .server = id == kServer, .clients = id != kServer});
}

Backend& SimWorld::world() {
  if (!world_) {
    WorldPlan plan;
    plan.nodes = nodes_;
    plan.nodes.front().device_bytes = device_bytes;
    plan.clients = kClients;
    plan.seed = 11;
    world_ = make_simgrid(plan, options_);
  }
  return *world_;
}

Verbs& SimWorld::add_client(NodeId node) {
  return world().add_actor(ActorKind::client, node, ClientId{clients_++});
}

Verbs& SimWorld::add_server(NodeId node) {
  return world().add_actor(ActorKind::server, node, ClientId{});
}

void SimWorld::spawn(Verbs& verbs, Task<void> body, Time start) {
  world().spawn(verbs, std::move(body), start);
}

Shot& SimWorld::shoot(const Verb& verb, Time start, NodeId from) {
  Verbs& client = add_client(from);
  Shot& shot = shots_.emplace_back();
  spawn(client, one_verb(client, world(), verb, shot), start);
  return shot;
}

std::vector<Shot*> SimWorld::shoot_all(const std::vector<Verb>& verbs, Time start) {
  std::vector<Shot*> shots;
  for (const Verb& verb : verbs) shots.push_back(&shoot(verb, start));
  return shots;
}

Duration SimWorld::time_of(const Verb& verb, NodeId from) {
  const Shot& shot = shoot(verb, world().true_now(), from);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_TRUE(shot.completion.ok());
  return shot.took();
}

void SimWorld::run_alone(Verbs& verbs, Task<void> body) {
  spawn(verbs, std::move(body));
  EXPECT_EQ(run(), RunEnd::finished);
}

Duration SimWorld::travel() const {
  const NicModel& model = options_.nic;
  return model.post + model.one_way * 2 + model.completion;
}

void SimWorld::expect_conservation() {
  const VerbCensus census = world().census();
  EXPECT_EQ(census.posted, census.executed + census.failed + census.in_flight);
}

}  // namespace latchlab::simtest
