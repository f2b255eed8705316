#pragma once
// What a CPU's access to a word does, for backends that carry it out themselves.

#include <cstdint>

#include "core/verbs/operation.h"

namespace latchlab {

// The word afterwards; `before`: as it was.
constexpr std::uint64_t after_access(CpuAccess access, const Verb& operands, std::uint64_t before) {
  switch (access) {
    case CpuAccess::load:
    case CpuAccess::load_words:
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
