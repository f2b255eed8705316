#include "backends/simgrid/platform.h"

#include <algorithm>
#include <map>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <span>
#include <utility>

#include "backends/simgrid/fabric.h"
#include "core/base/check.h"

namespace sg4 = simgrid::s4u;

namespace latchlab::sim {

namespace {

// Own dates never come from SimGrid's clock: it is a double, which resolves well below 1 ps only
// for about an hour.
constexpr double kPicosecond = 1e-12;

// SimGrid merges dates that are nearer than this, and its clock advances by at least as much.
constexpr double kPrecision = 1e-14;

double to_seconds(std::int64_t ps) {
  return static_cast<double>(ps) * kPicosecond;
}

std::int64_t to_ps(double seconds) {
  return static_cast<std::int64_t>(seconds / kPicosecond + 0.5);
}

std::int64_t femtoseconds_per_byte(const sg4::Link& link) {
  return static_cast<std::int64_t>(1e15 / link.get_bandwidth() + 0.5);
}

// The way of a route between the two ports. A fat tree and a dragonfly join each host to a switch
// by a link of its own, which is the host's port.
std::span<sg4::Link* const> between_ports(const std::vector<sg4::Link*>& links, TopologyKind kind) {
  if (kind == TopologyKind::star) return {};
  const bool joined = kind == TopologyKind::fat_tree || kind == TopologyKind::dragonfly;
  if (!joined) return links;
  return links.size() <= 2 ? std::span<sg4::Link* const>()
                           : std::span(links).subspan(1, links.size() - 2);
}

// The picosecond of a flow's end. Shares of links make ends such as n + 1/2 and n + 1/3. The offset
// keeps them away from the boundary of rounding, where an error of SimGrid's clock, which depends
// on its steps, would decide the picosecond.
std::int64_t end_to_ps(double seconds) {
  return static_cast<std::int64_t>(seconds / kPicosecond + 0.618);
}

}  // namespace

struct Platform::Impl {
  PumpMode mode;
  TopologySpec topology;
  sg4::Engine* engine = nullptr;
  std::vector<sg4::Host*> hosts;
  EventSource* source = nullptr;
  std::uint64_t rounds = 0;

  std::map<const sg4::Link*, std::uint32_t> link_numbers;
  std::vector<std::int64_t> link_rates;  // femtoseconds per byte, by number

  std::map<const sg4::Activity*, void*> flows;  // under way
  std::map<void*, sg4::CommPtr> comms;
  std::vector<sg4::CommPtr> ended;  // SimGrid still uses them while it reports their end

  std::uint32_t number_of(const sg4::Link* link) {
    const auto [found, fresh] = link_numbers.try_emplace(link, link_rates.size());
    if (fresh) link_rates.push_back(femtoseconds_per_byte(*link));
    return found->second;
  }

  // Moves SimGrid's clock to a date at or before the end of the first flow.
  void advance(double date) {
    if (date <= sg4::Engine::get_clock()) return;
    ++rounds;
    engine->run_until(date);
  }

  double next_end() const {
    const double now = sg4::Engine::get_clock();
    double next = -1.0;
    for (auto* model : engine->get_all_models()) {
      const double delta = model->next_occurring_event(now);
      if (delta >= 0 && (next < 0 || delta < next)) next = delta;
    }
    LATCHLAB_CHECK(next >= 0, "a flow of SimGrid never ends");
    return now + std::max(next, kPrecision);
  }

