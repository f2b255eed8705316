#pragma once
// A small world whose links can go down.

#include "backends/simgrid/simulator.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {

class Links : public SimWorld {
 protected:
  void cut(NodeId node, NodeId other, Time from, Time until = kNever) {
    Backend& backend = world();
    backend.at(
        from, [&backend, node, other] { backend.hardware_faults()->set_link(node, other, false); });
    if (until != kNever)
      backend.at(until, [&backend, node, other] {
        backend.hardware_faults()->set_link(node, other, true);
      });
  }
  void cut_port(NodeId node, Time from, Time until = kNever) { cut(node, kNoNode, from, until); }
  void expect_all_given_back() {
    expect_conservation();
    EXPECT_EQ(world().census().in_flight, 0U);
    EXPECT_EQ(static_cast<sim::Simulator&>(world()).slots_in_use(), 0U);
  }
  const Duration timeout_ = plain_nic().ack_timeout;
  const std::int64_t retries_ = plain_nic().ack_retries;
};

}  // namespace latchlab::simtest
