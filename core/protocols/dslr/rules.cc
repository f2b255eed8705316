#include "core/protocols/dslr/rules.h"

#include <algorithm>

#include "core/protocols/common/planted.h"

namespace latchlab::dslr {

namespace {

bool behind(const Options& options, std::uint32_t ticket, std::uint32_t counter) {
  if (options.wraps()) return ticket - counter > ~0U / 2;
  return ticket < counter;
}

std::uint32_t ahead(const Options& options, std::uint32_t ticket, std::uint32_t counter) {
  return behind(options, ticket, counter) ? 0 : ticket - counter;
}

std::uint32_t own(const Ticket& ticket) {
  if (ticket.mode == LockMode::update) return ticket.u;
  return ticket.mode == LockMode::shared ? ticket.s : ticket.x;
}

std::uint32_t own_max(const Ticket& ticket, const Tickets& now) {
  if (ticket.mode == LockMode::update) return now.max_u;
  return ticket.mode == LockMode::shared ? now.max_s : now.max_x;
}

// Within an era, the max counter of a ticket's mode is beyond that ticket.
bool of_earlier_era(const Options& options, const Ticket& ticket, const Tickets& now) {
  if (options.wraps() || options.repair == Repair::own_ticket) return false;
  return own_max(ticket, now) < own(ticket) + ticket.slots;
}

// True if the updates that came before a reader have left. Updates that came after it are served
// beside it: if the reader waited for the exact number, a reader that looks late would lose its
// place.
bool updates_gone(const Ticket& reader, const Tickets& now) {
  return PLANTED(dslr_reader_waits_for_one_update) ? now.nu == reader.u : now.nu >= reader.u;
}

}  // namespace

Duration Options::timeout(std::uint64_t tickets) const {
  if (lease.ps == 0) return kForever;
  if (!multi_slot()) return lease * 2;
  const auto most = static_cast<std::uint64_t>(kForever.ps / (lease.ps * 2));
  return lease * 2 * static_cast<std::int64_t>(std::clamp<std::uint64_t>(tickets, 1, most));
}

Counter next_ticket(LockMode mode) {
  if (mode == LockMode::update) return Counter::max_u;
  return mode == LockMode::shared ? Counter::max_s : Counter::max_x;
}
Counter served(LockMode mode) {
  if (mode == LockMode::update) return Counter::nu;
  return mode == LockMode::shared ? Counter::ns : Counter::nx;
}

void store(Grant& grant, const StoredTicket& stored, bool compared) {
  const Ticket& ticket = stored.ticket;
  if (!compared && !ticket.last && ticket.mode != LockMode::update && ticket.slots == 1) return;
  const std::uint64_t flags = 1 + (ticket.last ? 2 : 0) + (stored.alone ? 4 : 0);
  grant.words = {ticket.x | std::uint64_t{ticket.s} << 32,
                 ticket.u | std::uint64_t{ticket.slots} << 32,
                 flags | std::uint64_t{static_cast<std::uint8_t>(ticket.mode)} << 8, 0};
}
StoredTicket ticket_in(const Grant& grant) {
  StoredTicket stored;
  const auto& [xs, uk, flags, none] = grant.words;
  stored.ticket.mode = grant.mode;
  if (flags == 0) return stored;
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  stored.ticket.x = low(xs);
  stored.ticket.s = low(xs >> 32);
  stored.ticket.u = low(uk);
  stored.ticket.slots = low(uk >> 32);
  stored.ticket.mode = static_cast<LockMode>(flags >> 8);
  stored.ticket.last = (flags & 2) != 0;
  stored.alone = (flags & 4) != 0;
  return stored;
}

Task<void> swap_until_zero(Verbs& verbs, const TicketWord& word, LockRef lock, Tickets from) {
  const Words expected = word.pack(from);
  RemoteWait wait;
  wait.add(word.swap(lock.entry, expected, {}));
  wait.classify = [expected](const ProbeValues& before) {
    return before[0] == expected ? Verdict::done : Verdict::pending;
  };
  co_await verbs.await_remote(wait);
}

Tickets served_up_to(const Ticket& ticket) {
  Tickets served{ticket.x, ticket.s, ticket.x, ticket.s, ticket.u, ticket.u};
  if (ticket.mode == LockMode::exclusive) served.nx = served.max_x = ticket.x + ticket.slots;
  if (ticket.mode == LockMode::shared) served.ns = served.max_s = ticket.s + ticket.slots;
  if (ticket.mode == LockMode::update) served.nu = served.max_u = ticket.u + ticket.slots;
  return served;
}

std::uint64_t outstanding(const Options& options, const Ticket& ticket, const Tickets& now) {
  return std::uint64_t{ahead(options, ticket.x, now.nx)} + ahead(options, ticket.s, now.ns) +
         ahead(options, ticket.u, now.nu);
}

std::string late_release_contradiction(const Options& options) {
  if (options.late_release == LateRelease::unless_repaired && options.repair == Repair::own_ticket)
    return "late_release is unless_repaired and repair is own_ticket: a reader that such a repair "
           "has served does not see it; set repair to everyone, or late_release to suppress";
  return backoff_order_contradiction(options.backoff_first, options.backoff_bound);
}

std::uint32_t slots_for(const Options& options, Duration expected_hold) {
  if (!options.multi_slot()) return 1;
  const std::int64_t leases = std::max(options.reserve, expected_hold).ps / options.lease.ps;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(leases + 1, options.max_slots));
}

