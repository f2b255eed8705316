#pragma once
// DSLR's decisions as pure functions of what was read: whose turn it is, who was overtaken, how
// long to wait, and what a repair writes. The switches are described in dslr.h and dslr_plus.h.

#include <cstdint>
#include <string>

#include "core/base/zero_padding.h"
#include "core/protocols/common/failure_backoff.h"
#include "core/protocols/dslr/ticket_word.h"
#include "core/protocols/lock.h"

namespace latchlab::dslr {

enum class Progress : std::uint8_t { any, both };
enum class Overtaken : std::uint8_t { before_turn, after_turn };
enum class OverLimit : std::uint8_t { undo, stay, wrap };
enum class Repair : std::uint8_t { own_ticket, everyone };
enum class LateRelease : std::uint8_t { suppress, suppress_unless_reset, always, unless_repaired };
// A lease begins when the client sees its turn, or no later than that turn can have come.
enum class Validity : std::uint8_t { from_grant, from_look };

enum class ReaderPacing : std::uint8_t { both, exclusive };

// The base, `rejoin_*` and `repeats` are dslr_plus's.
struct Options : AdaptiveBackoffOptions {
  unsigned ticket_bits = 16;
  bool six = false;  // counters
  bool wide = false;
  bool masked = false;
  Duration lease = milliseconds(10);  // zero: failures are not looked for
  std::uint32_t max_slots = 1;        // more: multi-slot leasing
  Duration reserve = {};              // longest hold that slots are taken for, without a hint
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
  bool rejoin_early = true;    // as soon as there is one ticket, or two
  bool rejoin_checked = true;  // the ticket that is taken then is looked at like any other

  TicketWord word{16, false, false};
  void derive() { word = TicketWord(ticket_bits, wide, masked, six); }

  bool wraps() const { return over_limit == OverLimit::wrap; }
  // Dates of looks count. Where they do not, no client keeps any: a search has fewer states.
  bool dates_looks() const { return validity == Validity::from_look && lease.ps > 0; }
  bool multi_slot() const { return max_slots > 1 && lease.ps > 0; }
  // Two leases; with multi-slot leasing for each of so many tickets.
  Duration timeout(std::uint64_t tickets) const;
};

// The max counters at the moment of the FAA: a place in the queue.
struct Ticket {
  std::uint32_t x = 0;
  std::uint32_t s = 0;
  std::uint32_t u = 0;
  std::uint32_t slots = 1;  // k: the next ticket is so much further on
  LockMode mode = LockMode::exclusive;
  bool last = false;  // of its era, which its owner ends
  ZeroPadding<std::uint8_t, 6> padding = {};
};

// The counters once this ticket, and everybody before it, has been served, and nobody came after.
Tickets served_up_to(const Ticket& ticket);
// So many tickets have been given before this one and were not served.
std::uint64_t outstanding(const Options& options, const Ticket& ticket, const Tickets& now);
// Description::contradiction of how a client releases and waits; empty: none.
std::string late_release_contradiction(const Options& options);
// How many tickets a client takes for this hold.
std::uint32_t slots_for(const Options& options, Duration expected_hold);

// The end of a grant that its client has now. `not_yet`: a date at which it was not its turn, on
// the same clock.
Time valid_until(const Options& options, const Ticket& ticket, Time now, Time not_yet);

bool my_turn(const Ticket& ticket, const Tickets& now);
// Of a ticket whose turn has come: it has not been passed since, nor has its era ended.
bool still_my_turn(const Options& options, const Ticket& ticket, const Tickets& now);
// The counters once this ticket, whose turn it is, has been served.
Tickets served_once_more(const Ticket& ticket, const Tickets& now);
// An update is alone with its lock: the readers that came before it have left.
bool readers_gone(const Ticket& update, const Tickets& now);
// The counters have passed the ticket: somebody repaired the lock, and the ticket is worth nothing.
bool passed(const Options& options, const Ticket& ticket, const Tickets& now);
Verdict judge(const Options& options, const Ticket& ticket, const Tickets& now);
Verdict judge_upgrade(const Options& options, const Ticket& update, const Tickets& now);
Duration pause(const Options& options, const Ticket& ticket, const Tickets& now);

// No ticket can be had: a max counter has reached COUNT_MAX.
bool over_limit(const Options& options, const Tickets& now);
// Of an undone ticket: is there another one to be had?
bool may_rejoin(const Options& options, const Tickets& now);
// The ticket takes its max counter over that limit: it is the last one.
bool is_last(const Options& options, const Ticket& ticket);
// Nobody's turn, ever: nX is beyond every ticket. What a repair leaves when there are no tickets
// left; after two more leases, in which every waiter has seen it, it may become zero.
bool is_tombstone(const Options& options, const Tickets& now);
Tickets repaired(const Options& options, const Ticket& ticket, const Tickets& now);

// Has the lock moved on? By `progress`.
bool moved(const Options& options, const Tickets& before, const Tickets& now);
// What has to change for that, where any counter will do.
Words served_counters(const Tickets& now);

}  // namespace latchlab::dslr
