#pragma once
// Brings the processes of a run together: exchanges the descriptors of nodes, connects the memory
// servers, compares the clocks, and agrees on the time at which the run begins.

#include <string>
#include <vector>

#include "backends/ibverbs/clock_offset.h"
#include "backends/ibverbs/process.h"

namespace latchlab::ib {

class Rendezvous {
 public:
  explicit Rendezvous(Process& process) : process_(process) {}

  // Exchanges descriptors with all nodes and starts the memory servers of this process.
  Status connect();
  // Connects clients and waits until all processes are ready; time starts then.
  Status start_together();
  // The run has begun on all nodes, which end it together.
  bool began_together() const { return began_together_; }
  // Of the first node's clock relative to ours.
  const ClockOffset& clock() const { return clock_; }

 private:
  // The node's descriptor for each node of the run, the node itself included.
  std::vector<std::string> descriptors_of(const LocalNode& node) const;
  Status read_descriptors(LocalNode& node, const std::vector<std::string>& descriptors);
  Status check_dc() const;
  Status connect_clients();
  void compare_clocks();  // each node here asks the first node for its clock
  Status wait_for_clock();

  Process& process_;
  ClockOffset clock_;
  bool began_together_ = false;
};

}  // namespace latchlab::ib
