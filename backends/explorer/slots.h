#pragma once
// What the explorer keeps of everything that is under way, and what a step is. Slots have stable
// addresses for the whole run and outlive the coroutines that asked for them.

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

// Every byte of a slot that is free is as in a new one, padding included: states are compared.
template <class Slot>
void make_anew(Slot& slot) {
  void* const memory = &slot;
  std::destroy_at(&slot);
  std::memset(memory, 0, sizeof(Slot));
  __asm__ volatile("" : : "r"(memory) : "memory");  // or a compiler may take it for a dead store
  new (memory) Slot{};
}

struct OpSlot : Operation {
  bool taken = false;
  bool arrived = false;   // call: the server part has it
  bool effected = false;  // its effect, if any, is over and `completion` is final
  bool holding = false;   // atomic: between its read and its write
  // What is still on its way of something that is over for its owner: a call that timed out, a
  // datagram. Nobody hears of its end.
  bool leftover = false;
  // Untimed searches: a lease has run out while RC was retrying it.
  bool takes_long = false;
  std::uint32_t pieces_done = 0;
  std::uint64_t ticket = 0;
  Time posted_at;
  // Timed searches: when it took effect, and since when its next step has been possible.
  Time effected_at = kNever;
  Time possible_since = kNever;
  Actor* actor = nullptr;
  ProbeSlot* probe = nullptr;  // issued by a remote wait, as its `probe_index`-th
  int probe_index = 0;
  std::vector<std::uint64_t> read;  // of a READ by value that is long, and of load_words

  // Verbs, messages and calls: what the census counts, and what may land after a death.
  bool reaches_others() const {
    return kind == OpKind::verb || kind == OpKind::send || kind == OpKind::call;
  }
  void clear() { make_anew(*this); }
};

struct WaitSlot : WaitOperation {
  bool taken = false;
  Time posted_at;

  void clear() { make_anew(*this); }
};

// One await_remote. Nothing is posted until a probe would end it; see waits.h.
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

// Slots that are handed out again once given back, the first free one first: which slot it is, and
// how many there are, depends on those in use alone, not on how that came about. An actor has a
// few.
template <class Slot>
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
    Chunk* last = &first_;  // that is needed
    for (Chunk* chunk = &first_; chunk != nullptr; chunk = chunk->more.get())
      if (chunk->in_use()) last = chunk;
    last->more.reset();
  }

 private:
  struct Chunk {
    std::array<Slot, 4> slots;
    std::unique_ptr<Chunk> more;
    bool in_use() const {
      return std::any_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.taken; });
    }
  };

  Chunk first_;
};

enum class StepKind : std::uint8_t {
  start_root,     // part: which root
  verb_piece,     // READ or WRITE: one piece of its words
  atomic_read,    // first half of an atomic's read-modify-write
  atomic_write,   // second half
  verb_fail,      // the responder refuses, or is gone
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
  probe_message,    // ... is stopped by a message
  probe_deadline,   // ... or its deadline
  probe_unchanged,  // ... or because nothing changed for long
  detect_crash,     // membership learns of a crash; part: the client
  call_deadline,    // a caller stops waiting
};

// Of a probe_launch in a search: as memory is now, the probe would see nothing new. It may be torn,
// though, when somebody changes the memory between its pieces.
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

// What may happen now, and what may happen once nothing else can.
struct StepList {
  struct Later {
    Time date;
    bool may_be_early;  // a sleep: in an untimed world it may end at any moment
    Step step;
  };
  // Timed searches: a step at one of the dates at which it may be made.
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
