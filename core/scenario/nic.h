#pragma once
// What we believe about one RNIC, as data. Read from models/nics/NAME.yaml, where every constant
// carries unit, source and status; the simulator sees only the numbers below, the reader of a
// result sees the provenance as well. Backends may include this header; it knows no YAML.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace latchlab {

enum class ConstantStatus : std::uint8_t { published, fitted, assumed };

// Where one constant comes from. `key` is its dotted path in the file, e.g. "atomic.same_address".
struct ConstantOrigin {
  std::string key;
  std::string value;  // as written, with unit
  std::string source;
  ConstantStatus status = ConstantStatus::assumed;
  std::string low, high;    // range or interval as written; empty when the constant is published
  bool overridden = false;  // the scenario replaced the file's value
};

// Who has a QP of its own to each node: with it come the limit of READs and atomics in flight and
// execution in order.
enum class QpOwner : std::uint8_t { client, core, node };

// One point of a curve: with this many QPs in use a NIC runs at this share of its rates.
struct RatePoint {
  std::int64_t qps = 0;
  std::int64_t rate_ppb = 0;  // parts per billion, in (0, 10^9]
};

// All times in picoseconds. A time that is "per verb" occupies its station that long.
struct NicModel {
  std::string name;    // connectx-5
  std::string device;  // for people

  // link.*
  std::int64_t link_bits_per_s = 0;

  // latency.*: what one small verb meets on its way when nothing else runs
  Duration post;        // client CPU and doorbell until the RNIC has the request
  Duration one_way;     // RNIC to RNIC, excluding the route's own latency beyond one switch
  Duration completion;  // RNIC has the reply until the client's CPU sees the completion
  Duration jitter;      // each leg takes up to this much longer, uniform, seeded
  Duration read;        // extra at the responder before a READ's data is there (PCIe); no occupancy
  Duration write;       // same for a WRITE (until it is placed)
  Duration atomic_16;   // same for a 16-byte atomic after its hold, wherever the memory is

  // request.*: outbound side
  Duration request_gap;  // per verb at the requester's RNIC

  // responder.*: time per verb in the inbound pipeline
  Duration serve_read;
  Duration serve_write;
  Duration serve_send;
  Duration serve_atomic_8;
  Duration serve_atomic_16;

  // atomic.*: slots selected by address bits 3..11 (`slots` of them, a power of two)
  std::int64_t slots = 1;
  Duration hold_8;            // same_address: an 8-byte atomic that writes
  Duration hold_8_failed;     // same_address_failed: an 8-byte CAS that does not match
  Duration hold_16;           // same_address_16: a 16-byte atomic
  std::int64_t window = 1;    // atomics admitted to the slots at once; later ones wait in one FIFO
  std::int64_t slots_16 = 1;  // slots that a 16-byte atomic takes: the first, or one per 8 bytes
  Duration read_hold;         // a READ waits for its slot and holds it this long; 0: it bypasses
  std::int64_t masked_bytes = 16;  // masked: widest masked atomic; 0: none, 8 or 16

  // qp.*
  std::int64_t outstanding = 16;    // READs and atomics in flight per QP
  std::vector<RatePoint> qp_cache;  // cache: rates by QPs in use, ascending; empty: no loss

  // dc.*
  Duration dc_connect;  // a DCI turns to another target
  Duration dc_reset;    // bringing a DCI back after an error

  // rnr.*: receiver not ready
  Duration rnr_timer;  // wait before each retry
  std::int64_t rnr_retries = 6;

  // timeout.*: peer gone
  Duration ack_timeout;
  std::int64_t ack_retries = 6;

  // local.*
  Duration loopback_one_way;    // verbs to the own node's memory
  Duration intra_node_message;  // SEND between two clients of one node, one way
  Duration on_node;             // one visit to the state that the clients of a node share
  Duration cpu_access;          // CPU load, store or atomic on registered memory

  // server.*: the CPU that answers calls
  std::int64_t server_cores = 1;
  Duration call_service;  // per request

  // device_memory.*: memory on the NIC, for lock tables with `locks.memory: device`; no PCIe on the
  // way
  std::int64_t device_bytes = 0;  // size; 0: none
  Duration device_read;           // in place of latency.read
  Duration device_write;          // in place of latency.write
  Duration device_serve_atomic_8, device_serve_atomic_16;
  Duration device_hold_8, device_hold_8_failed, device_hold_16;

  // host_cache.*: what of a node's memory its CPU's cache holds; used when neither is 0
  std::int64_t host_cache_bytes = 0;
  Duration host_cache_miss;  // a verb takes this much longer, an atomic holds its slot longer

  // pcie.*: between NIC and host memory; loopback crosses twice, other verbs at the responder
  std::int64_t pcie_bits_per_s = 0;  // usable; 0: no limit
  Duration pcie_per_verb;            // occupied per crossing, besides the bytes

  std::vector<ConstantOrigin> origins;
};

// Share of its rates, in parts per million, at which a NIC with `qps` QPs runs: linear between the
// points of qp.cache, 1 before the first, the last one's beyond it.
std::int64_t rate_ppm(const NicModel& nic, std::int64_t qps);

}  // namespace latchlab
