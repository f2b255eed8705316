#pragma once
// What the threads of a run say to each other in SENDs besides verbs: frames of a header and a
// body. Both ends are the same build (the launcher has compared them), so structures go as they
// are; sizes are checked all the same, because a body may be cut short by a fault.
//
// A thread receives frames at its place on one node. The last thread of a node is its memory
// server, which answers for the node's memory.

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

// Endpoints of a thread are numbered from 1, in the order in which they are opened.
inline constexpr std::uint32_t kThreadShift = 16;  // of an endpoint's number
constexpr EndpointAddr endpoint_address(ThreadId thread, std::uint32_t place) {
  return {thread.node, static_cast<std::uint32_t>(thread.index) << kThreadShift | place};
}

// Who posts: clients by number, then the background actors of nodes.
using ActorKey = std::uint64_t;
constexpr ActorKey client_key(ClientId client) {
  return client.value;
}
// A server part has one for each thread that takes calls.
constexpr ActorKey background_key(NodeId node, bool server, std::uint32_t thread = 0) {
  return (1ULL << 40) + 2ULL * node.value + (server ? 1 : 0) +
         (static_cast<std::uint64_t>(thread) << 41);
}

// On a lane between two threads (frame_exchange.h), but those from `connect` on go by post: through
// the memory servers of both nodes, so that no two threads need a lane for what is rare.
enum class FrameKind : std::uint8_t {
  nothing,         // is the thread still there?
  credits,         // no more than the head says
  message,         // MessageBody to the thread that owns the endpoint
  message_answer,  // AnswerBody
  call,            // CallBody to one of the first threads of the server's node
  call_answer,     // CallAnswerBody
  agent,           // AgentHead and AgentVerbs, data behind; to the memory server
  agent_answer,    // AgentResults, data behind
  connect,         // ConnectBody to the memory server: make the other end of my QP
  connect_answer,  // ConnectAnswerBody
  region,          // RegionBody to the memory server: where is this offset?
  region_answer,   // RegionAnswerBody
  allocate,        // RegionBody to the memory server
  evict,           // EvictBody to the memory server
  evict_answer,    // AnswerBody
  gone,            // EvictBody: this client is dead
  lane,            // LaneBody: make the other end of our lane
  lane_answer,     // LaneBody: it is made
  knock,           // is its node still there?
  cut_off,         // within a node: its memory server has lost that of the node that `node` says
  clock,           // to the memory server: what does your clock say?
  clock_answer,    // ClockBody
};
constexpr bool goes_by_post(FrameKind kind) {
  return kind >= FrameKind::connect;
}

struct FrameHead {
  FrameKind kind = FrameKind::message;
  std::uint8_t thread = 0;  // of the sender
  std::uint16_t node = 0;
  std::uint16_t bytes = 0;     // of the body
  std::uint8_t to_thread = 0;  // of the receiver's node
  std::uint8_t credits = 0;    // RECVs that the receiver may count on again
  std::uint64_t ticket = 0;    // the asker's; its answer carries it back
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
  bool may_retry = false;  // receiver not ready: the endpoint may have a RECV again
  bool patient = false;    // ... and its transport lets the sender wait for it
};
struct CallBody {
  ActorKey from = 0;
  Request request;
};
struct CallAnswerBody {
  Reply reply;
};
struct ConnectBody {
  ActorKey from = 0;
  QpAddress address;
  std::uint32_t kept = 0;  // QP that `address` is connected to since an earlier world (kept.h)
};
struct ConnectAnswerBody {
  VerbStatus status = VerbStatus::ok;
  QpAddress address;
};
struct LaneBody {
  QpAddress address;
};
struct RegionBody {
  std::uint64_t offset = 0;  // allocate: how many bytes
};
struct RegionAnswerBody {
  VerbStatus status = VerbStatus::ok;
  std::uint64_t offset = 0;  // the region's first
  std::uint64_t bytes = 0;
  std::uint32_t key = 0;      // remote key
  std::uint64_t address = 0;  // of the first byte
};
// A client that is meant.
struct EvictBody {
  std::uint32_t client = 0;
};

struct ClockBody {
  std::int64_t monotonic_ns = 0;
};

// One verb for the agent; `bytes` of data follow where it is a WRITE longer than 16 bytes.
struct AgentVerb {
  std::uint64_t ticket = 0;
  std::uint64_t offset = 0;
  VerbKind kind = VerbKind::read;
  bool carries_data = false;  // WRITE: behind this; READ: wanted behind the result
  std::uint32_t bytes = 8;
  Words value, compare, compare_mask, swap_mask, boundary;
};
struct AgentHead {
  ActorKey from = 0;
  std::uint32_t verbs = 0;
  bool continues = false;  // the batch of the frame before: an error in it flushes these too
};
struct AgentResult {
  std::uint64_t ticket = 0;
  VerbStatus status = VerbStatus::ok;
  std::uint32_t data_bytes = 0;  // behind this
  Words value;
};

// A frame being written.
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
  // Writes over a part that was put at `at`.
  template <class Part>
  void replace(std::uint32_t at, const Part& part) {
    std::memcpy(bytes_.data() + at, &part, sizeof(Part));
  }
  void clear() { used_ = 0; }

 private:
  std::array<std::byte, kBodyBytes> bytes_;
  std::uint32_t used_ = 0;
};

// A frame that has come. What is not there reads as failure.
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

// What a node tells another one before the run: where its memory and their lane are. Of one length
// whatever the size of the run, so that a node's cards grow with the number of nodes alone.
struct NodeCard {
  NodeId node;
  std::uint64_t base = 0;   // virtual address of offset 0
  std::uint64_t bytes = 0;  // of the table, from offset 0
  std::uint32_t key = 0;    // its remote key
  // The stretch of it that lies on the RNIC instead, at the addresses from 0 on.
  std::uint64_t device_offset = 0, device_bytes = 0;
  std::uint32_t device_key = 0;
  std::uint32_t threads = 0;
  std::uint32_t atomics = 0;  // NativeAtomics::kinds
  DctAddress dct;             // its target; none without DC
  bool infiniband = false;    // link layer; else Ethernet
  std::uint16_t pkey = 0;     // partition of its port; 0: not known
  std::string machine;        // where it runs: equal means one clock
  QpAddress lane;             // from its memory server to that of the node that gets this card
};

}  // namespace latchlab::ib
