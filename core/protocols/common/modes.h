#pragma once
// Modes of locks that have readers and writers only.

#include "core/protocols/lock.h"

namespace latchlab {

// Update mode counts as a writer.
inline LockMode reader_or_writer(const Want& want) {
  return want.mode == LockMode::shared ? LockMode::shared : LockMode::exclusive;
}

}  // namespace latchlab
