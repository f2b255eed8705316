#include "core/protocols/citron/tuning.h"

#include <utility>

#include "core/base/paths.h"

namespace latchlab::citron {

namespace {

enum MessageType : std::uint16_t { kPrepare = 1, kChange = 2, kReady = 3 };

}  // namespace

Task<void> tell_ready(Verbs& verbs, EndpointAddr manager) {
  const Message ready = {kReady, 0, {}, {}};
  const VerbStatus told = co_await verbs.send(manager, ready);
  if (told != VerbStatus::ok) LATCHLAB_PATH("citron: the manager cannot be told of a change");
}

EndpointAddr Tuner::leave(Round began) {
  --inside_[place(began)];
  if (inside_[place(Round::before)] > 0) return {};
  return std::exchange(due_, EndpointAddr{});
}

void Tuner::change(Round round) {
  const Tuning old = Tuning::of(options_.meet, options_.t_wait);
  const Tuning tuned = Tuning::of(options_.tune_meet, options_.tune_t_wait);
  round_ = round;
  now_ = round == Round::prepared ? Tuning::between(old, tuned) : tuned;
}

// A request that began before the first round notifies ancestors at the old distance. While it
// waits or holds its range, no request may use the new distance alone.
Task<void> Tuner::background(Verbs& verbs) {
  for (;;) {
    const WaitOutcome came = co_await verbs.receive(env_.endpoint, {});
    const Round round = came.message.type == kPrepare ? Round::prepared : Round::changed;
    const EndpointAddr manager = EndpointAddr::unpack(came.message.words[0]);
    bool ready = true;
    const auto visit = [this, round, manager, &ready] {
      change(round);
      const bool older = inside_[place(Round::before)] > 0;
      ready = !older || options_.acknowledge == Acknowledge::at_once;
      if (!ready) due_ = manager;
    };
    co_await verbs.on_node(visit);
    if (ready) {
      co_await tell_ready(verbs, manager);
    } else {
      LATCHLAB_PATH("citron: a change of m and T_wait waits for older requests");
    }
  }
}

Task<void> tune(Verbs& verbs, const Options& options, const Peers& peers) {
  co_await verbs.sleep(options.tune_after);
  const std::uint32_t nodes = peers.shape().client_nodes;
  const EndpointAddr own = verbs.open_endpoint(nodes, Transport::rc_patient);
  for (const MessageType type : {kPrepare, kChange}) {
    for (std::uint32_t i = 0; i < nodes; ++i) {
      const Message message = {type, 0, {}, {own.packed()}};
      const EndpointAddr node = peers.node_endpoint(peers.client_node(i));
      const VerbStatus told = co_await verbs.send(node, message);
      if (told != VerbStatus::ok) {
        LATCHLAB_PATH("citron: a node cannot be told of a change");
        co_return;
      }
    }
    for (std::uint32_t ready = 0; ready < nodes; ++ready) co_await verbs.receive(own, {});
  }
  LATCHLAB_PATH("citron: m and T_wait are changed");
}

}  // namespace latchlab::citron
