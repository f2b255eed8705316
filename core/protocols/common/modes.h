#pragma once
// Modes of locks that know readers and writers only.

#include "core/protocols/lock.h"

namespace latchlab {

// Who wants to update writes.
inline LockMode reader_or_writer(const Want& want) {
  return want.mode == LockMode::shared ? LockMode::shared : LockMode::exclusive;
}

}  // namespace latchlab
