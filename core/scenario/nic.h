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
  Duration hold_8;          // same_address: an 8-byte atomic that writes
  Duration hold_8_failed;   // same_address_failed: an 8-byte CAS that does not match
  Duration hold_16;         // same_address_16: a 16-byte atomic
  std::int64_t window = 1;  // atomics admitted to the slots at once; later ones wait in one FIFO

  // qp.*
  std::int64_t outstanding = 16;  // READs and atomics in flight per QP

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

  std::vector<ConstantOrigin> origins;
};

}  // namespace latchlab
