#pragma once
// Maps the nodes of a scenario to the hosts of its platform file.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab::tool {

struct NodeHost {
  std::string node;  // "server 0", "client node 3"; with platform.colocated both names
  std::string host;  // of the platform file
};

// The hosts of a platform file in the order of the RNICs. Empty: the platform is not a file, or
// check_platform_files() has not accepted it.
std::vector<std::string> hosts_of_platform(const PlatformSpec& platform);

// In the order of the nodes. Empty: as for hosts_of_platform().
std::vector<NodeHost> node_hosts(const Point& point);

// "platform.xml: server 0 is rack1-a, client node 0 is rack1-b": one line for each distinct
// placement among the points. A line with many nodes lists only the first.
std::vector<std::string> describe_hosts(const Scenario& scenario);

// CSV "point,node,host" with all nodes of the first point of each distinct placement. Empty: no
// platform is a file.
std::string hosts_csv(const Scenario& scenario);

}  // namespace latchlab::tool
