#pragma once
// Tests every directed path from one port to the ports of all other nodes, one after the other,
// before a run: READs and WRITEs of 8 bytes and of a whole packet, and FAA of 8 bytes, each waited
// for, on RC QPs like those of a run.
//
// A path (`Way`) has two connections. The *strict* one has no retries, so that the first lost
// packet (of a request or of its answer) breaks it: this detects loss whatever counters a device
// has. The rest then uses the *patient* one, which has retries. A device that retransmits without
// counting that as a retry (adaptive retransmission of RoCE) hides loss from this test;
// loss_counters() may show it.
//
// A path leads from one node to another: requests go this way, answers the other way. Used by one
// thread.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/ibverbs/device.h"
#include "backends/ibverbs/queues.h"
#include "core/base/ids.h"
#include "core/base/result.h"

namespace latchlab::ib {

struct ProbeOptions {
  std::uint32_t tries = 8;    // of each of the five verbs (four without atomics), on each path
  std::uint8_t timeout = 15;  // as QpOptions has it
  std::uint8_t retries = 3;   // of the patient connection
};

struct WayReport {
  enum class End : std::uint8_t {
    not_tried,    // `why`: there is no port, or no packet could pass
    fine,         //
    lossy,        // all verbs were done, some only at a second try
    wrong_data,   // a READ or FAA returned data that was not in the memory
    unreachable,  // `why`: the verb that failed, or why there is no connection
  };
  End end = End::not_tried;
  std::string why;
  std::uint32_t verbs = 0;  // verbs that were done
  std::uint32_t lost = 0;   // verbs that waited for a whole timeout: a lower bound of lost packets
  // 8-byte READs that were not repeated, from post to completion. 0: there was none.
  std::int64_t min_ns = 0, median_ns = 0, max_ns = 0;
};

class FabricProbe {
 public:
  static Result<std::unique_ptr<FabricProbe>> make(const DeviceChoice& choice, NodeId self,
                                                   std::uint32_t nodes,
                                                   const ProbeOptions& options);
  const Device& device() const { return *device_; }
  // The data to send to each node, in their order; empty for the own node.
  std::vector<std::string> descriptors() const;
  // Takes what each node has sent to this one; nodes without a port send nothing. Paths on which no
  // packet could pass (check_fabric) are not connected.
  void connect(const std::vector<std::string>& descriptors);
  // Tests the path, after the other node has connected too. No other node may test its path to the
  // same node at the same time: all write to the same place there.
  WayReport try_way(NodeId to);

 private:
  enum Line : std::uint8_t { strict, patient };
  struct Way {
    std::array<QueuePair, 2> out, in;  // by line: our requests; those of the other node
    std::uint64_t remote = 0;
    std::uint32_t remote_key = 0;
    std::uint32_t packet_bytes = 0;
    WayReport report;
    bool connected = false;
    bool has_atomics = true;  // at both ends: then FAA is tested
  };
  struct Step {
    WorkRequest::Kind kind = WorkRequest::Kind::read;
    std::uint32_t bytes = 8;
  };
  struct alignas(4096) Area {  // peers access `counter` and `shared`
    std::array<std::uint64_t, 512> counter, shared, sent, received;
  };

  FabricProbe(NodeId self, std::uint32_t nodes, const ProbeOptions& options)
      : self_(self), options_(options), ways_(nodes), area_(std::make_unique<Area>()) {}
  Status make_ways();
  std::string descriptor_for(const Way& way) const;
  void connect_way(std::uint32_t index, const std::string& descriptor);
  // nullopt: done. Else the result of the path.
  std::optional<WayReport::End> take_step(Way& way, Line& line, Step step, std::uint64_t stamp,
                                          std::vector<std::int64_t>& trips_ns);
  int run(QueuePair& qp, const WorkRequest& request);  // an ibv_wc_status, or kNoCompletion
  bool brought_back(Step step, std::uint64_t stamp);
  std::int64_t timeout_ns() const { return 4096LL << options_.timeout; }

  NodeId self_;
  ProbeOptions options_;
  std::unique_ptr<Device> device_;
  CompletionQueue cq_;
  std::vector<Way> ways_;  // by node
  std::unique_ptr<Area> area_;
  Registration registered_;
  std::optional<std::uint64_t> counted_;  // what the next FAA has to return
};

// The port's counters of lost, retransmitted and out-of-order packets since its driver was loaded,
// by the kernel's names; only those that the port has. They count all traffic of the port.
std::map<std::string, std::uint64_t> loss_counters(const Device& device);
std::map<std::string, std::uint64_t> loss_counters_in(const std::string& directory);
// The increase of each counter from `before` to `after`, without those that have not increased. A
// counter that `before` does not have starts at zero.
std::map<std::string, std::uint64_t> grown(const std::map<std::string, std::uint64_t>& before,
                                           const std::map<std::string, std::uint64_t>& after);
// All partition keys of the port.
std::vector<std::uint16_t> partitions_of(const Device& device);
// As the driver reports it; empty: it does not.
std::string board_of(const Device& device);
// The file of the libibverbs in use, whose name has its version; empty: not known.
std::string verbs_library();

}  // namespace latchlab::ib
