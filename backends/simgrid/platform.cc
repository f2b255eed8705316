#include "backends/simgrid/platform.h"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "core/base/check.h"

namespace sg4 = simgrid::s4u;

namespace latchlab::sim {

namespace {

// Exact for the lengths we use (under 106 days): a double holds a date to well below 1 ps only up
// to about an hour, so own dates never come from SimGrid's clock.
constexpr double kPicosecond = 1e-12;

std::int64_t to_ps(double seconds) {
  return static_cast<std::int64_t>(seconds / kPicosecond + 0.5);
}

// SimGrid asks every model for its next date; ours is the source's next event.
class Pump final : public simgrid::kernel::resource::Model {
 public:
  Pump() : Model("latchlab-pump") {}
  double next_occurring_event(double now) override {
    if (source == nullptr || !source->has_next()) return -1.0;
    target_ps = source->next_ps();
    const double delta = static_cast<double>(target_ps) * kPicosecond - now;
    return delta > 0 ? delta : 0.0;
  }
  void update_actions_state(double /*now*/, double /*delta*/) override {}

  EventSource* source = nullptr;
  std::int64_t target_ps = 0;
};

// Dates up to which nothing of SimGrid's own happens.
std::int64_t horizon_ps(const Pump* pump) {
  const double now = sg4::Engine::get_clock();
  double next = -1.0;
  const auto consider = [&next](double delta) {
    if (delta >= 0 && (next < 0 || delta < next)) next = delta;
  };
  for (auto* model : sg4::Engine::get_instance()->get_all_models()) {
    if (model == pump) continue;
    // A completion that is about to be handed out comes before any later event of ours.
    if (model->get_finished_action_set() != nullptr && !model->get_finished_action_set()->empty())
      return 0;
    if (model->get_failed_action_set() != nullptr && !model->get_failed_action_set()->empty())
      return 0;
    consider(model->next_occurring_event(now));
  }
  const double timer = simgrid::kernel::timer::Timer::next();
  if (timer >= 0) consider(timer - now);
  return next < 0 ? kNever.ps : to_ps(now + next);
}

}  // namespace

struct Platform::Impl {
  PumpMode mode;
  std::shared_ptr<Pump> pump = std::make_shared<Pump>();
  sg4::Engine* engine = nullptr;
  std::vector<sg4::Host*> hosts;
  Duration latency;
  std::int64_t femtoseconds_per_byte = 0;
  std::uint64_t rounds = 0;

  void advance() {
    ++rounds;
    EventSource* source = pump->source;
    if (source == nullptr || !source->has_next()) return;
    std::int64_t limit = pump->target_ps;
    if (mode == PumpMode::look_ahead) {
      const std::int64_t horizon = horizon_ps(pump.get());
      if (horizon > limit) limit = horizon;
    }
    source->drain(limit);
  }
};

namespace {

// Dates to the picosecond; no TCP effects: this is a lossless fabric.
sg4::Engine* make_engine() {
  static std::vector<std::string> arguments = {"latchlab",
                                               "--log=xbt_cfg.thres:warning",
                                               "--cfg=surf/precision:1e-14",
                                               "--cfg=network/model:CM02",
                                               "--cfg=network/crosstraffic:0",
                                               "--cfg=network/TCP-gamma:0"};
  static std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  static int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return new sg4::Engine(&argc, argv.data());  // SimGrid wants it to live as long as the process
}

}  // namespace

Platform::Platform(std::uint32_t nodes, const NicModel& nic, PumpMode mode)
    : impl_(std::make_unique<Impl>()) {
  impl_->mode = mode;
  impl_->engine = make_engine();
  auto* zone = sg4::create_star_zone("fabric");
  const double half_latency = static_cast<double>(nic.one_way.ps) * kPicosecond / 2;
  const double bytes_per_s = static_cast<double>(nic.link_bits_per_s) / 8;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const std::string name = "node-" + std::to_string(i + 1);
    auto* host = zone->create_host(name, 1e9);
    auto* link = zone->create_split_duplex_link(name + "-port", bytes_per_s)
                     ->set_latency(half_latency)
                     ->seal();
    const sg4::LinkInRoute in_route{link, sg4::LinkInRoute::Direction::UP};
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {in_route}, true);
    host->seal();
    impl_->hosts.push_back(host);
  }
  zone->seal();
  if (nodes > 1) {  // in a star one route is like the other
    std::vector<sg4::Link*> links;
    double latency = 0;  // route_to adds to it
    impl_->hosts[0]->route_to(impl_->hosts[1], links, &latency);
    double slowest = bytes_per_s;
    for (const auto* link : links) slowest = std::min(slowest, link->get_bandwidth());
    impl_->latency = {to_ps(latency)};
    impl_->femtoseconds_per_byte = static_cast<std::int64_t>(1e15 / slowest + 0.5);
  }
  impl_->engine->add_model(impl_->pump);
  Impl* impl = impl_.get();
  sg4::Engine::on_time_advance_cb([impl](double /*delta*/) { impl->advance(); });
}

Platform::~Platform() = default;

Duration Platform::one_way(NodeId from, NodeId to) const {
  return from == to ? Duration{} : impl_->latency;
}

Duration Platform::transfer(NodeId from, NodeId to, std::uint32_t bytes) const {
  return from == to ? Duration{} : Duration{impl_->femtoseconds_per_byte * bytes / 1000};
}

void Platform::run(EventSource& source) {
  impl_->pump->source = &source;
  if (source.has_next()) impl_->engine->run();
  impl_->pump->source = nullptr;
}

std::uint64_t Platform::rounds() const {
  return impl_->rounds;
}

}  // namespace latchlab::sim
