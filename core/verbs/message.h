#pragma once
// What clients send each other (SEND/RECV) and what they ask of a server (calls). Fixed size, so
// that a RECV buffer is a value. Messages carry the lock they are about and a generation: an
// endpoint may serve several locks, and what recovery has overtaken must be recognisable.

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/verbs/verb.h"

namespace latchlab {

// How messages reach an endpoint, as its owner opened it. DC and RC are acknowledged and in order;
// without RECV they are tried again, a few times (then receiver_not_ready) or, patient, until there
// is one. DC turns to one target at a time, for a price, and has one message in flight; RC has a
// connection for each peer and several in flight.
enum class Transport : std::uint8_t {
  dc,
  dc_patient,
  rc,
  rc_patient,
  ud,  // not acknowledged: the sender learns nothing; may be lost or overtaken on the way, and is
       // lost when it finds no RECV
};
constexpr bool is_datagram(Transport transport) {
  return transport == Transport::ud;
}
constexpr bool is_patient(Transport transport) {
  return transport == Transport::dc_patient || transport == Transport::rc_patient;
}
constexpr bool is_dynamic(Transport transport) {
  return transport == Transport::dc || transport == Transport::dc_patient;
}

struct Message {
  std::uint16_t type = 0;  // the protocol's own numbering
  std::uint32_t generation = 0;
  LockId lock;
  std::array<std::uint64_t, 3> words = {};
  // Filled in on delivery: the receiver node's clock when the RECV completed, as an interval.
  Time received_earliest = {};
  Time received_latest = {};
};

struct Request {
  std::uint16_t type = 0;
  std::array<std::uint64_t, 4> words = {};
};

struct Reply {
  VerbStatus status = VerbStatus::ok;
  std::array<std::uint64_t, 3> words = {};
  bool ok() const { return status == VerbStatus::ok; }
};

// A request that the server part has not answered yet; it may keep it and answer later.
struct PendingCall {
  Request request;
  std::uint64_t ticket = 0;  // the backend's; 0 is never used
};

}  // namespace latchlab
