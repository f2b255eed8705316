#pragma once
// The effect of a CPU access on a word, for backends that execute it themselves.

#include <cstdint>

#include "core/verbs/operation.h"

namespace latchlab {

// Returns the word after the access. `before`: the word before it.
constexpr std::uint64_t after_access(CpuAccess access, const Verb& operands, std::uint64_t before) {
  switch (access) {
    case CpuAccess::load:
      break;
    case CpuAccess::store:
    case CpuAccess::exchange:
      return operands.value.lo;
    case CpuAccess::cas:
      return before == operands.compare.lo ? operands.value.lo : before;
    case CpuAccess::faa:
      return before + operands.value.lo;
  }
  return before;
}

}  // namespace latchlab
