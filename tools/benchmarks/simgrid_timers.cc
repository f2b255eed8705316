// SimGrid's kernel timers as an event queue: one timer per event, whose callback resumes a client.

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "tools/benchmarks/hold.h"
#include "tools/benchmarks/simgrid_engine.h"

namespace latchlab::bench {

namespace {

class Timers {
 public:
  explicit Timers(const HoldModel& model) : model_(model) {}

  void arm(std::uint64_t pause_ps, std::coroutine_handle<> client) {
    if (over_) return;  // without new timers the engine's run ends
    const double date =
        simgrid::s4u::Engine::get_clock() + static_cast<double>(pause_ps) * kPicosecond;
    simgrid::kernel::timer::Timer::set(date, [this, client] { fire(client); });
  }

  const Sample& sample() const { return sample_; }

 private:
  static constexpr double kPicosecond = 1e-12;

  void fire(std::coroutine_handle<> client) {
    if (over_) return;
    if (fired_ == model_.warm_up_events) before_ns_ = process_cpu_ns();
    if (fired_++ == model_.warm_up_events + model_.events) {
      sample_.cpu_ns = process_cpu_ns() - before_ns_;
      sample_.events = static_cast<double>(model_.events);
      sample_.resident_bytes = process_resident_bytes();
      over_ = true;
      return;
    }
    client.resume();
  }

  HoldModel model_;
  std::uint64_t fired_ = 0;
  double before_ns_ = 0;
  bool over_ = false;
  Sample sample_;
};

}  // namespace

Sample measure_simgrid_timers(const HoldModel& model) {
  simgrid::s4u::Engine& engine = make_simgrid_engine();
  simgrid::s4u::create_star_zone("empty")->seal();
  Timers timers(model);
  const std::vector<Task<void>> clients = start_hold_clients(timers, model.clients);
  engine.run();
  return timers.sample();
}

}  // namespace latchlab::bench
