#pragma once
// The model of one RNIC, as data, read from models/nics/NAME.yaml. Each constant there has a unit,
// a source and a status. The simulator uses the numbers; reports also show the provenance. Backends
// may include this header, which does not depend on YAML.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace latchlab {

enum class ConstantStatus : std::uint8_t { published, fitted, assumed };

// Provenance of one constant. `key` is its dotted path in the file, e.g. "atomic.same_address".
struct ConstantOrigin {
  std::string key;
  std::string value;  // as written, with unit
  std::string source;
  ConstantStatus status = ConstantStatus::assumed;
  std::string low, high;    // bounds as written; empty if published without a range
  bool overridden = false;  // the scenario replaced or scaled the file's value
  std::string was;          // that value, as written; empty: it is not overridden
  std::string scaled;       // "341ns by atomics 4x"; empty: not scaled
};

// What has its own QP to each node. READs and atomics in flight are limited per QP, and a QP
// executes its requests in order.
//
// pair: each client has a QP to each client of a node, its own node and itself included (ALock's
// artifact, main.cc). A word is accessed over the QP to the client in whose memory it lies
// (WorldPlan::client_at). duplex: the same, but two clients share one connection for both
// directions (ALock's RDMA library). Of both only the number of QPs differs from `client`: one
// client's verbs to one node share the limit and the order.
enum class QpOwner : std::uint8_t { client, core, node, pair, duplex };

// One point of a curve: with this many QPs in use, a NIC runs at this fraction of its rates.
struct RatePoint {
  std::int64_t qps = 0;
  std::int64_t rate_ppb = 0;  // parts per billion, in (0, 10^9]
};

// nic_constants.cc documents each constant at its key; here they are listed by section. A time "per
// verb" occupies its station for that long.
struct NicModel {
  std::string name;    // connectx-5
  std::string device;  // shown in reports

  // link, latency, request, responder
  std::int64_t link_bits_per_s = 0;
  // The rate at which the latencies were measured: that of the NIC's file, whatever a scenario puts
  // in its place. 0: link_bits_per_s.
  std::int64_t measured_bits_per_s = 0;
  std::int64_t packet_overhead = 0;  // bytes
  std::int64_t mtu = 4096;           // bytes
  Duration post, one_way, completion, jitter, read, write, atomic_16, receive;
  Duration request_gap, request_answer;
  Duration serve_read, serve_write, serve_send, serve_atomic_8, serve_atomic_16;

  // atomic
  std::int64_t slots = 1;  // a power of two
  Duration hold_8, hold_8_failed, hold_16;
  std::int64_t window = 1;
  std::int64_t slots_16 = 1;       // 1 or 2
  Duration read_hold;              // 0: READs bypass the slots
  std::int64_t masked_bytes = 16;  // 0: no masked atomics; 8 or 16

  // qp, dc, rnr (receiver not ready), timeout (peer gone)
  std::int64_t outstanding = 16;
  std::vector<RatePoint> qp_cache;  // ascending; empty: no slowdown
  Duration dc_connect, dc_reset;
  Duration rnr_timer;
  std::int64_t rnr_retries = 6;
  Duration ack_timeout;
  std::int64_t ack_retries = 6;
  std::int64_t selective = 0;  // 1: sends again only what was lost, not all that came after it

  // local, server
  Duration loopback_one_way, intra_node_message, on_node, cpu_access, line_transfer, handle_message;
  std::int64_t shared_core_ppb = 1'000'000'000;  // multiplies CPU time
  std::int64_t server_cores = 1;
  Duration call_service;

  // device_memory
  std::int64_t device_bytes = 0;  // 0: none
  Duration device_read, device_write;
  Duration device_serve_atomic_8, device_serve_atomic_16;
  Duration device_hold_8, device_hold_8_failed, device_hold_16;

  // host_cache, used when neither is 0; pcie
  std::int64_t host_cache_bytes = 0;
  Duration host_cache_miss;
  std::int64_t pcie_bits_per_s = 0;  // 0: no limit
  Duration pcie_per_verb;

  std::vector<ConstantOrigin> origins;
};

// The fraction of its rates, in parts per million, at which a NIC with `qps` QPs runs: linear
// between the points of qp.cache, 1 up to the first point, constant beyond the last.
std::int64_t rate_ppm(const NicModel& nic, std::int64_t qps);

}  // namespace latchlab
