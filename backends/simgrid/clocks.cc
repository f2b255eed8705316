#include "backends/simgrid/clocks.h"

namespace latchlab::sim {

namespace {

constexpr std::int64_t kPerBillion = 1'000'000'000;

std::int64_t drawn_around_zero(Rng& rng, std::int64_t most) {
  return static_cast<std::int64_t>(rng.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
}

}  // namespace

Clocks::Clocks(const Timeline& timeline, const Nodes& nodes,
               const std::vector<const ClockSpec*>& specs, std::uint64_t seed,
               Duration synchronisation_error)
    : timeline_(timeline),
      clocks_(nodes),
      synchronisation_error_(synchronisation_error),
      synchronised_(seed, 0, StreamPurpose::clocks) {
  for (const SimNode& node : nodes.all()) {
    NodeClock& made = clocks_[node.id];
    const ClockSpec& spec = *specs[node.id.value - 1u];
    Rng draws(seed, node.id.value, StreamPurpose::clocks);
    made.spec = &spec;
    if (spec.drift_ppb > 0) made.drift_q60 = rate_q60(drawn_around_zero(draws, spec.drift_ppb));
    made.offset = {
        static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(spec.offset.ps) + 1))};
    made.nic_drift_ppb = drawn_around_zero(draws, spec.nic_drift_ppb);
    made.nic_offset = {drawn_around_zero(draws, spec.nic_offset.ps)};
  }
}

std::int64_t Clocks::rate_q60(std::int64_t drift_ppb) {
  return static_cast<std::int64_t>((static_cast<Wide>(drift_ppb) << kRateBits) / kPerBillion);
}

Time Clocks::true_date_of(NodeId node, Time shown) const {
  if (shown == kNever) return kNever;
  const NodeClock& here = clocks_[node];
  const auto shows = [&here](std::int64_t true_ps) {
    return true_ps + here.offset.ps + here.drifted(Time{true_ps}).ps;
  };
  const Wide since = static_cast<Wide>(shown.ps) - here.offset.ps - here.since.ps;
  if (since <= 0) return here.since;
  const Wide whole = static_cast<Wide>(1) << kRateBits;
  const Wide guess = (since << kRateBits) / (whole + here.drift_q60) + here.since.ps;
  if (guess > static_cast<Wide>(kNever.ps) / 2) return kNever;
  auto date = static_cast<std::int64_t>(guess);
  while (shows(date) < shown.ps) ++date;
  while (date > here.since.ps && shows(date - 1) >= shown.ps) --date;
  return Time{date};
}

Time Clocks::end_of(NodeId node, Duration shown) const {
  return true_date_of(node, saturating_add(shown_on(node), shown));
}

Duration Clocks::disturb(NodeId node, Duration jump, std::optional<std::int64_t> drift_ppb) {
  NodeClock& here = clocks_[node];
  here.offset = shown_on(node) - timeline_.now() + jump;
  here.since = timeline_.now();
  if (drift_ppb) here.drift_q60 = rate_q60(*drift_ppb);
  return here.offset;
}

// The RNIC's clock was compared with the node's at the start, to within nic_offset, and has drifted
// since. The bound covers both errors, so that the interval always contains what the node's clock
// shows.
void Clocks::stamp(Message& message, NodeId receiver) const {
  message.received_earliest = message.received_latest = shown_on(receiver);
  const NodeClock& here = clocks_[receiver];
  if (here.spec->nic_drift_ppb == 0 && here.spec->nic_offset.ps == 0) return;
  const auto drifted = [this](std::int64_t ppb) {
    const Wide drift = static_cast<Wide>(timeline_.now().ps) * ppb / kPerBillion;
    return Duration{static_cast<std::int64_t>(drift)};
  };
  const Duration bound = here.spec->nic_offset + drifted(here.spec->nic_drift_ppb);
  const Duration error = here.nic_offset + drifted(here.nic_drift_ppb);
  message.received_earliest = message.received_earliest + error - bound;
  message.received_latest = message.received_latest + error + bound;
}

Time Clocks::synchronised_now() {
  const auto error = static_cast<std::uint64_t>(synchronisation_error_.ps);
  const auto off = static_cast<std::int64_t>(synchronised_.below(2 * error + 1));
  return Time{timeline_.now().ps + off - static_cast<std::int64_t>(error)};
}

}  // namespace latchlab::sim
