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

// Within an era a max counter never falls back to a ticket that it has given.
bool of_earlier_era(const Options& options, const Ticket& ticket, const Tickets& now) {
  if (options.wraps() || options.repair == Repair::own_ticket) return false;
  return ticket.mode == LockMode::shared ? now.max_s <= ticket.s : now.max_x <= ticket.x;
}

}  // namespace

bool my_turn(const Ticket& ticket, const Tickets& now) {
  if (ticket.mode == LockMode::shared) return ticket.x == now.nx || PLANTED(dslr_reader_ignores_nx);
  return ticket.x == now.nx && ticket.s == now.ns;
}

bool passed(const Options& options, const Ticket& ticket, const Tickets& now) {
  return behind(options, ticket.x, now.nx) || behind(options, ticket.s, now.ns);
}

Verdict judge(const Options& options, const Ticket& ticket, const Tickets& now) {
  const bool lost = passed(options, ticket, now);
  if (lost && options.overtaken == Overtaken::before_turn) return Verdict::abandon;
  if (of_earlier_era(options, ticket, now)) return Verdict::abandon;
  if (my_turn(ticket, now)) return Verdict::done;
  return lost ? Verdict::abandon : Verdict::pending;
}

Duration pause(const Options& options, const Ticket& ticket, const Tickets& now) {
  std::int64_t count = ahead(options, ticket.x, now.nx);
  if (ticket.mode == LockMode::exclusive || options.reader_pacing == ReaderPacing::both)
    count += ahead(options, ticket.s, now.ns);
  const Duration length = options.omega * count;
  // Counter-example 7: whoever waits must look again well within a lease.
  const bool capped = options.repair == Repair::everyone && options.lease.ps > 0;
  return capped ? std::min(length, options.lease / 2) : length;
}

bool over_limit(const Options& options, const Tickets& now) {
  if (options.wraps() || PLANTED(dslr_no_count_max_reset)) return false;
  return now.max_x >= options.word.count_max() || now.max_s >= options.word.count_max();
}

bool is_last(const Options& options, const Tickets& seen, LockMode mode) {
  if (options.wraps() || PLANTED(dslr_no_count_max_reset)) return false;
  const std::uint32_t mine = mode == LockMode::shared ? seen.max_s : seen.max_x;
  return mine == options.word.count_max() - 1;
}

bool is_tombstone(const Options& options, const Tickets& now) {
  return !options.wraps() && now.nx == options.word.largest();
}

Tickets repaired(const Options& options, const Ticket& ticket, const Tickets& now) {
  Tickets next = now;
  if (options.repair == Repair::own_ticket) {
    const bool shared = ticket.mode == LockMode::shared;
    next.nx = ticket.x + (shared ? 0 : 1);
    next.ns = ticket.s + (shared ? 1 : 0);
    return next;
  }
  // As if one more writer had come and gone: every ticket that is out is passed by nX.
  next.nx = next.max_x = now.max_x + 1;
  next.ns = now.max_s;
  if (!over_limit(options, next)) return next;
  next = now;
  next.nx = options.word.largest();
  next.max_x = std::max(now.max_x, options.word.count_max());  // newcomers see that the era is over
  return next;
}

bool moved(const Options& options, const Tickets& before, const Tickets& now) {
  const bool x = before.nx != now.nx;
  const bool s = before.ns != now.ns;
  return options.progress == Progress::any ? x || s : x && s;
}

}  // namespace latchlab::dslr
