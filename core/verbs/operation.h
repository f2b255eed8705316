#pragma once
// What a backend keeps of one thing under way. Slots belong to the backend and outlive the
// coroutine that asked: a client destroyed while it waits leaves a slot that the backend alone
// still knows (its owner's `life` has moved on, so nobody is resumed).

#include <coroutine>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/verbs/message.h"
#include "core/verbs/verb.h"
#include "core/verbs/wait.h"

namespace latchlab {

class Verbs;

enum class OpKind : std::uint8_t {
  verb,      // READ, WRITE or atomic on remote (or own) memory through the RNIC
  send,      // message to an endpoint
  call,      // request to a node's server part
  cpu,       // CPU access to registered memory of the own node
  sleep,     // until `length` has passed on the own clock
  compute,   // uses the CPU for `length`
  on_node,   // visit to the node's shared state
  flush,     // until every detached verb of this actor is complete
  allocate,  // `allocated_bytes` of zeroed memory at `server`
  evict,     // none of the verbs of client `evicted` lands afterwards
  sync_now,  // the synchronised clock; `length`: its error
};

struct CallOperands {
  Request request;
  Reply reply;
};

// load_words: verb.bytes from verb.addr on, into `words`.
enum class CpuAccess : std::uint8_t { load, store, exchange, cas, faa, load_words };

struct Operation {
  OpKind kind = OpKind::verb;
  CpuAccess cpu = CpuAccess::load;
  bool detached = false;           // nobody waits; an error shows at flush
  Operation* next = nullptr;       // the rest of a batch: one doorbell, one QP
  Operation* batch = nullptr;      // the batch's first operation; itself when alone
  std::uint32_t remaining = 0;     // in the first: how many of the batch are incomplete
  std::coroutine_handle<> waiter;  // in the first
  Verbs* owner = nullptr;
  std::uint64_t life = 0;  // the owner's life when it was posted

  Completion completion;  // status and value; CPU access: value.lo
  // READs by value of more than 16 bytes and load_words, when they are complete: what was read, in
  // memory of the backend that is the slot's until it is given back.
  const std::uint64_t* words = nullptr;
  union {
    Duration length = {};           // sleep, compute; sync_now: the result's error
    std::uint64_t allocated_bytes;  // allocate
    ClientId evicted;               // evict
  };
  EndpointAddr target;     // send
  NodeId server;           // call, allocate
  Time deadline = kNever;  // call: on the own node's clock
  // Operands. `kind` says which are in use, and whoever prepares the operation constructs them:
  // a slot is several cache lines long as it is.
  union {
    Verb verb;        // verb; the operands of a CPU access; allocate: the result
    Message message;  // send
    CallOperands call;
    InlineFunction<void()> visit;  // on_node
  };

  Operation() : verb() {}

  // Makes a used slot fit for the next operation, but for its operands.
  void clear() {
    detached = false;
    next = nullptr;
    completion = {};
    words = nullptr;
  }
};

// Of a complete READ by value, or load_words; empty after an error.
std::span<const std::uint64_t> words_of(const Operation& op);

struct WaitOperation {
  WaitSet set;
  WaitOutcome outcome;
  std::coroutine_handle<> waiter;
  Verbs* owner = nullptr;
  std::uint64_t life = 0;
  std::uint64_t generation = 0;  // moves on when the slot is reused

  void clear() {
    set.message_count = set.word_count = 0;
    set.server = kNoNode;
    set.deadline = kNever;
    set.membership_after = ~0ULL;
    outcome = {};
  }
};

}  // namespace latchlab
