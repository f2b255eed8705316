#pragma once
// The nodes of the simulated world and the RNIC of each. Each station keeps its own state of nodes
// and RNICs, in PerNode and PerNic.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "backends/simgrid/platform.h"
#include "backends/simgrid/sim_operation.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/scenario/nic.h"
#include "core/world/backend.h"

namespace latchlab::sim {

// What comes to an RNIC, one piece after the other: what others ask of it, and answers to the READs
// and atomics of its own node.
class InboundPipeline {
 public:
  // When a piece that would leave at `alone` if it were alone leaves, if it occupies the pipeline
  // for `busy`. Pieces go through it in the order of the calls.
  Time pass(Time alone, Duration busy) {
    busy_ += busy;
    return free_ = std::max(free_ + busy, alone);
  }

  void reset_stats(Time now) { busy_ = ahead(now); }
  // Since reset_stats, without what is queued.
  Duration busy(Time now) const { return busy_ - ahead(now); }

 private:
  Duration ahead(Time now) const { return std::max(free_, now) - now; }

  Time free_;
  Duration busy_;  // includes what is queued
};

// What occupies an RNIC's pipelines and its port; `device`: atomics on the RNIC's own memory.
enum class Occupancy : std::uint8_t {
  serve_send,  // a message or call
  serve_read,
  serve_write,
  serve_atomic_8,
  serve_atomic_16,
  device_atomic_8,
  device_atomic_16,
  gap,     // between requests, at the sender's port
  answer,  // to a READ or an atomic of its own node
};

class SimNic {
 public:
  SimNic(const NicModel& its_model, std::uint32_t its_host);

  // For how long, with as many QPs as end here now.
  Duration takes(Occupancy what) const { return takes_[static_cast<std::size_t>(what)]; }
  // One more QP ends here: contexts that do not fit the cache reduce the rates of port and
  // pipeline.
  void add_qp();

  const NicModel& model;
  const std::uint32_t host;  // whose port it has, in the platform
  InboundPipeline inbound;

 private:
  static constexpr std::int64_t kWholePpm = 1'000'000;

  void set_rate(std::int64_t ppm);

  std::int64_t qps_ = 0;
  std::int64_t rate_ppm_ = 0;
  std::array<Duration, 9> takes_ = {};
};

struct SimNode {
  NodeId id;
  bool hosts_locks = false;
  bool hosts_clients = false;
  bool dead = false;
  std::uint64_t device_bytes = 0;  // offsets below lie in the RNIC's memory
  std::uint32_t life = 0;          // how often the node has come back
  Time told = kNever;  // of a node that comes back: when the clients are told of its latest crash
  SimNic* nic = nullptr;  // its own, or one that several nodes share
};

class Nodes {
 public:
  // `models`: each node's RNIC, by NodeId - 1.
  Nodes(const WorldPlan& plan, const std::vector<const NicModel*>& models);

  SimNode& operator[](NodeId id) { return nodes_[id.value - 1u]; }
  const SimNode& operator[](NodeId id) const { return nodes_[id.value - 1u]; }
  bool exists(NodeId id) const { return id.value >= 1 && id.value <= nodes_.size(); }
  SimNic& nic(NodeId id) const { return *(*this)[id].nic; }
  const NicModel& model(NodeId id) const { return nic(id).model; }
  // Whether the node is down, or has been down since it was in this life.
  bool failed_since(NodeId id, std::uint32_t life) const {
    return (*this)[id].dead || (*this)[id].life != life;
  }
  // Whether traffic between the two needs no wire: same node, or same RNIC.
  bool loops_back(NodeId a, NodeId b) const {
    return a == b || (shared_nics_ && (*this)[a].nic == (*this)[b].nic);
  }

  bool on_device(RemoteAddr addr) const {  // in the RNIC's memory
    return device_ && addr.offset < (*this)[addr.node].device_bytes;
  }
  // How long the operation takes in the idle pipeline of its responder.
  Duration serve_time(const SimOperation& op) const {
    const SimNic& there = nic(responder_of(op));
    if (op.kind != OpKind::verb) return there.takes(Occupancy::serve_send);
    if (op.verb.kind == VerbKind::read) return there.takes(Occupancy::serve_read);
    if (op.verb.kind == VerbKind::write) return there.takes(Occupancy::serve_write);
    const bool wide = op.verb.bytes == 16;
    if (on_device(op.verb.addr))
      return there.takes(wide ? Occupancy::device_atomic_16 : Occupancy::device_atomic_8);
    return there.takes(wide ? Occupancy::serve_atomic_16 : Occupancy::serve_atomic_8);
  }

  const std::vector<SimNode>& all() const { return nodes_; }
  const std::deque<SimNic>& nics() const { return nics_; }
  std::vector<Port> ports() const;

 private:
  std::deque<SimNic> nics_;  // by host
  std::vector<SimNode> nodes_;
  // Whether any node has them: a disabled feature costs one branch.
  bool shared_nics_ = false;
  bool device_ = false;
};

// State that a station keeps for each node.
template <class T>
class PerNode {
 public:
  explicit PerNode(const Nodes& nodes) : of_(nodes.all().size()) {}
  T& operator[](NodeId id) { return of_[id.value - 1u]; }
  const T& operator[](NodeId id) const { return of_[id.value - 1u]; }
  auto begin() { return of_.begin(); }
  auto end() { return of_.end(); }
  auto begin() const { return of_.begin(); }
  auto end() const { return of_.end(); }

 private:
  std::vector<T> of_;
};

// State that a station keeps for each RNIC, looked up by node.
template <class T>
class PerNic {
 public:
  explicit PerNic(const Nodes& nodes) : all_(nodes.nics().size()) {
    for (const SimNode& node : nodes.all()) of_node_.push_back(&all_[node.nic->host]);
  }
  PerNic(const PerNic&) = delete;
  T& operator[](NodeId id) { return *of_node_[id.value - 1u]; }
  const T& operator[](NodeId id) const { return *of_node_[id.value - 1u]; }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }

 private:
  std::vector<T> all_;
  std::vector<T*> of_node_;
};

}  // namespace latchlab::sim
