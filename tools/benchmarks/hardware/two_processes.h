#pragma once
// The two nodes of a measurement, server and client, in a process each, as perftest has them.

#include <functional>
#include <string>
#include <vector>

#include "backends/ibverbs/ibverbs_backend.h"

namespace latchlab::bench {

inline constexpr NodeId kServer{1};
inline constexpr NodeId kClient{2};

struct Where {
  std::string device;                  // empty: the first whose port is up
  std::vector<std::string> addresses;  // server, client; empty: the first two of the device
};

// Makes the server's process, which answers for its node's memory until the client is done, and
// runs `measure` on the client's backend in this one. To be called before anything else touches a
// device: what is open then cannot be shared with a process that fork has made.
Status with_server(const WorldPlan& plan, const Where& where,
                   const std::function<Status(IbverbsBackend&)>& measure);

}  // namespace latchlab::bench
