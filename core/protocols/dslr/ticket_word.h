#pragma once
// The four counters of a DSLR entry and how they lie in memory.
//   word8   four fields of `bits` each, from the top of the word down: nX nS maxX maxS. With fewer
//           than 16 bits the fields stay at the top, so that a carry out of nX leaves the word as
//           it does at full width; the low bits stay 0.
//   wide16  32 bits each: maxS and maxX in the first word (low and high half), nS and nX in the
//           second (the port's layout).

#include <cstdint>

#include "core/protocols/common/masks.h"
#include "core/verbs/verbs.h"

namespace latchlab::dslr {

struct Tickets {
  std::uint32_t nx = 0;     // exclusive tickets served
  std::uint32_t ns = 0;     // shared tickets served
  std::uint32_t max_x = 0;  // the next exclusive ticket
  std::uint32_t max_s = 0;  // the next shared ticket
  constexpr bool operator==(const Tickets&) const = default;
};

enum class Counter : std::uint8_t { max_s, max_x, ns, nx };

class TicketWord {
 public:
  TicketWord(unsigned bits, bool wide, bool masked)
      : bits_(wide ? 32 : bits), wide_(wide), masked_(masked) {}

  std::uint32_t bytes() const { return wide_ ? 16 : 8; }
  std::uint32_t largest() const { return static_cast<std::uint32_t>(field_mask(0, bits_)); }
  // COUNT_MAX: from here on a max counter gives no tickets.
  std::uint32_t count_max() const { return 1U << (bits_ - 1); }

  Tickets unpack(Words words) const {
    return {get(words, Counter::nx), get(words, Counter::ns), get(words, Counter::max_x),
            get(words, Counter::max_s)};
  }
  Words pack(const Tickets& t) const {
    Words words;
    put(words, Counter::nx, t.nx);
    put(words, Counter::ns, t.ns);
    put(words, Counter::max_x, t.max_x);
    put(words, Counter::max_s, t.max_s);
    return words;
  }

  // FAA of +1 or -1. Without masks a -1 borrows from the fields above when its own field is 0.
  Verb add(RemoteAddr entry, Counter counter, bool up) const {
    Words amount;
    std::uint64_t& half = wide_ && counter >= Counter::ns ? amount.hi : amount.lo;
    if (!masked_) {
      half = (up ? 1ULL : ~0ULL) << shift(counter);
      return faa_verb(entry, amount.lo);
    }
    half = up ? 1ULL << shift(counter) : field_mask(shift(counter), bits_);
    return masked_faa_verb(entry, bytes(), amount, boundary());
  }
  Verb read(RemoteAddr entry) const { return read_verb(entry, bytes()); }
  Verb swap(RemoteAddr entry, Words from, Words to) const {
    if (!wide_) return cas_verb(entry, from.lo, to.lo);
    return masked_cas_verb(entry, 16, from, kAllOnes, to, kAllOnes);
  }

 private:
  unsigned shift(Counter counter) const {
    const unsigned index = static_cast<unsigned>(counter);
    return wide_ ? 32 * (index % 2) : 64 - bits_ * (4 - index);
  }
  std::uint32_t get(Words words, Counter counter) const {
    const std::uint64_t half = wide_ && counter >= Counter::ns ? words.hi : words.lo;
    return static_cast<std::uint32_t>(field_of(half, shift(counter), bits_));
  }
  void put(Words& words, Counter counter, std::uint32_t value) const {
    std::uint64_t& half = wide_ && counter >= Counter::ns ? words.hi : words.lo;
    half |= (static_cast<std::uint64_t>(value) & field_mask(0, bits_)) << shift(counter);
  }
  Words boundary() const {
    if (wide_) return {field_top(0, 32) | field_top(32, 32), field_top(0, 32) | field_top(32, 32)};
    std::uint64_t tops = 0;
    for (unsigned field = 1; field <= 4; ++field) tops |= field_top(64 - bits_ * field, bits_);
    return {tops, 0};
  }

  unsigned bits_;
  bool wide_;
  bool masked_;
};

}  // namespace latchlab::dslr
