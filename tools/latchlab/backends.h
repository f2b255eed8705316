#pragma once
// The simulator as a backend of runs, and what it tells of points before they run.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/repeat.h"
#include "core/scenario/scenario.h"

namespace latchlab::tool {

// The factory of a simulating backend of this build.
Result<BackendFactory> backend_factory(const std::string& name);

// The reason why no simulation of this point can run; empty: none.
std::string why_not_simulated(const Point& point);

// Loads each platform file in a child process before anything runs, because SimGrid ends the
// process if a file is bad.
Status check_platform_files(const Scenario& scenario);

// ---- the hosts of platform files ----

struct NodeHost {
  std::string node;  // "server 0", "client node 3"; with platform.colocated both names
  std::string host;  // of the platform file
};

// In the order of the nodes. Empty: the platform is not a file, or check_platform_files() has not
// accepted it.
std::vector<NodeHost> node_hosts(const Point& point);

// "platform.xml: server 0 is rack1-a, client node 0 is rack1-b": one line for each distinct
// placement among the points. A line with many nodes lists only the first.
std::vector<std::string> describe_hosts(const Scenario& scenario);

// CSV "point,node,host" with all nodes of the first point of each distinct placement. Empty: no
// platform is a file.
std::string hosts_csv(const Scenario& scenario);

}  // namespace latchlab::tool
