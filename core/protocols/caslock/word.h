#pragma once
// The word of a lock that one writer owns or readers count in: the owner above, the count of
// readers in the low `count_bits` bits.

#include <cstdint>
#include <string>

#include "core/protocols/common/masks.h"
#include "core/verbs/verbs.h"

namespace latchlab::caslock {

class Word {
 public:
  explicit Word(unsigned count_bits) : count_bits_(count_bits) {}

  std::uint64_t most_readers() const { return field_mask(0, count_bits_); }
  std::uint64_t readers(std::uint64_t word) const { return field_of(word, 0, count_bits_); }
  std::uint64_t owner(std::uint64_t word) const { return word >> count_bits_; }  // 0: none
  std::uint64_t owned_by(ClientId writer, std::uint64_t readers) const {
    return (std::uint64_t{writer.value} + 1) << count_bits_ | readers;
  }

  // Writers: from free to owned by this writer alone, and back.
  Verb take(RemoteAddr entry, ClientId writer) const {
    return cas_verb(entry, 0, owned_by(writer, 0));
  }
  Verb leave(RemoteAddr entry, ClientId writer, std::uint64_t readers) const {
    return cas_verb(entry, owned_by(writer, readers), readers);
  }
  Verb subtract(RemoteAddr entry, ClientId writer) const {
    return faa_verb(entry, ~owned_by(writer, 0) + 1);
  }
  // Readers.
  static Verb arrive(RemoteAddr entry) { return faa_verb(entry, 1); }
  static Verb depart(RemoteAddr entry) { return faa_verb(entry, ~0ULL); }

  std::string decode(std::uint64_t word) const {
    if (word == 0) return "free";
    std::string counted = std::to_string(readers(word)) + " readers counted";
    if (owner(word) == 0) return counted;
    return "held by client " + std::to_string(owner(word) - 1) + ", " + counted;
  }

 private:
  unsigned count_bits_;
};

}  // namespace latchlab::caslock
