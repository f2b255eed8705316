#pragma once
// The two nodes of a measurement, server and client, in separate processes as in perftest.

#include <functional>
#include <string>
#include <vector>

#include "backends/ibverbs/ibverbs_backend.h"

namespace latchlab::bench {

inline constexpr NodeId kServer{1};
inline constexpr NodeId kClient{2};

struct Where {
  std::string device;                  // empty: the first device whose port is up
  std::vector<std::string> addresses;  // server, client; empty: the device's first two
};

// Forks the server process, which serves its node's memory until the client has finished, and runs
// `measure` on the client's backend in this process. Call before any device is opened: an open
// device cannot be shared across fork.
Status with_server(const WorldPlan& plan, const Where& where,
                   const std::function<Status(IbverbsBackend&)>& measure);

}  // namespace latchlab::bench
