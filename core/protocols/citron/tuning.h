#pragma once
// How m and T_wait are changed while clients are at work (CITRON 3.5.5): the cluster manager, which
// is the server part of the first server, asks every client node in two rounds. Each node's part
// answers for its clients: after the first round they are careful in both ways, after the second
// they go by the new values.

#include <array>
#include <cstdint>

#include "core/protocols/citron/options.h"
#include "core/protocols/lock.h"

namespace latchlab::citron {

enum class Round : std::uint8_t { before, prepared, changed };

// The part of a client node.
class Tuner final : public NodePart {
 public:
  Tuner(const Options& options, const NodeEnv& env)
      : options_(options), env_(env), now_(Tuning::of(options.meet, options.t_wait)) {}

  // ---- visits ----

  // A request begins: what it goes by, until it is over or its range is released.
  Tuning enter() {
    ++inside_[place(round_)];
    return now_;
  }
  Round round() const { return round_; }
  // It is over. Who is to be told that this node is ready; null: nobody.
  EndpointAddr leave(Round began);

  Task<void> background(Verbs& verbs) override;

 private:
  static std::size_t place(Round round) { return static_cast<std::size_t>(round); }
  void change(Round round);

  const Options& options_;  // the protocol's, which outlives its parts
  const NodeEnv env_;
  Tuning now_;
  Round round_ = Round::before;
  std::array<std::uint64_t, 3> inside_ = {};  // by the round in which they began
  EndpointAddr due_;                          // who waits for those of before the first round
};

// That this node is ready.
Task<void> tell_ready(Verbs& verbs, EndpointAddr manager);

// Of the first server's part: both rounds, after options.tune_after.
Task<void> tune(Verbs& verbs, const Options& options, const Peers& peers);

}  // namespace latchlab::citron
