#pragma once
// N-CoSED's word, and the messages and calls of its clients.

#include <cstdint>

#include "core/base/ids.h"

namespace latchlab::n_cosed {

// A client in the word and in messages. 0: none; in messages: the home.
using Owner = std::uint32_t;

constexpr Owner owner_of(ClientId client) {
  return client.value + 1;
}
constexpr ClientId client_of(Owner owner) {
  return ClientId{owner - 1};
}

struct Word {
  Owner tail = 0;
  std::uint32_t readers = 0;

  constexpr bool operator==(const Word&) const = default;
  constexpr std::uint64_t packed() const { return std::uint64_t{tail} << 32 | readers; }
  static constexpr Word unpack(std::uint64_t packed) {
    return {static_cast<Owner>(packed >> 32), static_cast<std::uint32_t>(packed)};
  }
};

enum MessageType : std::uint16_t {
  kAskShared = 1,     // words: sender
  kAskExclusive = 2,  // words: sender, readers between the receiver and the sender
  kGrant = 3,         // to a reader: recipient and its generation; to a writer: Releases to await
  kRelease = 4,
};

enum RequestType : std::uint16_t {
  kReleased = 1,  // words: lock address
  kAwait = 2,     // words: lock address, readers that have to release
};

}  // namespace latchlab::n_cosed
