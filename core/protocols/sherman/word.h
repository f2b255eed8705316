#pragma once
// The global lock of sherman and sherman_nh: a number of 16 or 64 bits, 0 when it is free. The
// atomics that take or free a 16-bit lock leave the rest of its word unchanged; a freeing WRITE
// does not.

#include <bit>
#include <cstdint>
#include <string>

#include "core/protocols/common/masks.h"
#include "core/protocols/common/planted.h"
#include "core/verbs/verbs.h"

namespace latchlab::sherman {

enum class Width : std::uint8_t { bits16, bits64 };
enum class UnlockBy : std::uint8_t { write, faa };

class Word {
 public:
  Word(Width width, RemoteAddr entry)
      : at_(PartOfWord(entry).word),
        mask_(width == Width::bits64 ? ~0ULL : field_mask(PartOfWord(entry).shift, kNarrow)) {}

  Verb take(NodeId owner) const {
    if (!narrow()) return cas_verb(at_, 0, owner.value);
    const std::uint64_t compared = PLANTED(sherman_compares_its_neighbours) ? ~0ULL : mask_;
    const std::uint64_t written = PLANTED(sherman_takes_over_its_neighbours) ? ~0ULL : mask_;
    return masked_cas_verb(at_, 8, {}, {compared}, {in_place(owner.value)}, {written});
  }
  Verb free(NodeId owner, UnlockBy by) const {
    if (by == UnlockBy::write || PLANTED(sherman_frees_its_neighbours)) return write_verb(at_, 0);
    if (PLANTED(sherman_frees_by_a_short_write) && shift() == 0) {
      Verb write = write_verb(at_, 0);
      write.bytes = kNarrow / 8;
      return write;
    }
    const std::uint64_t less = ~std::uint64_t{owner.value} + 1;
    if (!narrow()) return faa_verb(at_, less);
    const std::uint64_t top = PLANTED(sherman_carries_into_its_neighbours)
                                  ? 0
                                  : field_top(static_cast<unsigned>(shift()), kNarrow);
    return masked_faa_verb(at_, 8, {in_place(less)}, {top});
  }
  // The lock's owner in a word that a try to take it returned; 0: the try succeeded.
  std::uint64_t owner(std::uint64_t word) const { return (word & mask_) >> shift(); }

 private:
  static constexpr unsigned kNarrow = 16;
  bool narrow() const { return mask_ != ~0ULL; }
  int shift() const { return std::countr_zero(mask_); }
  std::uint64_t in_place(std::uint64_t value) const { return value << shift() & mask_; }

  RemoteAddr at_;
  std::uint64_t mask_;
};

// Decodes an entry that has its word for itself.
inline std::string decode(std::uint64_t entry) {
  return entry == 0 ? "free" : "held by node " + std::to_string(entry);
}

}  // namespace latchlab::sherman
