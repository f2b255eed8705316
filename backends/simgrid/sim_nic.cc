// What of an RNIC goes beyond ports, pipeline and slots: contexts of QPs, PCIe, memory of its own,
// the host's cache, and its clock. Each costs one branch where it is off.

#include <algorithm>
#include <limits>
#include <string>

#include "backends/simgrid/simulator.h"

namespace latchlab::sim {

namespace {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)
constexpr std::int64_t kPerBillion = 1'000'000'000;
constexpr std::uint32_t kSmallBytes = 64;

std::int64_t drawn_around_zero(Rng& rng, std::int64_t most) {
  return static_cast<std::int64_t>(rng.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
}

}  // namespace

namespace {

bool knows_cache(const NicModel& nic) {
  return nic.host_cache_bytes > 0 && nic.host_cache_miss.ps > 0;
}

void restrict_to(const NicModel& nic, Capabilities& can) {
  const auto masked = [&](Capability capability, std::int64_t bytes) {
    if (nic.masked_bytes < bytes)
      can.set(capability, Support::absent,
              nic.name + " has no masked atomics of " + std::to_string(bytes) + " bytes");
  };
  masked(Capability::masked_atomics_8, 8);
  masked(Capability::masked_atomics_16, 16);
  if (nic.slots_16 != 2) can.set(Capability::mixed_width_atomic, Support::absent);
}

}  // namespace

Capabilities simulated_capabilities(const SimgridOptions& options) {
  Capabilities can;
  for (int i = 0; i < kCapabilities; ++i) can.set(static_cast<Capability>(i), Support::native);
  restrict_to(options.nic, can);
  for (const NodeHardware& group : options.groups) restrict_to(group.nic, can);
  can.set(Capability::atomic_with_writes, Support::absent);
  return can;
}

std::int64_t femtoseconds_per_byte(std::int64_t bits_per_s) {
  constexpr std::int64_t kFemtosecondBits = 8'000'000'000'000'000;
  return bits_per_s > 0 ? kFemtosecondBits / bits_per_s : 0;
}

// The RNIC that a node has, or shares with one made before.
void Simulator::set_up_nic(Node& made, const NodePlan& plan, const NicModel& model) {
  made.device_bytes = plan.device_bytes;
  device_ = device_ || made.device_bytes > 0;
  if (knows_cache(model)) made.cache = TagCache(static_cast<std::uint64_t>(model.host_cache_bytes));
  caches_ = caches_ || knows_cache(model);
  slot_reads_ = slot_reads_ || model.read_hold.ps > 0;
  pcie_ = pcie_ || model.pcie_bits_per_s > 0 || model.pcie_per_verb.ps > 0;
  if (plan.rnic != kNoNode) {
    LATCHLAB_CHECK(plan.rnic.value < made.id.value, "the RNIC of a node that comes later");
    made.nic = node(plan.rnic).nic;
    shared_nics_ = true;
    return;
  }
  made.nic = &nics_.emplace_back();
  made.nic->model = &model;
  made.nic->slots.resize(static_cast<std::size_t>(model.slots));
  made.nic->pcie_femtoseconds_per_byte = femtoseconds_per_byte(model.pcie_bits_per_s);
  made.nic->host = static_cast<std::uint32_t>(nics_.size() - 1);
}

void Simulator::set_up_clock(Node& made, const ClockSpec& clocks) {
  Rng draws(seed_, made.id.value, StreamPurpose::clocks);
  made.clocks = &clocks;
  if (clocks.drift_ppb > 0) made.drift_q60 = rate_q60(drawn_around_zero(draws, clocks.drift_ppb));
  made.clock_offset = {
      static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(clocks.offset.ps) + 1))};
  made.nic_drift_ppb = drawn_around_zero(draws, clocks.nic_drift_ppb);
  made.nic_clock_offset = {drawn_around_zero(draws, clocks.nic_offset.ps)};
}

// ---- QPs ----

Qp& Simulator::qp_of(SimActor& actor, NodeId to) {
  QpTable& table = actor.shared_qps != nullptr ? *actor.shared_qps : actor.qps;
  if (Qp* known = table.find(to)) return *known;
  Qp& fresh = qps_.emplace_back();
  fresh.to = to;
  fresh.most =
      static_cast<std::int32_t>(std::min({actor.nic.outstanding, nic_of(to).outstanding,
                                          std::int64_t{std::numeric_limits<std::int32_t>::max()}}));
  table.add(&fresh);
  count_qp(actor.node());
  count_qp(to);
  return fresh;
}

