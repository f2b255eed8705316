#pragma once
// Messages between ShiftLock's clients (3.3 and 3.5), and their request to the server (3.6).

#include <cstdint>

#include "core/base/paths.h"
#include "core/protocols/shiftlock/entry.h"
#include "core/protocols/shiftlock/switches.h"
#include "core/verbs/message.h"
#include "core/verbs/wait.h"

namespace latchlab::shiftlock {

enum MessageType : std::uint16_t {
  kSuccessor = 1,    // to the predecessor: the sender follows the receiver
  kHandover = 2,     // to the successor: the receiver holds the lock
  kModeChanged = 3,  // to the successor: it holds the lock when RelCnt shows that readers have left
};

// One layout for all three types; unused fields are zero.
struct Note {
  EndpointAddr sender;
  // Successor: RelCnt when the sender joined; Handover: RelCnt now; ModeChanged: RelCnt to wait for
  std::uint64_t relcnt = 0;
  std::uint64_t consecutive = 0;  // Handover: writers in a row before the receiver
  std::uint64_t epoch = 0;        // Epoch as the sender left it
};

// Message::generation. The low bit is the lowest bit of the lock's count of recoveries; the bits
// above are the number of the sender's acquisition (0: not sent). Handover and ModeChanged repeat
// the tag of the Successor that they answer.
constexpr std::uint32_t message_tag(std::uint32_t number, std::uint64_t recoveries) {
  return number << 1 | static_cast<std::uint32_t>(recoveries & 1);
}

inline Message pack(MessageType type, LockId lock, std::uint32_t tag, const Note& note) {
  Message message;
  message.type = type;
  message.lock = lock;
  message.generation = tag;
  message.words = {note.sender.packed(), note.relcnt, note.consecutive << 1 | note.epoch};
  return message;
}

inline Note unpack(const Message& message) {
  return {EndpointAddr::unpack(message.words[0]), message.words[1], message.words[2] >> 1,
          message.words[2] & 1};
}

// Accepts the answer to a waiting writer's own Successor, from the life of the lock in which the
// writer joined. Without `match_messages`, accepts any Handover or ModeChanged, whatever its lock.
inline MessageFilter expecting_answer(const Switches& on, LockId lock, std::uint64_t tag,
                                      std::uint64_t joined_at) {
  return [&on, lock, tag, joined_at](const Message& message) {
    if (message.type == kSuccessor) return false;
    if (on.match_messages && message.lock == lock && message.generation != tag)
      LATCHLAB_PATH("shiftlock: an answer to another acquisition is left unread");
    return !on.match_messages ||
           (message.lock == lock && message.generation == tag &&
            on.recoveries(unpack(message).relcnt) == on.recoveries(joined_at));
  };
}

// Accepts a Successor for this lock in its current life; without `match_messages`, any Successor. A
// releasing writer cannot know the number of its successor's acquisition.
inline MessageFilter expecting_successor(const Switches& on, LockId lock, std::uint64_t relcnt) {
  return [&on, lock, relcnt](const Message& message) {
    if (message.type != kSuccessor) return false;
    return !on.match_messages ||
           (message.lock == lock && on.recoveries(unpack(message).relcnt) == on.recoveries(relcnt));
  };
}

enum RequestType : std::uint16_t {
  // words: lock address, era, RelCnt that did not change. Reply: 1 if recovered.
  kRecover = 1,
};

}  // namespace latchlab::shiftlock