  // SimGrid may report one end twice.
  void completed(const sg4::Activity& activity) {
    const auto found = flows.find(&activity);
    if (found == flows.end()) return;
    void* who = found->second;
    flows.erase(found);
    const auto comm = comms.find(who);
    ended.push_back(std::move(comm->second));
    comms.erase(comm);
    source->flow_done(who, end_to_ps(sg4::Engine::get_clock()));
  }
};

Port port_of(std::uint32_t host, const NicModel& nic) {
  const std::int64_t measured =
      nic.measured_bits_per_s > 0 ? nic.measured_bits_per_s : nic.link_bits_per_s;
  return {host, nic.one_way, nic.loopback_one_way, nic.link_bits_per_s, measured};
}

Platform::Platform(std::vector<Port> ports, std::int64_t fabric_bits_per_s,
                   const TopologySpec& topology, PumpMode mode)
    : ports_(std::move(ports)), impl_(std::make_unique<Impl>()) {
  impl_->mode = mode;
  impl_->topology = topology;
  impl_->engine = &make_engine();
  std::vector<std::int64_t> port_bits_per_s;  // by host
  one_switch_ = topology.kind == TopologyKind::star;
  bool uniform = one_switch_;
  for (const Port& port : ports_) {
    const bool fresh = port.host == port_bits_per_s.size();
    if (fresh) port_bits_per_s.push_back(port.bits_per_s);
    uniform = uniform && fresh && port.bits_per_s == ports_.front().bits_per_s &&
              port.one_way == ports_.front().one_way &&
              port.measured_bits_per_s == ports_.front().measured_bits_per_s;
  }
  impl_->hosts = build_fabric(*impl_->engine, port_bits_per_s, fabric_bits_per_s, topology);
  LATCHLAB_CHECK(impl_->hosts.size() == port_bits_per_s.size(),
                 "the platform has fewer hosts than nodes");
  const Port& first = ports_.front();
  const std::int64_t rate = femtoseconds_per_byte(first.bits_per_s);
  uniform_ = {first.one_way, rate, rate, femtoseconds_per_byte(first.measured_bits_per_s), {}};
  if (!uniform) {
    const std::size_t nodes = ports_.size();
    const bool dense = nodes <= kDenseNodes;
    dense_nodes_ = dense ? static_cast<std::uint32_t>(nodes) : 0;
    cache_.resize(dense ? nodes * nodes : std::size_t{1} << kSharedPlacesLog2);
  }
  Impl* impl = impl_.get();
  const auto completed = [impl](const sg4::Activity& activity) { impl->completed(activity); };
#if SIMGRID_VERSION >= 33400
  sg4::Comm::on_completion_cb(completed);
#else
  sg4::Activity::on_completion_cb(completed);
#endif
}

Platform::~Platform() = default;

Route Platform::find_route(NodeId from, NodeId to) const {
  const Port& near = ports_[from.value - 1u];
  const Port& far = ports_[to.value - 1u];
  Route found;
  found.latency = near.loopback;
  if (near.host == far.host) return found;
  std::vector<sg4::Link*> links;
  double latency = 0;  // route_to adds to it
  impl_->hosts[near.host]->route_to(impl_->hosts[far.host], links, &latency);
  const TopologySpec& topology = impl_->topology;
  const auto count = static_cast<std::int64_t>(links.size());
  // The NIC's latency includes one switch, at which two links meet. In a torus each node has a
  // router, and a route begins and ends there.
  const std::int64_t beyond = topology.kind == TopologyKind::torus ? count : count - 2;
  const Duration more = topology.kind == TopologyKind::file
                            ? Duration{to_ps(latency)}
                            : topology.hop_latency * std::max<std::int64_t>(beyond, 0);
  found.latency = Duration{(near.one_way.ps + far.one_way.ps) / 2} + more;
  const std::int64_t own = femtoseconds_per_byte(near.bits_per_s);
  const std::int64_t ends = std::max(own, femtoseconds_per_byte(far.bits_per_s));
  std::int64_t slowest = ends;
  for (const auto* link : links) slowest = std::max(slowest, femtoseconds_per_byte(*link));
  found.femtoseconds_per_byte = slowest;
  found.sender_femtoseconds_per_byte = slowest > ends ? slowest : own;
  found.measured_femtoseconds_per_byte = std::max(femtoseconds_per_byte(near.measured_bits_per_s),
                                                  femtoseconds_per_byte(far.measured_bits_per_s));
  for (const sg4::Link* link : between_ports(links, topology.kind))
    if (link->get_sharing_policy() != sg4::Link::SharingPolicy::FATPIPE)
      found.links.push_back(impl_->number_of(link));
  return found;
}

std::int64_t Platform::link_femtoseconds_per_byte(std::uint32_t link) const {
  return impl_->link_rates[link];
}

void Platform::start_flow(NodeId from, NodeId to, std::uint64_t bytes, void* who) {
  auto comm = sg4::Comm::sendto_init(impl_->hosts[ports_[from.value - 1u].host],
                                     impl_->hosts[ports_[to.value - 1u].host]);
  comm->set_payload_size(static_cast<double>(bytes));
  impl_->flows.emplace(comm.get(), who);
  impl_->comms.emplace(who, comm);
  comm->start();
}

void Platform::cancel_flow(void* who) {
  const auto found = impl_->comms.find(who);
  if (found == impl_->comms.end()) return;  // it has ended, and flow_done is called
  sg4::CommPtr comm = std::move(found->second);
  impl_->comms.erase(found);
  impl_->flows.erase(comm.get());
  impl_->ended.push_back(comm);
  comm->cancel();
}

// A flow's end becomes an own event at its picosecond, so that in both modes only (date, actor)
// decides the order. Own events of that picosecond therefore wait for it.
void Platform::run(EventSource& source) {
  impl_->source = &source;
  for (;;) {
    const double end = impl_->flows.empty() ? 0 : impl_->next_end();
    const std::int64_t flow_ps = impl_->flows.empty() ? kNever.ps : end_to_ps(end);
    const bool own = source.has_next();
    if (!own && flow_ps > source.end_ps()) break;
    const std::int64_t next_ps = own ? source.next_ps() : kNever.ps;
    if (flow_ps <= next_ps) {
      impl_->advance(end);
      impl_->ended.clear();
      continue;
    }
    const bool strict = impl_->mode == PumpMode::every_date;
    const bool meets = strict || source.next_touches_flows();
    if (meets) impl_->advance(to_seconds(next_ps));
    source.drain(strict ? next_ps : flow_ps - 1, meets ? next_ps : -1);
  }
  impl_->source = nullptr;
}

std::uint64_t Platform::rounds() const {
  return impl_->rounds;
}

}  // namespace latchlab::sim
