#pragma once
// The frames, a header and a body, that the threads of a run exchange in SENDs besides verbs. Both
// ends are the same build (the launcher compares them), so structures are sent as they are in
// memory. Sizes are checked nevertheless, because a fault may cut a body short.
//
// A frame is addressed to a thread of a node. The last thread of a node is its memory server.

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "backends/ibverbs/dc.h"
#include "backends/ibverbs/queues.h"
#include "core/base/ids.h"
#include "core/verbs/message.h"
#include "core/verbs/verb.h"

namespace latchlab::ib {

struct ThreadId {
  NodeId node;
  std::uint8_t index = 0;
  constexpr auto operator<=>(const ThreadId&) const = default;
};

// A thread numbers its endpoints from 1, in the order in which they are opened.
inline constexpr std::uint32_t kThreadShift = 16;  // position of the thread in an endpoint's number
constexpr EndpointAddr endpoint_address(ThreadId thread, std::uint32_t place) {
  return {thread.node, static_cast<std::uint32_t>(thread.index) << kThreadShift | place};
}

// Identifies the actor that posts: clients by number, then node and server parts.
using ActorKey = std::uint64_t;
constexpr ActorKey client_key(ClientId client) {
  return client.value;
}
// A server part has one key for each thread that takes calls.
constexpr ActorKey background_key(NodeId node, bool server, std::uint32_t thread = 0) {
  return (1ULL << 40) + 2ULL * node.value + (server ? 1 : 0) +
         (static_cast<std::uint64_t>(thread) << 41);
}

// Frames before `connect` use the channel QP between two threads (frame_exchange.h). Those from
// `connect` on use the control path, through the memory servers of both nodes, so that rare frames
// need no channel.
enum class FrameKind : std::uint8_t {
  nothing,         // tests whether the thread is still there
  credits,         // carries only the header's credits
  message,         // MessageBody to the thread that owns the endpoint
  message_answer,  // AnswerBody
  call,            // CallBody to one of the first threads of the server's node
  call_answer,     // Reply
  proxy_verbs,     // ProxyHead and ProxyVerbs, each followed by its data; to the memory server
  proxy_answer,    // ProxyResults, each followed by its data
  connect,         // ConnectBody to the memory server: make the other end of this QP
  connect_answer,  // ConnectAnswerBody
  region,          // 64-bit offset to the memory server: which region has it?
  region_answer,   // RegionAnswerBody
  allocate,        // 64-bit number of bytes, to the memory server; region_answer
  evict,           // ClientId to the memory server
  evict_answer,    // AnswerBody
  gone,            // ClientId: this client is dead
  channel,         // QpAddress: make the other end of our channel
  channel_answer,  // QpAddress: the other end is made
  knock,           // tests whether the thread's node is still there
  cut_off,         // within a node: its memory server has lost that of node `node`
  clock,           // to the memory server: asks for its clock
  clock_answer,    // monotonic_ns()
};
constexpr bool goes_via_control(FrameKind kind) {
  return kind >= FrameKind::connect;
}

struct FrameHead {
  FrameKind kind = FrameKind::message;
  std::uint8_t thread = 0;  // of the sender
  std::uint16_t node = 0;
  std::uint16_t bytes = 0;     // of the body
  std::uint8_t to_thread = 0;  // of the receiver's node
  std::uint8_t credits = 0;    // credits returned to the receiver
  std::uint64_t ticket = 0;    // of the request; its answer carries it back
};
inline constexpr std::uint32_t kFrameBytes = 4096;
inline constexpr std::uint32_t kBodyBytes = kFrameBytes - sizeof(FrameHead);

struct MessageBody {
  ActorKey from = 0;
  EndpointAddr target;
  Message message;
};
struct AnswerBody {
  VerbStatus status = VerbStatus::ok;
  bool may_retry = false;  // receiver not ready: a retry may find a RECV
  bool patient = false;    // ... and the transport retries without a limit
};
struct CallBody {
  ActorKey from = 0;
  Request request;
};
struct ConnectBody {
  ActorKey from = 0;
  QpAddress address;
  // The QP that `address` has been connected to since an earlier run (connection_cache.h).
  std::uint32_t kept = 0;
};
struct ConnectAnswerBody {
  VerbStatus status = VerbStatus::ok;
  QpAddress address;
};
struct RegionAnswerBody {
  VerbStatus status = VerbStatus::ok;
  std::uint64_t offset = 0;  // of the region's start
  std::uint64_t bytes = 0;
  std::uint32_t key = 0;      // remote key
  std::uint64_t address = 0;  // of the first byte
};

// One verb for the software-atomics proxy. If it carries data and is a WRITE, `bytes` of data
// follow.
struct ProxyVerb {
  std::uint64_t ticket = 0;
  std::uint64_t offset = 0;
  VerbKind kind = VerbKind::read;
  bool carries_data = false;  // WRITE: data follows; READ: data is wanted after the result
  std::uint32_t bytes = 8;
  Words value, compare, compare_mask, swap_mask, boundary;
};
struct ProxyHead {
  ActorKey from = 0;
  std::uint32_t verbs = 0;
  // Continues the previous frame's batch, whose errors flush these verbs too.
  bool continues = false;
};
struct ProxyResult {
  std::uint64_t ticket = 0;
  VerbStatus status = VerbStatus::ok;
  std::uint32_t data_bytes = 0;  // that follow
  Words value;
};

// A frame's body being written.
class FrameWriter {
 public:
  std::span<const std::byte> body() const { return {bytes_.data(), used_}; }
  std::uint32_t room() const { return kBodyBytes - used_; }
  template <class Part>
  std::uint32_t put(const Part& part) {
    static_assert(std::is_trivially_copyable_v<Part>);
    return put_bytes(&part, sizeof(Part));
  }
  std::uint32_t put_bytes(const void* data, std::uint32_t bytes) {
    LATCHLAB_CHECK(bytes <= room(), "a frame's body is full");
    std::memcpy(bytes_.data() + used_, data, bytes);
    used_ += bytes;
    return used_ - bytes;
  }
  // Overwrites a part that was put at `at`.
  template <class Part>
  void replace(std::uint32_t at, const Part& part) {
    std::memcpy(bytes_.data() + at, &part, sizeof(Part));
  }
  void clear() { used_ = 0; }

 private:
  std::array<std::byte, kBodyBytes> bytes_;
  std::uint32_t used_ = 0;
};

// A received frame's body. Reading beyond its end fails.
class FrameReader {
 public:
  explicit FrameReader(std::span<const std::byte> body) : body_(body) {}
  template <class Part>
  bool take(Part& part) {
    static_assert(std::is_trivially_copyable_v<Part>);
    const std::byte* const data = take_bytes(sizeof(Part));
    if (data != nullptr) std::memcpy(&part, data, sizeof(Part));
    return data != nullptr;
  }
  const std::byte* take_bytes(std::uint64_t bytes) {
    if (bytes > body_.size()) return nullptr;
    const std::byte* const data = body_.data();
    body_ = body_.subspan(bytes);
    return data;
  }

 private:
  std::span<const std::byte> body_;
};

}  // namespace latchlab::ib
