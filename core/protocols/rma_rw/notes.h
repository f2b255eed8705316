#pragma once
// How the writers of one queue notify each other of a successor and of a turn: by messages, as in
// ShiftLock's artifact, or by words that peers WRITE, as in HPDC'16.

#include <cstdint>
#include <memory>
#include <string>

#include "core/protocols/common/inbox.h"
#include "core/protocols/lock.h"
#include "core/protocols/rma_rw/options.h"

namespace latchlab::rma_rw {

// The turn that a writer receives: how often the lock was handed on in this queue, or one of these.
inline constexpr std::uint64_t kWait = ~0ULL;               // nothing yet
inline constexpr std::uint64_t kModeChanged = ~0ULL - 1;    // the mode is readers': change it
inline constexpr std::uint64_t kAcquireParent = ~0ULL - 2;  // its element has no lock: go up
// What a joining writer finds out by itself.
inline constexpr std::uint64_t kAlone = ~0ULL - 3;   // the queue is empty
inline constexpr std::uint64_t kFailed = ~0ULL - 4;  // a node does not answer
inline constexpr std::uint64_t kNoNode = ~0ULL - 5;  // no queue node is left
inline constexpr std::uint64_t kTurns = ~0ULL - 6;   // counts are below this

// The bits of a tail that name an endpoint or a queue node.
inline constexpr std::uint64_t kTailMask = kPackedEndpoint;

// A writer's place in a lock's queue, from before its swap to the end of its release. An element's
// place outlives its writers: a later holder of the element's lock reads it again.
struct QueuePlace {
  LockRef lock;
  std::uint64_t self = 0;             // the name of this place in the tail
  std::uint64_t next = 0;             // the successor; 0: not known
  std::uint32_t generation = 0;       // messages: number of the own acquisition
  std::uint32_t next_generation = 0;  // ... and of the successor's
  std::uint64_t turns = 0;            // how often the lock was handed on here: STATUS, or the grant
};

class NoteBook {
 public:
  virtual ~NoteBook() = default;
  // Called before the swap. Returns kAlone, or why it failed. Until `close` the name is not reused.
  virtual Task<std::uint64_t> open(QueuePlace& place) = 0;
  virtual Task<void> tell_predecessor(const QueuePlace& place, std::uint64_t predecessor) = 0;
  virtual Task<std::uint64_t> await_turn(const QueuePlace& place, std::uint64_t predecessor) = 0;
  // Sets place.next if a successor has announced itself.
  virtual Task<void> look_for_successor(QueuePlace& place) = 0;
  virtual Task<void> await_successor(QueuePlace& place) = 0;  // place.next 0 after it: a node fails
  virtual Task<void> tell_successor(const QueuePlace& place, std::uint64_t turn) = 0;
  // No further notification for this place can arrive.
  virtual void close(const QueuePlace& place) = 0;
};

std::unique_ptr<NoteBook> make_messages(const Options& options, const ClientEnv& env);
std::unique_ptr<NoteBook> make_words(const Options& options, const ClientEnv& env);

inline std::unique_ptr<NoteBook> make_notes(const Options& options, const ClientEnv& env) {
  return options.notes == Notes::messages ? make_messages(options, env) : make_words(options, env);
}

// ---- queue nodes in clients' words (words.cc) ----
inline constexpr std::uint64_t kNodeBytes = 16;
// For display: "client 3 node 0".
std::string describe_node(std::uint64_t name);

}  // namespace latchlab::rma_rw
