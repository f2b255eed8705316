#include "tools/latchlab/simgrid_options.h"

namespace latchlab {

SimgridOptions simgrid_options(const Point& point) {
  SimgridOptions options;
  options.nic = point.platform.nic;
  options.topology = point.platform.topology;
  options.bulk = point.platform.bulk;
  options.datagrams = point.platform.datagrams;
  options.client_link_latency = point.platform.client_link_latency;
  options.packet_loss_ppb = point.platform.packet_loss_ppb;
  options.switch_queue = point.platform.switch_queue;
  options.clocks = point.platform.clocks;
  options.qps = point.platform.qps;
  options.cores = point.platform.cores;
  options.core_sharing = point.platform.core_sharing;
  options.detection_delay = point.platform.failure_detection;
  for (const GroupSpec& group : point.groups)
    options.groups.push_back(group.hardware(point.platform));
  const auto serve = [&cpu = point.platform.server_cpu](NicModel& nic) {
    nic.server_cores = cpu.cores.value_or(nic.server_cores);
    nic.call_service = cpu.call_service.value_or(nic.call_service);
  };
  serve(options.nic);
  for (NodeHardware& group : options.groups) serve(group.nic);
  return options;
}

}  // namespace latchlab
