#pragma once

#include <cstdint>

#include "core/base/time.h"
#include "core/verbs/message.h"

namespace latchlab::cql {

enum class HeaderReset : std::uint8_t { cas, write };
enum class CountIn : std::uint8_t { acquisition, sending, release };
enum class Overflow : std::uint8_t { size, version, acquisition };
enum class Messages : std::uint8_t { rc, ud };

struct Options {
  std::uint32_t capacity = 0;  // 0: the number of owners
  std::uint32_t version_bits = 16;
  Duration timeout = milliseconds(50);  // 0: never
  Duration timeout_step = {};           // added for each node before this one
  Messages messages = Messages::rc;
  bool next_entry_first = false;
  HeaderReset header_reset = HeaderReset::cas;
  CountIn notification_count = CountIn::acquisition;
  Overflow overflow = Overflow::size;
  bool evict_dead = true;
  Duration reset_pause = microseconds(2);
  Duration resend = milliseconds(1);

  Transport transport() const { return messages == Messages::ud ? Transport::ud : Transport::rc; }
};

}  // namespace latchlab::cql
