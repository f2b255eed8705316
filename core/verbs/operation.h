#pragma once
// A backend's record of one operation in flight. Slots belong to the backend and outlive the
// coroutine that started them. A client that is destroyed while it waits leaves a slot that only
// the backend knows; the owner's `life` has changed, so that no coroutine is resumed.

#include <coroutine>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/verbs/message.h"
#include "core/verbs/verb.h"
#include "core/verbs/wait.h"

namespace latchlab {

class Verbs;

enum class OpKind : std::uint8_t {
  verb,      // READ, WRITE or atomic on remote (or own) memory through the RNIC
  send,      // a message to an endpoint
  call,      // request to a node's server part
  cpu,       // CPU access to registered memory of the own node
  sleep,     // until `length` has passed on the own clock
  compute,   // uses the CPU for `length`
  on_node,   // runs a function on the node's shared state
  flush,     // until every detached verb of this actor is complete
  allocate,  // `allocated_bytes` of zeroed memory at `server`
  evict,     // no verb of client `evicted` lands afterwards
  sync_now,  // the synchronised clock; `length`: its error
};

struct CallOperands {
  Request request;
  Reply reply;
};

enum class CpuAccess : std::uint8_t { load, store, exchange, cas, faa };

struct Operation {
  OpKind kind = OpKind::verb;
  CpuAccess cpu = CpuAccess::load;
  bool detached = false;           // no coroutine waits; an error shows at flush
  Operation* next = nullptr;       // the rest of a batch: one doorbell, one QP
  Operation* batch = nullptr;      // the batch's first operation; this one if alone
  std::uint32_t remaining = 0;     // in the first: incomplete operations of the batch
  std::coroutine_handle<> waiter;  // in the first
  Verbs* owner = nullptr;
  std::uint64_t life = 0;  // the owner's life when the operation was posted

  Completion completion;  // status and value; CPU access: value.lo
  // The words of a complete READ by value of more than 16 bytes: memory of the backend, valid until
  // the slot is recycled.
  const std::uint64_t* words = nullptr;
  union {
    Duration length = {};           // sleep, compute; sync_now: the result's error
    std::uint64_t allocated_bytes;  // allocate
    ClientId evicted;               // evict
    std::uint64_t part;             // on_node: a lock's number + 1; 0: none
  };
  EndpointAddr target;     // send
  NodeId server;           // call, allocate
  Time deadline = kNever;  // call: on the own node's clock
  // Operands. `kind` determines which member is active; the code that prepares the operation
  // constructs it. A union, because a slot already takes several cache lines.
  union {
    Verb verb;        // verb; the operands of a CPU access; allocate: the result
    Message message;  // send
    CallOperands call;
    InlineFunction<void()> visit;  // on_node
  };

  Operation() : verb() {}

  // Clears everything except the operands for the next use of the slot.
  void clear() {
    detached = false;
    next = nullptr;
    completion = {};
    words = nullptr;
  }
};

// The words of a complete READ by value; empty after an error.
std::span<const std::uint64_t> words_of(const Operation& op);

// "cas", "send", "cpu_faa"; "peer_failed".
std::string_view name_of(const Operation& op);
std::string_view name_of(VerbStatus status);

struct WaitOperation {
  WaitSet set;
  WaitOutcome outcome;
  std::coroutine_handle<> waiter;
  Verbs* owner = nullptr;
  std::uint64_t life = 0;
  std::uint64_t generation = 0;  // changes when the slot is reused

  void clear() {
    set.message_count = set.word_count = 0;
    set.server = kNoNode;
    set.deadline = kNever;
    set.membership_after = ~0ULL;
    outcome = {};
  }
};

}  // namespace latchlab