// A repair comes at the earliest two leases per ticket after the turn has come. Half a lease of
// that is reserved for a release in flight; the rest covers the last pause between two looks.
Time valid_until(const Options& options, const Ticket& ticket, Time now, Time not_yet) {
  if (options.lease.ps == 0) return kNever;
  const Duration whole = options.lease * static_cast<std::int64_t>(ticket.slots);
  const Time from_grant = saturating_add(now, whole);
  if (options.validity == Validity::from_grant) return from_grant;
  return std::min(from_grant, saturating_add(not_yet, whole * 2 - options.lease / 2));
}

bool my_turn(const Ticket& ticket, const Tickets& now) {
  if (ticket.mode == LockMode::shared)
    return (ticket.x == now.nx && updates_gone(ticket, now)) || PLANTED(dslr_reader_ignores_nx);
  if (ticket.x != now.nx || ticket.u != now.nu) return false;
  return ticket.mode == LockMode::update || ticket.s == now.ns;
}

bool still_my_turn(const Options& options, const Ticket& ticket, const Tickets& now) {
  return my_turn(ticket, now) && !of_earlier_era(options, ticket, now);
}

Tickets served_once_more(const Ticket& ticket, const Tickets& now) {
  Tickets next = now;
  if (ticket.mode == LockMode::exclusive) next.nx += ticket.slots;
  if (ticket.mode == LockMode::shared) next.ns += ticket.slots;
  if (ticket.mode == LockMode::update) next.nu += ticket.slots;
  return next;
}

bool readers_gone(const Ticket& update, const Tickets& now) {
  return update.s == now.ns || PLANTED(dslr_upgrade_ignores_readers);
}

bool passed(const Options& options, const Ticket& ticket, const Tickets& now) {
  if (ticket.mode != LockMode::shared && behind(options, ticket.u, now.nu)) return true;
  return behind(options, ticket.x, now.nx) || behind(options, ticket.s, now.ns);
}

Verdict judge(const Options& options, const Ticket& ticket, const Tickets& now) {
  const bool lost = passed(options, ticket, now);
  if (lost && options.overtaken == Overtaken::before_turn) return Verdict::abandon;
  if (of_earlier_era(options, ticket, now)) return Verdict::abandon;
  if (my_turn(ticket, now)) return Verdict::done;
  return lost ? Verdict::abandon : Verdict::pending;
}

Verdict judge_upgrade(const Options& options, const Ticket& update, const Tickets& now) {
  if (of_earlier_era(options, update, now) || !my_turn(update, now)) return Verdict::abandon;
  return readers_gone(update, now) ? Verdict::done : Verdict::pending;
}

Duration pause(const Options& options, const Ticket& ticket, const Tickets& now) {
  std::int64_t count = ahead(options, ticket.x, now.nx);
  count += ahead(options, ticket.u, now.nu);
  if (ticket.mode == LockMode::exclusive || options.reader_pacing == ReaderPacing::both)
    count += ahead(options, ticket.s, now.ns);
  Duration length = options.omega * count;
  if (options.longest_pause.ps > 0) length = std::min(length, options.longest_pause);
  // Counter-example 7: a waiting client must look again well within a lease.
  const bool capped = options.repair == Repair::everyone && options.lease.ps > 0;
  return capped ? std::min(length, options.lease / 2) : length;
}

bool over_limit(const Options& options, const Tickets& now) {
  if (options.wraps() || PLANTED(dslr_no_count_max_reset)) return false;
  return std::max({now.max_x, now.max_s, now.max_u}) >= options.word.count_max();
}

bool is_last(const Options& options, const Ticket& ticket) {
  if (options.wraps() || PLANTED(dslr_no_count_max_reset)) return false;
  const std::uint32_t next = own(ticket) + ticket.slots;
  if (PLANTED(dslr_last_ticket_meets_the_limit)) return next == options.word.count_max();
  return next >= options.word.count_max();
}

bool is_tombstone(const Options& options, const Tickets& now) {
  return !options.wraps() && now.nx == options.word.largest();
}

Tickets repaired(const Options& options, const Ticket& ticket, const Tickets& now) {
  Tickets next = now;
  if (options.repair == Repair::own_ticket) {
    const Tickets served = served_up_to(ticket);
    next.nx = served.nx;
    next.ns = served.ns;
    next.nu = served.nu;
    return next;
  }
  // Acts as one more writer that came and left: nX passes every ticket given so far.
  next.nx = next.max_x = now.max_x + 1;
  next.ns = now.max_s;
  next.nu = now.max_u;
  if (!over_limit(options, next)) return next;
  next = now;
  next.nx = options.word.largest();
  next.max_x = std::max(now.max_x, options.word.count_max());  // newcomers see that the era is over
  return next;
}

bool moved(const Options& options, const Tickets& before, const Tickets& now) {
  const bool x = before.nx != now.nx;
  const bool s = before.ns != now.ns;
  const bool u = before.nu != now.nu;
  if (options.progress == Progress::any) return x || s || u;
  return x && s && (u || !options.six);
}

Words served_counters(const Tickets& now) {
  return {now.nx | std::uint64_t{now.nu} << 32, now.ns};
}

}  // namespace latchlab::dslr
