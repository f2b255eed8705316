#pragma once
// The bank's clients with locks on RNICs.

#include <functional>
#include <string>
#include <vector>

#include "core/measure/partial_metrics.h"
#include "core/run/share.h"
#include "tools/redlock/client.h"
#include "tools/redlock/runner.h"

namespace latchlab::bank {

struct BankRun {
  std::vector<PartialMetrics> shares;  // by client
  std::int64_t outside = 0;            // net money that all clients brought in
  RepeatStatus status = RepeatStatus::ok;
  std::string why;  // why no run took place, or why it did not end
};

// All nodes are in this process: one lock server, and clients on `workers` threads. The accounts
// are in the Redis server at `redis_port`. `look` is called periodically during the run.
BankRun run_on_rnics(const Point& point, const Setting& setting, std::uint64_t seed,
                     std::uint16_t redis_port, Branch& branch, const std::function<void()>& look);

// Why this build or this machine cannot use RNICs; empty: it can.
std::string why_no_rnics();
// Description of the device, and the operations that software emulates for this point's lock.
std::string rnic_name(const std::string& device);
std::string rnic_software(const std::string& device);  // the software it is; empty: real hardware
std::vector<std::string> emulated_for(const Point& point, const Setting& setting);

}  // namespace latchlab::bank
