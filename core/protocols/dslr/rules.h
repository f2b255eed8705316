#pragma once
// DSLR's decisions as pure functions of the word read: whose turn it is, which ticket was passed,
// how long to wait, and what a repair writes. dslr.h and dslr_plus.h describe the switches.

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
