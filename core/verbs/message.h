#pragma once
// Messages between clients (SEND/RECV) and calls to a server. Their size is fixed, so that a RECV
// buffer is a value. A message carries the lock that it is about and a generation: an endpoint may
// serve several locks, and a receiver must recognise messages from before a recovery.

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/verbs/verb.h"

namespace latchlab {

// How messages reach an endpoint, as its owner opened it.
//   dc, rc  Acknowledged and in order. If there is no RECV, the sender retries: a few times (then
//           receiver_not_ready), or with *_patient until there is one. DC attaches to one target at
//           a time, which costs time, and has one message in flight; RC has a connection to each
//           peer and several messages in flight.
//   ud      Not acknowledged: the sender learns nothing. A message may be lost or overtaken, and is
//           lost if it finds no RECV.
enum class Transport : std::uint8_t {
  dc,
  dc_patient,
  rc,
  rc_patient,
  ud,
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

// Messages, requests and replies have no padding: see core/base/zero_padding.h.
struct Message {
  std::uint32_t type = 0;  // the protocol's own numbering
  std::uint32_t generation = 0;
  LockId lock;
  std::array<std::uint64_t, 3> words = {};
  // Set on delivery: when the RECV completed, as an interval on the receiver node's clock.
  Time received_earliest = {};
  Time received_latest = {};
};
static_assert(std::has_unique_object_representations_v<Message>);

struct Request {
  std::uint64_t type = 0;
  std::array<std::uint64_t, 4> words = {};
};
static_assert(std::has_unique_object_representations_v<Request>);

struct Reply {
  VerbStatus status = VerbStatus::ok;
  std::array<std::uint64_t, 3> words = {};
  bool ok() const { return status == VerbStatus::ok; }
};
static_assert(std::has_unique_object_representations_v<Reply>);

// A request that the server part has not answered yet. It may store it and answer later.
struct PendingCall {
  Request request;
  std::uint64_t ticket = 0;  // chosen by the backend, never 0
};

}  // namespace latchlab
