#pragma once
// How m and T_wait are changed while clients run (CITRON 3.5.5). The cluster manager, which is the
// server part of the first server, asks every client node in two rounds. Each node's part answers
// for its clients: after the first round they satisfy both the old and the new values, after the
// second the new values only.

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

  // A request begins. Returns the values that it uses until it gives up or its range is released.
  Tuning enter() {
    ++inside_[place(round_)];
    return now_;
  }
  Round round() const { return round_; }
  // The request is over. Returns the manager if it now is to be told that this node is ready, else
  // null.
  EndpointAddr leave(Round began);

  Task<void> background(Verbs& verbs) override;

 private:
  static std::size_t place(Round round) { return static_cast<std::size_t>(round); }
  void change(Round round);

  const Options& options_;  // the protocol's, which outlives its parts
  const NodeEnv env_;
  Tuning now_;
  Round round_ = Round::before;
  std::array<std::uint64_t, 3> inside_ = {};  // current requests, by the round in which they began
  EndpointAddr due_;                          // the manager, if it waits for older requests to end
};

// Tells the manager that this node is ready.
Task<void> tell_ready(Verbs& verbs, EndpointAddr manager);

// Runs in the first server's part: both rounds, after options.tune_after.
Task<void> tune(Verbs& verbs, const Options& options, const Peers& peers);

}  // namespace latchlab::citron
