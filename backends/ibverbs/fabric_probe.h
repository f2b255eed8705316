#pragma once
// The ways from one port to those of all other nodes, tried one after the other before anybody
// measures anything: READs and WRITEs of 8 bytes and of a whole packet, and FAA of 8 bytes, each
// waited for, by RC QPs that are as those of a run.
//
// A way has two connections. The *strict* one has no retries, so that the first packet that gets
// lost (of a request or of its answer) ends it: that is how loss is seen, whatever counters a
// device has. What is left then goes by the *patient* one, which has retries. A device that repeats
// packets without counting that as a retry (adaptive retransmission of RoCE) hides loss from
// this; loss_counters() may show it.
//
// A way is from a node to another: its requests go this way, answers the other. Used by one thread.

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
  std::uint32_t tries = 8;    // of each of the five verbs (four without atomics), on each way
  std::uint8_t timeout = 15;  // as QpOptions has it
  std::uint8_t retries = 3;   // of the patient connection
};

struct WayReport {
  enum class End : std::uint8_t {
    not_tried,    // `why`: there is no port, or no packet could get through
    fine,         //
    lossy,        // all verbs were done, some of them at a second try
    wrong_data,   // a READ or FAA brought back what was not there
    unreachable,  // `why`: what was not answered, or why there is no connection
  };
  End end = End::not_tried;
  std::string why;
  std::uint32_t verbs = 0;  // that were done
  std::uint32_t lost = 0;   // waits of a whole timeout: packets that got lost, at least so many
  // Of a READ of 8 bytes that was not repeated, from its post to its completion. 0: there was none.
  std::int64_t min_ns = 0, median_ns = 0, max_ns = 0;
};

class FabricProbe {
 public:
  static Result<std::unique_ptr<FabricProbe>> make(const DeviceChoice& choice, NodeId self,
                                                   std::uint32_t nodes,
                                                   const ProbeOptions& options);
  const Device& device() const { return *device_; }
  // What to give to each node, in their order; nothing to the own one.
  std::vector<std::string> cards() const;
  // What each has given to this one; those that have no port give nothing. Ways on which no packet
  // could get through (check_fabric) are left as they are.
  void connect(const std::vector<std::string>& cards);
  // Once the other one has connected too. While it lasts nobody else may try the way to that node:
  // all write to the same place there.
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
    bool has_atomics = true;  // both ends: FAA is tried
  };
  struct Step {
    WorkRequest::Kind kind = WorkRequest::Kind::read;
    std::uint32_t bytes = 8;
  };
  struct alignas(4096) Area {  // what a peer uses: `shared`
    std::array<std::uint64_t, 512> counter, shared, sent, received;
  };

  FabricProbe(NodeId self, std::uint32_t nodes, const ProbeOptions& options)
      : self_(self), options_(options), ways_(nodes), area_(std::make_unique<Area>()) {}
  Status make_ways();
  std::string card_for(const Way& way) const;
  void connect_way(std::uint32_t index, const std::string& card);
  // nullopt: done. Else how the way ended.
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
  std::optional<std::uint64_t> counted_;  // what the next FAA finds
};

// What a port has counted of packets that were lost, repeated or came in a wrong order since its
// driver was loaded, by the kernel's names; those that it counts. All traffic of the port is in it.
std::map<std::string, std::uint64_t> loss_counters(const Device& device);
std::map<std::string, std::uint64_t> loss_counters_in(const std::string& directory);
// The counters that have grown from `before` to `after`, and by how much; one that `before` does
// not have counts from zero.
std::map<std::string, std::uint64_t> grown(const std::map<std::string, std::uint64_t>& before,
                                           const std::map<std::string, std::uint64_t>& after);
// All partitions of the port.
std::vector<std::uint16_t> partitions_of(const Device& device);
// As the driver says; empty: it does not.
std::string board_of(const Device& device);
// The file of the libibverbs in use, which names its version; empty: not known.
std::string verbs_library();

}  // namespace latchlab::ib
