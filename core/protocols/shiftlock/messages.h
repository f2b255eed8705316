#pragma once
// What ShiftLock's clients send each other (3.3 and 3.5), and what they ask of the server (3.6).

#include <cstdint>

#include "core/base/paths.h"
#include "core/protocols/shiftlock/entry.h"
#include "core/protocols/shiftlock/switches.h"
#include "core/verbs/message.h"
#include "core/verbs/wait.h"

namespace latchlab::shiftlock {

enum MessageType : std::uint16_t {
  kSuccessor = 1,    // to the predecessor: I am behind you
  kHandover = 2,     // to the successor: the lock is yours
  kModeChanged = 3,  // to the successor: yours when RelCnt says that the readers have left
};

// One layout for all three; what a type does not use is zero.
struct Note {
  EndpointAddr sender;
  // Successor: RelCnt when the sender joined; Handover: RelCnt now; ModeChanged: RelCnt to wait for
  std::uint64_t relcnt = 0;
  std::uint64_t consecutive = 0;  // Handover: writers in a row before the receiver
  std::uint64_t epoch = 0;        // Epoch as the sender left it
};

// Message::generation. The low bit is the lowest of the lock's recoveries, above it is the number
// of the sender's acquisition (0: not sent). Handover and ModeChanged repeat what the Successor
// said.
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

// Accepts what a waiting writer may receive: the answer to its own Successor, in the life of the
// lock in which it joined. Without `match` anything of the right type is taken as mine, whatever
// lock it is about.
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

// Accepts what tells a releasing writer its successor, whose number it cannot know.
inline MessageFilter expecting_successor(const Switches& on, LockId lock, std::uint64_t relcnt) {
  return [&on, lock, relcnt](const Message& message) {
    if (message.type != kSuccessor) return false;
    return !on.match_messages ||
           (message.lock == lock && on.recoveries(unpack(message).relcnt) == on.recoveries(relcnt));
  };
}

enum RequestType : std::uint16_t {
  // words: lock address, era, RelCnt at which the lock stands still. Reply: 1 if recovered.
  kRecover = 1,
};

}  // namespace latchlab::shiftlock
