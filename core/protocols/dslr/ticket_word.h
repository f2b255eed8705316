#pragma once
// The counters of a DSLR entry and their layout.
//   word8   four fields of `bits` each, from the top of the word down: nX nS maxX maxS; or six: nU
//           nX nS maxU maxX maxS. Fields that do not fill the word are at its top, so that a carry
//           out of the uppermost field leaves the word as at full width; the low bits stay 0.
//   wide16  32 bits each: maxS and maxX in the first word (low and high half), nS and nX in the
//           second (the port's layout).

#include <cstdint>

#include "core/protocols/common/masks.h"
#include "core/verbs/verbs.h"

namespace latchlab::dslr {

// With four counters, those of updates are always 0.
struct Tickets {
  std::uint32_t nx = 0;     // exclusive tickets served
  std::uint32_t ns = 0;     // shared tickets served
  std::uint32_t max_x = 0;  // the next exclusive ticket
  std::uint32_t max_s = 0;  // the next shared ticket
  std::uint32_t nu = 0;     // update tickets served
  std::uint32_t max_u = 0;  // the next update ticket
  constexpr bool operator==(const Tickets&) const = default;
};

enum class Counter : std::uint8_t { max_s, max_x, ns, nx, max_u, nu };

class TicketWord {
 public:
  TicketWord(unsigned bits, bool wide, bool masked, bool six = false)
      : bits_(wide ? 32 : bits), wide_(wide), masked_(masked), six_(six) {}

  std::uint32_t bytes() const { return wide_ ? 16 : 8; }
  bool six() const { return six_; }
  std::uint32_t largest() const { return static_cast<std::uint32_t>(field_mask(0, bits_)); }
  // COUNT_MAX: a max counter that has reached it gives no tickets.
  std::uint32_t count_max() const { return 1U << (bits_ - 1); }

  Tickets unpack(Words words) const {
    Tickets t{get(words, Counter::nx), get(words, Counter::ns), get(words, Counter::max_x),
              get(words, Counter::max_s)};
    if (!six_) return t;
    t.nu = get(words, Counter::nu);
    t.max_u = get(words, Counter::max_u);
    return t;
  }
  Words pack(const Tickets& t) const {
    Words words;
    put(words, Counter::nx, t.nx);
    put(words, Counter::ns, t.ns);
    put(words, Counter::max_x, t.max_x);
    put(words, Counter::max_s, t.max_s);
    if (!six_) return words;
    put(words, Counter::nu, t.nu);
    put(words, Counter::max_u, t.max_u);
    return words;
  }

  // FAA of +count or -count. Without masks, a subtraction borrows from the fields above if its own
  // field is too small.
  Verb add(RemoteAddr entry, Counter counter, bool up, std::uint32_t count = 1) const {
    Words amount;
    std::uint64_t& half = in_second(counter) ? amount.hi : amount.lo;
    const std::uint64_t change = up ? count : ~std::uint64_t{count} + 1;
    if (!masked_) {
      half = change << shift(counter);
      return faa_verb(entry, amount.lo);
    }
    half = (change & field_mask(0, bits_)) << shift(counter);
    return masked_faa_verb(entry, bytes(), amount, boundary());
  }
  Verb read(RemoteAddr entry) const { return read_verb(entry, bytes()); }
  Verb swap(RemoteAddr entry, Words from, Words to) const {
    if (!wide_) return cas_verb(entry, from.lo, to.lo);
    return masked_cas_verb(entry, 16, from, kAllOnes, to, kAllOnes);
  }

 private:
  bool in_second(Counter counter) const { return wide_ && counter >= Counter::ns; }
  unsigned shift(Counter counter) const {
    const unsigned index = static_cast<unsigned>(counter);
    if (wide_) return 32 * (index % 2);
    // Fields from the top down to this one, itself included.
    constexpr unsigned kOfFour[] = {4, 3, 2, 1};
    constexpr unsigned kOfSix[] = {6, 5, 3, 2, 4, 1};
    return 64 - bits_ * (six_ ? kOfSix[index] : kOfFour[index]);
  }
  std::uint32_t get(Words words, Counter counter) const {
    const std::uint64_t half = in_second(counter) ? words.hi : words.lo;
    return static_cast<std::uint32_t>(field_of(half, shift(counter), bits_));
  }
  void put(Words& words, Counter counter, std::uint32_t value) const {
    std::uint64_t& half = in_second(counter) ? words.hi : words.lo;
    half |= (static_cast<std::uint64_t>(value) & field_mask(0, bits_)) << shift(counter);
  }
  Words boundary() const {
    if (wide_) return {field_top(0, 32) | field_top(32, 32), field_top(0, 32) | field_top(32, 32)};
    std::uint64_t tops = 0;
    const unsigned fields = six_ ? 6 : 4;
    for (unsigned field = 1; field <= fields; ++field) tops |= field_top(64 - bits_ * field, bits_);
    return {tops, 0};
  }

  unsigned bits_;
  bool wide_;
  bool masked_;
  bool six_;
};

}  // namespace latchlab::dslr
