#pragma once
// The simulator with round numbers and clocks that differ, for tests that check what happens while
// time passes, but never how long it takes. One per process, since SimGrid has one engine.

#include <memory>

#include "backends/simgrid/simgrid_backend.h"
#include "core/world/backend.h"

namespace latchlab {

// A round trip takes about two microseconds.
inline SimgridOptions plain_options() {
  SimgridOptions options;
  NicModel& nic = options.nic;
  nic.name = "plain";
  nic.link_bits_per_s = 100'000'000'000;
  nic.post = nic.completion = nanoseconds(100);
  nic.one_way = nanoseconds(800);
  nic.jitter = nanoseconds(50);
  nic.read = nanoseconds(100);
  nic.request_gap = nanoseconds(10);
  nic.serve_read = nic.serve_write = nic.serve_send = nanoseconds(20);
  nic.serve_atomic_8 = nic.serve_atomic_16 = nanoseconds(30);
  nic.slots = 512;
  nic.hold_8 = nic.hold_8_failed = nic.hold_16 = nanoseconds(300);
  nic.window = 16;
  nic.dc_connect = nanoseconds(300);
  nic.dc_reset = microseconds(50);
  nic.rnr_timer = microseconds(10);
  nic.ack_timeout = microseconds(50);
  nic.loopback_one_way = nanoseconds(400);
  nic.intra_node_message = nanoseconds(500);
  nic.on_node = nanoseconds(50);
  nic.cpu_access = nanoseconds(20);
  nic.call_service = microseconds(1);
  options.clocks.drift_ppb = 50'000;
  options.clocks.offset = microseconds(10);
  options.clocks.nic_drift_ppb = 10'000;
  options.clocks.nic_offset = microseconds(1);
  return options;
}

inline std::unique_ptr<Backend> plain_simulation(const WorldPlan& plan) {
  return make_simgrid(plan, plain_options());
}

}  // namespace latchlab
