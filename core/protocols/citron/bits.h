#pragma once
// Setting the bits of a leaf: all of a mask, or none.

#include <cstdint>

#include "core/verbs/verbs.h"

namespace latchlab::citron {

inline Verb set_bits(RemoteAddr leaf, std::uint64_t mask) {
  return masked_cas_verb(leaf, 8, {}, {mask, 0}, {mask, 0}, {mask, 0});
}

inline bool were_clear(const Completion& before, std::uint64_t mask) {
  return (before.value.lo & mask) == 0;
}

}  // namespace latchlab::citron
