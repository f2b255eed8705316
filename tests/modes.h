#pragma once
// The lock modes by the short names of database literature.

#include "core/protocols/lock.h"

namespace latchlab {

inline constexpr LockMode kX = LockMode::exclusive;
inline constexpr LockMode kS = LockMode::shared;

}  // namespace latchlab
