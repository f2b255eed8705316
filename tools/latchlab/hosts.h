#pragma once
// Which host of a platform file each node of a scenario is.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab::tool {

struct NodeHost {
  std::string node;  // "server 0", "client node 3"; with platform.colocated both in one
  std::string host;  // of the platform file
};

// The hosts of a platform file that has passed check_platform_files(), in the order of the RNICs;
// empty: it is no file.
std::vector<std::string> hosts_of_platform(const PlatformSpec& platform);

// In the order of the nodes; empty: the point's platform is no file, or has not been checked.
std::vector<NodeHost> node_hosts(const Point& point);

// "platform.xml: server 0 is rack1-a, client node 0 is rack1-b": a line for each way in which the
// points place their nodes, of the first nodes alone where there are many.
std::vector<std::string> describe_hosts(const Scenario& scenario);

// For programs, all nodes: point,node,host, of the first point of each way. Empty: no platform is a
// file.
std::string hosts_csv(const Scenario& scenario);

}  // namespace latchlab::tool
