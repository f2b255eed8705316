#pragma once
// The bank's clients with locks on RNICs.

#include <functional>
#include <string>
#include <vector>

#include "core/measure/share.h"
#include "core/study/share.h"
#include "tools/redlock/client.h"
#include "tools/redlock/runner.h"

namespace latchlab::bank {

struct BankRun {
  std::vector<MeasuredShare> shares;  // by client
  std::int64_t outside = 0;           // money that all have brought in
  RepeatStatus status = RepeatStatus::ok;
  std::string why;  // there was no run, or none that ended
};

// All nodes are in this process: one server of locks, and clients on `workers` threads. The
// accounts are in the Redis at this port. `look` is called now and then.
BankRun run_on_rnics(const Point& point, const Setting& setting, std::uint64_t seed,
                     std::uint16_t redis_port, Branch& branch, const std::function<void()>& look);

// Why this program or this machine has no RNICs; empty: it has.
std::string why_no_rnics();
// What locks of this point run on, and what is emulated for them.
std::string rnic_name(const std::string& device);
std::string rnic_software(const std::string& device);  // why it is none; empty: it is one
std::vector<std::string> emulated_for(const Point& point, const Setting& setting);

}  // namespace latchlab::bank
