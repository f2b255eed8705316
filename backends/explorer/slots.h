#pragma once
// Slots of everything that is under way in the explorer, and the type of a step. Slots have stable
// addresses for the whole run and outlive the coroutines that use them.

#include <algorithm>
#include <array>
#include <coroutine>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "core/base/check.h"
#include "core/verbs/operation.h"

namespace latchlab::explorer {

class Actor;
struct ProbeSlot;

// A free slot has the bytes of a new one, padding included, because states are compared.
template <class Slot>
void make_anew(Slot& slot) {
  void* const memory = &slot;
  std::destroy_at(&slot);
  std::memset(memory, 0, sizeof(Slot));
  // Otherwise the compiler may drop the stores as dead.
  __asm__ volatile("" : : "r"(memory) : "memory");
  new (memory) Slot{};
}

struct OpSlot : Operation {
  bool taken = false;
  bool arrived = false;   // call: the server part has it
  bool effected = false;  // its effect, if any, is over and `completion` is final
  bool holding = false;   // atomic: between its read and its write
  // What is still under way of an operation that is complete for its owner: a call that timed out,
  // or a datagram. Its end is not reported.
  bool leftover = false;
  // Untimed searches: a lease has expired while RC was retrying it. It may end at any time: with
  // its effect, without it, or with it and an error at the requester.
  bool takes_long = false;
  std::uint32_t pieces_done = 0;
  std::uint64_t ticket = 0;
  Time posted_at;
  // Timed searches: when it took effect, and since when its next step has been possible.
  Time effected_at = kNever;
  Time possible_since = kNever;
  Actor* actor = nullptr;
  ProbeSlot* probe = nullptr;  // of the remote wait that issued it as its `probe_index`-th
  int probe_index = 0;
  std::vector<std::uint64_t> read;  // data of a long READ by value

  // Verbs, messages and calls: they count in the census, and may take effect after a crash.
  bool reaches_others() const {
    return kind == OpKind::verb || kind == OpKind::send || kind == OpKind::call;
  }
  void clear() { make_anew(*this); }
};

// What one actor has under way to one other node.
struct Path {
  Actor* from = nullptr;
  NodeId to;
  bool operator==(const Path&) const = default;
};

struct WaitSlot : WaitOperation {
  bool taken = false;
  Time posted_at;

  void clear() { make_anew(*this); }
};

// One await_remote. Its probes are posted only when they would end it; see waits.h.
struct ProbeSlot {
  bool taken = false;
  RemoteWait wait;
  RemoteWaitResult result;
  std::coroutine_handle<> waiter;
  Actor* actor = nullptr;
  Time posted_at;
  bool observed_any = false;
  Words observed_value;
  ProbeValues observed;
  std::uint64_t misses = 0;
  int in_flight = 0;

  void forget_values() {
    result.values.lay_out(wait.probes.data(), wait.probes.size());
    result.values.set(0, wait.first_seen);
  }
  void clear() { make_anew(*this); }
};

// A pool that hands out the first free slot: which slot that is, and how many slots there are,
// depends only on those in use, not on the history. An actor uses few: mostly up to `kAtHand`.
template <class Slot, std::size_t kAtHand>
class SlotPool {
 public:
  Slot& take() {
    for (Chunk* chunk = &first_;; chunk = chunk->more.get()) {
      for (Slot& slot : chunk->slots) {
        if (slot.taken) continue;
        slot.taken = true;
        return slot;
      }
      if (chunk->more == nullptr) chunk->more = std::make_unique<Chunk>();
    }
  }
  void give_back(Slot& slot) {
    LATCHLAB_CHECK(slot.taken, "a slot is given back once");
    slot.clear();
    Chunk* last = &first_;  // the last one in use
    for (Chunk* chunk = &first_; chunk != nullptr; chunk = chunk->more.get())
      if (chunk->in_use()) last = chunk;
    last->more.reset();
  }

 private:
  struct Chunk {
    std::array<Slot, kAtHand> slots;
    std::unique_ptr<Chunk> more;
    bool in_use() const {
      return std::any_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.taken; });
    }
  };

  Chunk first_;
};

enum class StepKind : std::uint8_t {
  start_root,     // part: index of the coroutine
  verb_piece,     // READ or WRITE: one piece of its words
  atomic_read,    // first half of an atomic's read-modify-write
  atomic_write,   // second half
  verb_fail,      // the responder refuses it, or is gone
  deliver,        // a message takes a RECV
  send_fail,      // part: VerbStatus
  call_arrive,    // the server part gets a request
  call_fail,      // the server is gone
  complete,       // the requester learns the result
  local,          // CPU access, visit, sleep, service: effect and completion at once
  wake_message,   // part: which message wait
  wake_word,      // part: which word wait
  wake_deadline,  //
  wake_membership,
  probe_launch,     // a remote wait issues its probe; part: see kIdleLook
  probe_message,    // ... is ended by a message
  probe_deadline,   // ... or its deadline
  probe_unchanged,  // ... or because nothing changed for `unchanged_for`
  detect_crash,     // membership shows a crash; part: the client
  call_deadline,    // a caller stops waiting
};

// Part of a probe_launch in a search: the probe would see nothing new in memory as it is now, but
// may be torn if the memory changes between its pieces, or fail.
inline constexpr std::uint32_t kIdleLook = 1;

struct Step {
  StepKind kind = StepKind::local;
  Actor* actor = nullptr;
  std::uint32_t part = 0;
  OpSlot* op = nullptr;
  WaitSlot* wait = nullptr;
  ProbeSlot* probe = nullptr;
};

inline bool looks_idly(const Step& step) {
  return step.kind == StepKind::probe_launch && step.part == kIdleLook;
}

// Steps that are possible now, and steps that are possible when no other step is.
struct StepList {
  struct Later {
    Time date;
    bool may_be_early;  // a sleep: in an untimed model it may end at any time
    Step step;
  };
  // Timed searches: a step at one of the dates at which it is possible.
  struct Dated {
    Time date;
    Step step;
  };
  std::vector<Step> now;
  std::vector<Later> later;
  std::vector<Dated> dated;

  void clear() {
    now.clear();
    later.clear();
    dated.clear();
  }
};

}  // namespace latchlab::explorer
