#pragma once
// DSLR's decisions as pure functions of the word read: whose turn it is, which ticket was passed,
// how long to wait, and what a repair writes. dslr.h and dslr_plus.h describe the switches.

#include <cstdint>
#include <string>

#include "core/base/zero_padding.h"
#include "core/protocols/common/failure_backoff.h"
#include "core/protocols/common/masks.h"
#include "core/protocols/lock.h"
#include "core/verbs/verbs.h"

namespace latchlab::dslr {

// The counters of a DSLR entry and their layout.
//   word8   four fields of `bits` each, from the top of the word down: nX nS maxX maxS; or six: nU
//           nX nS maxU maxX maxS. Fields that do not fill the word are at its top, so that a carry
//           out of the uppermost field leaves the word as at full width; the low bits stay 0.
//   wide16  32 bits each: maxS and maxX in the first word (low and high half), nS and nX in the
//           second (the port's layout).

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

enum class Progress : std::uint8_t { any, both };
enum class Overtaken : std::uint8_t { before_turn, after_turn };
enum class OverLimit : std::uint8_t { undo, stay, wrap };
enum class Repair : std::uint8_t { own_ticket, everyone };
enum class LateRelease : std::uint8_t { suppress, suppress_unless_reset, always, unless_repaired };
// A lease begins when the client sees its turn, or when it last saw that its turn had not come.
enum class Validity : std::uint8_t { from_grant, from_look };

enum class ReaderPacing : std::uint8_t { both, exclusive };

struct Options {
  unsigned ticket_bits = 16;
  bool six = false;  // counters
  bool wide = false;
  bool masked = false;
  Duration lease = milliseconds(10);  // zero: no failure detection
  std::uint32_t max_slots = 1;        // above 1: multi-slot leasing
  Duration reserve = {};              // hold that slots are taken for if the caller gives no hint
  Duration omega = microseconds(5);
  Duration longest_pause = {};  // between READs; zero: no limit
  Duration backoff_first = microseconds(10);
  Duration backoff_bound = milliseconds(10);
  ReaderPacing reader_pacing = ReaderPacing::both;
  bool pause_before_read = false;
  Progress progress = Progress::any;
  Overtaken overtaken = Overtaken::after_turn;
  OverLimit over_limit = OverLimit::stay;
  Repair repair = Repair::everyone;
  LateRelease late_release = LateRelease::suppress;
  Validity validity = Validity::from_look;

  TicketWord word{16, false, false};
  void derive() { word = TicketWord(ticket_bits, wide, masked, six); }

  bool wraps() const { return over_limit == OverLimit::wrap; }
  // True if the times of looks matter. Otherwise no client stores them, which saves search states.
  bool dates_looks() const { return validity == Validity::from_look && lease.ps > 0; }
  bool multi_slot() const { return max_slots > 1 && lease.ps > 0; }
  // Two leases; with multi-slot leasing, two leases for each of these tickets.
  Duration timeout(std::uint64_t tickets) const;
};

// The max counters at the moment of the FAA: a place in the queue.
struct Ticket {
  std::uint32_t x = 0;
  std::uint32_t s = 0;
  std::uint32_t u = 0;
  std::uint32_t slots = 1;  // k: how far the next ticket is from this one
  LockMode mode = LockMode::exclusive;
  bool last = false;  // the last ticket of its era, which its owner ends
  ZeroPadding<std::uint8_t, 6> padding = {};
};

// The counter whose value before an FAA is the next ticket, and the counter of served tickets.
Counter next_ticket(LockMode mode);
Counter served(LockMode mode);

// What a grant stores of its ticket, in Grant::words. The ticket is stored only if the release or
// an upgrade depends on it, or if the release compares it with the word.
struct StoredTicket {
  Ticket ticket;
  bool alone = false;  // for an update: the readers had left when it was granted
};
void store(Grant& grant, const StoredTicket& stored, bool compared);
StoredTicket ticket_in(const Grant& grant);

// "Repeat CAS(L, from, 0) until it succeeds" (algorithm 3, line 7), with no other exit.
Task<void> swap_until_zero(Verbs& verbs, const TicketWord& word, LockRef lock, Tickets from);

// The counters once this ticket and all before it have been served, and none came after.
Tickets served_up_to(const Ticket& ticket);
// How many tickets before this one have been given and not served.
std::uint64_t outstanding(const Options& options, const Ticket& ticket, const Tickets& now);
// Description::contradiction of the release and waiting options; empty: none.
std::string late_release_contradiction(const Options& options);
// How many tickets a client takes for this hold.
std::uint32_t slots_for(const Options& options, Duration expected_hold);

// The end of a grant that its client receives now. `not_yet`: a time before its turn, on the same
// clock.
Time valid_until(const Options& options, const Ticket& ticket, Time now, Time not_yet);

bool my_turn(const Ticket& ticket, const Tickets& now);
// For a ticket whose turn has come: it has not been passed since, and its era has not ended.
bool still_my_turn(const Options& options, const Ticket& ticket, const Tickets& now);
// The counters once this ticket, whose turn it is, has been served.
Tickets served_once_more(const Ticket& ticket, const Tickets& now);
// True if the readers that came before an update have left.
bool readers_gone(const Ticket& update, const Tickets& now);
// True if the counters have passed the ticket: the lock was repaired, and the ticket is void.
bool passed(const Options& options, const Ticket& ticket, const Tickets& now);
Verdict judge(const Options& options, const Ticket& ticket, const Tickets& now);
Verdict judge_upgrade(const Options& options, const Ticket& update, const Tickets& now);
Duration pause(const Options& options, const Ticket& ticket, const Tickets& now);

// No ticket is left: a max counter has reached COUNT_MAX.
bool over_limit(const Options& options, const Tickets& now);
// True if the ticket takes its max counter to COUNT_MAX or beyond: it is the last of its era.
bool is_last(const Options& options, const Ticket& ticket);
// nX is beyond every ticket, so that no ticket's turn comes. A repair leaves this when no tickets
// are left. It may become zero after two more leases, in which every waiter has seen it.
bool is_tombstone(const Options& options, const Tickets& now);
Tickets repaired(const Options& options, const Ticket& ticket, const Tickets& now);

// True if the lock has made progress, as `progress` defines it.
bool moved(const Options& options, const Tickets& before, const Tickets& now);
// The counters of which any change is progress for Progress::any.
Words served_counters(const Tickets& now);

}  // namespace latchlab::dslr
