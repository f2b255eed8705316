#pragma once
// How writers of one queue tell each other what they must know: who comes next, and whose turn it
// is. By messages, as in ShiftLock's artifact, or by words of theirs that peers WRITE, as in
// HPDC'16.

#include <cstdint>
#include <memory>
#include <string>

#include "core/protocols/common/inbox.h"
#include "core/protocols/lock.h"
#include "core/protocols/rma_rw/options.h"

namespace latchlab::rma_rw {

// What a writer is told with its turn: how often the lock was handed on in this queue, or one of
// these.
inline constexpr std::uint64_t kWait = ~0ULL;               // nothing yet
inline constexpr std::uint64_t kModeChanged = ~0ULL - 1;    // the mode is readers': change it
inline constexpr std::uint64_t kAcquireParent = ~0ULL - 2;  // the lock is not its element's: go up
// What the one that queues up finds out by itself.
inline constexpr std::uint64_t kAlone = ~0ULL - 3;   // nobody is before it
inline constexpr std::uint64_t kFailed = ~0ULL - 4;  // a node does not answer
inline constexpr std::uint64_t kNoNode = ~0ULL - 5;  // there is no queue node left
inline constexpr std::uint64_t kTurns = ~0ULL - 6;   // a count is below

// Of an endpoint or of a queue node.
inline constexpr std::uint64_t kTailMask = kPackedEndpoint;

// A writer's place in a lock's queue, from before its swap to the end of its release. The place of
// an element outlives writers: whoever has the element's lock finds out again what is in it.
struct Place {
  LockRef lock;
  std::uint64_t self = 0;             // how the tail names it
  std::uint64_t next = 0;             // who has come next; 0: not known
  std::uint32_t generation = 0;       // messages: number of the own acquisition
  std::uint32_t next_generation = 0;  // ... and of the next one's
  std::uint64_t turns = 0;            // how often the lock was handed on here: STATUS, or the grant
};

class NoteBook {
 public:
  virtual ~NoteBook() = default;
  // Before the swap; alone, or why not. Until `close` nobody else is named so.
  virtual Task<std::uint64_t> open(Place& place) = 0;
  virtual Task<void> tell_predecessor(const Place& place, std::uint64_t predecessor) = 0;
  virtual Task<std::uint64_t> await_turn(const Place& place, std::uint64_t predecessor) = 0;
  // Fills in place.next if it has come.
  virtual Task<void> look_for_successor(Place& place) = 0;
  virtual Task<void> await_successor(Place& place) = 0;  // 0 after it: a node fails
  virtual Task<void> tell_successor(const Place& place, std::uint64_t turn) = 0;
  // Nobody will tell this place anything any more.
  virtual void close(const Place& place) = 0;
};

std::unique_ptr<NoteBook> make_messages(const Options& options, const ClientEnv& env);
std::unique_ptr<NoteBook> make_words(const Options& options, const ClientEnv& env);

inline std::unique_ptr<NoteBook> make_notes(const Options& options, const ClientEnv& env) {
  return options.notes == Notes::messages ? make_messages(options, env) : make_words(options, env);
}

// ---- queue nodes in clients' words (words.cc) ----
inline constexpr std::uint64_t kNodeBytes = 16;
// For people: "client 3 node 0".
std::string describe_node(std::uint64_t name);

}  // namespace latchlab::rma_rw
