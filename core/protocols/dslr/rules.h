#pragma once
// DSLR's decisions as pure functions of what was read: whose turn it is, who was overtaken, how
// long to wait, and what a repair writes. The switches are described in dslr.h.

#include <cstdint>

#include "core/base/zero_padding.h"
#include "core/protocols/dslr/ticket_word.h"
#include "core/protocols/lock.h"

namespace latchlab::dslr {

enum class Progress : std::uint8_t { any, both };
enum class Overtaken : std::uint8_t { before_turn, after_turn };
enum class OverLimit : std::uint8_t { undo, stay, wrap };
enum class Repair : std::uint8_t { own_ticket, everyone };
enum class LateRelease : std::uint8_t { suppress, suppress_unless_reset, always };

enum class ReaderPacing : std::uint8_t { both, exclusive };

struct Options {
  unsigned ticket_bits = 16;
  bool wide = false;
  bool masked = false;
  Duration lease = milliseconds(10);  // zero: failures are not looked for
  Duration omega = microseconds(5);
  Duration backoff_first = microseconds(10);
  Duration backoff_bound = milliseconds(10);
  ReaderPacing reader_pacing = ReaderPacing::both;
  bool pause_before_read = false;
  Progress progress = Progress::any;
  Overtaken overtaken = Overtaken::after_turn;
  OverLimit over_limit = OverLimit::stay;
  Repair repair = Repair::everyone;
  LateRelease late_release = LateRelease::suppress;

  TicketWord word{16, false, false};
  void derive() { word = TicketWord(ticket_bits, wide, masked); }

  bool wraps() const { return over_limit == OverLimit::wrap; }
  Duration timeout() const { return lease.ps == 0 ? kForever : lease * 2; }
};

// The max counters at the moment of the FAA: a place in the queue.
struct Ticket {
  std::uint32_t x = 0;
  std::uint32_t s = 0;
  LockMode mode = LockMode::exclusive;
  ZeroPadding<std::uint8_t, 3> padding = {};
};

bool my_turn(const Ticket& ticket, const Tickets& now);
// The counters have passed the ticket: somebody repaired the lock, and the ticket is worth nothing.
bool passed(const Options& options, const Ticket& ticket, const Tickets& now);
Verdict judge(const Options& options, const Ticket& ticket, const Tickets& now);
Duration pause(const Options& options, const Ticket& ticket, const Tickets& now);

// No ticket can be had: a max counter has reached COUNT_MAX.
bool over_limit(const Options& options, const Tickets& now);
// The ticket is the last one before that: its owner ends the era.
bool is_last(const Options& options, const Tickets& seen, LockMode mode);
// Nobody's turn, ever: nX is beyond every ticket. What a repair leaves when there are no tickets
// left; after two more leases, in which every waiter has seen it, it may become zero.
bool is_tombstone(const Options& options, const Tickets& now);
Tickets repaired(const Options& options, const Ticket& ticket, const Tickets& now);

// Has the lock moved on? By `progress`.
bool moved(const Options& options, const Tickets& before, const Tickets& now);

}  // namespace latchlab::dslr
