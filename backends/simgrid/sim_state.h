#pragma once
// What the simulator keeps: the world, what is under way in it, and what is to come.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/simgrid/event_queue.h"
#include "backends/simgrid/platform.h"
#include "backends/simgrid/sim_actor.h"
#include "backends/simgrid/sim_node.h"
#include "backends/simgrid/simgrid_backend.h"
#include "core/base/check.h"
#include "core/world/backend.h"

namespace latchlab::sim {

struct SimState {
  SimState(const WorldPlan& plan, const SimgridOptions& options);

  SimgridOptions options_;
  CheckContext& context_ = check_context();
  Capabilities capabilities_;
  std::deque<Nic> nics_;  // by host
  std::vector<Node> nodes_;
  std::unique_ptr<Platform> platform_;
  std::vector<std::unique_ptr<SimActor>> actors_;
  std::vector<SimActor*> clients_;  // by ClientId
  Slots<SimOperation> operations_;
  Slots<SimSleep> sleeps_;
  Slots<SimWait> waits_;
  std::deque<Qp> qps_;
  std::map<std::uint64_t, SimOperation*> calls_;  // by ticket
  std::uint64_t next_ticket_ = 1;
  Slots<CallTimer> call_timers_;
  std::uint64_t deadlines_ = 0;                                         // of calls, so far
  std::map<std::pair<std::uint32_t, std::uint64_t>, Qp*> connections_;  // by actor and endpoint
  std::deque<std::function<void()>> actions_;
  std::uint64_t seed_ = 0;
  // Which features are on at all.
  bool slot_reads_ = false;
  bool device_ = false;
  bool caches_ = false;
  bool pcie_ = false;
  bool shared_nics_ = false;
  std::vector<bool> alive_;  // as membership shows it: later than the crash
  std::uint64_t membership_version_ = 0;
  Rng jitter_;
  Rng datagrams_;
  Rng services_;

  // What so many clients touch stays in a cache without being fetched ahead.
  static constexpr std::size_t kCachedClients = 500;
  static constexpr std::size_t kFrameBytes = 256;  // of a frame: what is touched first
  std::function<void(ClientId)> announce_;

  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> cut_pairs_;  // lower node first
  std::uint32_t cuts_ = 0;   // of ports and pairs, now
  bool links_fail_ = false;  // there has been one

  EventQueue queue_;
  Time now_;
  Time limit_;
  bool stop_ = false;
  std::uint32_t live_clients_ = 0;  // spawned clients that have not ended
  bool any_client_ = false;
  std::uint64_t events_ = 0;
  std::uint64_t effects_ = 0;
  VerbCensus census_;
  Fingerprint fingerprint_;
};

}  // namespace latchlab::sim