void Simulator::share_qps(SimActor& actor) {
  if (options_.qps == QpOwner::node) actor.shared_qps = &node(actor.node()).qps;
  if (options_.qps == QpOwner::core && actor.core != nullptr) actor.shared_qps = &actor.core->qps;
}

// Contexts that do not fit the RNIC's cache cost port and pipeline a share of their rates.
void Simulator::count_qp(NodeId at) {
  Nic& nic = *node(at).nic;
  ++nic.qps;
  if (!nic.model->qp_cache.empty()) nic.rate_ppm = rate_ppm(*nic.model, nic.qps);
}

Duration Simulator::at_rate_of(const Nic& nic, Duration alone) const {
  if (nic.rate_ppm == kWholeRatePpm) return alone;
  return {alone.ps * kWholeRatePpm / nic.rate_ppm};
}

// ---- PCIe ----

// When what leaves the pipeline at `date` has crossed to host memory. Crossings wait for each
// other; what one takes by itself is part of the NIC's latencies, except that what is long and
// comes from the own node, without a wire, takes its bytes' time here. Loopback occupies the bus
// twice: its request was fetched from the same host.
Time Simulator::cross_pcie(const SimOperation& op, NodeId to, Time date) {
  Nic& nic = *node(to).nic;
  const bool verb = op.kind == OpKind::verb;
  if (verb && on_device(op)) return date;
  const std::uint32_t bytes = verb ? op.verb.bytes : std::uint32_t{sizeof(Message)};
  const bool loopback = loops_back(op.from, to);
  const Duration moved{nic.pcie_femtoseconds_per_byte * bytes / 1000};
  const Duration busy = nic.model->pcie_per_verb + moved;
  const Time begins = std::max(nic.pcie_free, date);
  nic.pcie_free = begins + busy * (loopback ? 2 : 1);
  return loopback && bytes > kSmallBytes ? begins + moved : begins;
}

// ---- memory ----

bool Simulator::on_device(const SimOperation& op) const {
  return device_ && op.verb.addr.offset < node(op.verb.addr.node).device_bytes;
}

// From the pipeline until a READ's data is there, or a WRITE's placed; from its slot until a wide
// atomic is answered. Occupies nothing.
Duration Simulator::fetch_time(const NicModel& nic, SimOperation& op) {
  if (is_atomic(op.verb.kind)) return op.verb.bytes == 16 ? nic.atomic_16 : Duration{};
  const bool read = op.verb.kind == VerbKind::read;
  if (on_device(op)) return read ? nic.device_read : nic.device_write;
  const Duration usual = read ? nic.read : nic.write;
  return caches_ ? usual + cache_miss(op) : usual;
}

// Extra time of a verb that touches a line which the host's cache does not hold; it does then.
Duration Simulator::cache_miss(SimOperation& op) {
  Node& host = node(op.qp->to);
  if (on_device(op) || !knows_cache(*host.nic->model)) return {};
  const bool hit = host.cache.touch(op.verb.addr.offset, op.verb.bytes);
  return hit ? Duration{} : host.nic->model->host_cache_miss;
}

// ---- the RNIC's clock ----

// It stamps what arrives. Its clock was compared with the node's at the start, to within an offset,
// and has drifted since: the interval always holds what the node's clock showed.
void Simulator::stamp(Message& message, const Node& receiver) const {
  message.received_earliest = message.received_latest = local_now(receiver.id);
  const ClockSpec& clocks = *receiver.clocks;
  if (clocks.nic_drift_ppb == 0 && clocks.nic_offset.ps == 0) return;
  const auto drifted = [this](std::int64_t ppb) {
    return Duration{static_cast<std::int64_t>(static_cast<Wide>(now_.ps) * ppb / kPerBillion)};
  };
  const Duration bound = clocks.nic_offset + drifted(clocks.nic_drift_ppb);
  const Duration error = receiver.nic_clock_offset + drifted(receiver.nic_drift_ppb);
  message.received_earliest = message.received_earliest + error - bound;
  message.received_latest = message.received_latest + error + bound;
}

}  // namespace latchlab::sim
