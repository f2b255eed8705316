#pragma once
// The global lock of sherman and sherman_nh: a number in 16 bits or in 64, 0 when it is free.

#include <cstdint>
#include <string>

#include "core/protocols/common/masks.h"
#include "core/verbs/verbs.h"

namespace latchlab::sherman {

enum class Width : std::uint8_t { bits16, bits64 };
enum class UnlockBy : std::uint8_t { write, faa };

class Word {
 public:
  explicit Word(Width width) : narrow_(width == Width::bits16) {}

  Verb take(RemoteAddr entry, NodeId owner) const {
    if (!narrow_) return cas_verb(entry, 0, owner.value);
    return masked_cas_verb(entry, 8, {}, {mask()}, {owner.value}, {mask()});
  }
  Verb free(RemoteAddr entry, NodeId owner, UnlockBy by) const {
    if (by == UnlockBy::write) return write_verb(entry, 0);
    const std::uint64_t less = ~std::uint64_t{owner.value} + 1;
    if (!narrow_) return faa_verb(entry, less);
    return masked_faa_verb(entry, 8, {less & mask()}, {field_top(0, kNarrow)});
  }
  // What the lock was before a try to take it, by what the try returned.
  std::uint64_t owner(std::uint64_t word) const { return word & mask(); }

  std::string decode(std::uint64_t word) const {
    if (owner(word) == 0) return "free";
    return "held by node " + std::to_string(owner(word));
  }

 private:
  static constexpr unsigned kNarrow = 16;
  std::uint64_t mask() const { return narrow_ ? field_mask(0, kNarrow) : ~0ULL; }

  bool narrow_;
};

}  // namespace latchlab::sherman
