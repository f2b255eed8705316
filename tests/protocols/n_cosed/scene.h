#pragma once
// A few clients, each with one acquisition that begins and ends when N-CoSED's word has a given
// value, so that the order of events does not decide which clients meet.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/protocols/n_cosed/word.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {

struct OneTurn {
  LockMode mode = LockMode::exclusive;
  n_cosed::Word asks_at;    // asks when the word has this value
  n_cosed::Word leaves_at;  // releases when the word has this value
};

struct SceneEnd {
  RunEnd end = RunEnd::stuck;
  std::vector<std::uint32_t> order;  // in which clients acquired the lock
  std::vector<LockMode> modes;       // as granted, in that order
  std::uint64_t atomics = 0;         // of all clients
  std::uint64_t sends = 0;
  std::uint64_t calls = 0;
  std::string entry;
};

class Scene {
 public:
  // One client for each turn, on a node of its own.
  Scene(std::vector<OneTurn> turns, std::uint64_t seed, const ParamValues& params = {})
      : turns_(std::move(turns)) {
    const ProtocolEntry& entry = *find_protocol("n_cosed");
    ParamSet values = entry.info.resolve("reconstructed");
    for (const auto& [name, value] : params) values.set(name, value);
    protocol_ = entry.make(values);
    WorldShape shape;
    shape.client_nodes = static_cast<std::uint32_t>(turns_.size());
    shape.seed = seed;
    world_ = std::make_unique<World>(*protocol_, shape);
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = 20'000;
    backend_ = make_world(world_->plan(), *protocol_, options);
    world_->attach(*backend_);
  }

  void poke(n_cosed::Word word) { backend_->poke(entry(), word.packed()); }

  SceneEnd play() {
    for (std::uint32_t i = 0; i < turns_.size(); ++i)
      backend_->spawn(world_->verbs(ClientId{i}), one_turn(ClientId{i}), Time{});
    seen_.end = backend_->run_until(end_of_run(kNever));
    for (std::uint32_t i = 0; i < turns_.size(); ++i) {
      const ActorTally& tally = world_->verbs(ClientId{i}).tally();
      seen_.atomics += tally.atomics();
      seen_.sends += tally.sends;
      seen_.calls += tally.calls;
    }
    const std::uint64_t word = backend_->peek(entry());
    seen_.entry = protocol_->decode({&word, 1});
    return seen_;
  }

 private:
  RemoteAddr entry() const { return world_->lock(LockId{0}).entry; }

  Task<void> until(ClientId me, n_cosed::Word word) {
    RemoteWait wait;
    wait.add(read_verb(entry()));
    wait.classify = [word](const ProbeValues& seen) {
      return n_cosed::Word::unpack(seen[0].lo) == word ? Verdict::done : Verdict::pending;
    };
    co_await world_->verbs(me).await_remote(wait);
  }

  Task<void> one_turn(ClientId me) {
    const OneTurn turn = turns_[me.value];
    co_await until(me, turn.asks_at);
    const Want want{world_->lock(LockId{0}), turn.mode};
    const AcquireResult got = co_await world_->client(me).acquire(want, {});
    const Grant grant = std::get<Grant>(got);
    seen_.order.push_back(me.value);
    seen_.modes.push_back(grant.mode);
    co_await until(me, turn.leaves_at);
    co_await world_->client(me).release(grant);
  }

  std::vector<OneTurn> turns_;
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Backend> backend_;
  SceneEnd seen_;
};

}  // namespace latchlab::testing
