#include "core/protocols/dslr/dslr.h"

#include "core/protocols/dslr/protocol.h"

namespace latchlab {
namespace {

std::string contradiction(const dslr::Options& options) {
  const char* const over_limit[] = {"undo", "stay", "wrap"};
  if (options.wide != options.wraps())
    return std::string("entry is ") + (options.wide ? "wide16" : "word8") + " and over_limit is " +
           over_limit[static_cast<int>(options.over_limit)] +
           ": 32-bit counters run round and 8-byte entries stop at COUNT_MAX; take wide16 with "
           "wrap, or word8 with undo or stay";
  if (options.wide && !options.masked)
    return "entry is wide16 and fields is plain_faa: a plain FAA has 8 bytes; set fields to "
           "masked_faa";
  if (options.six && (options.wide || options.ticket_bits > 10))
    return "counters is six and there is no room for them: 8 bytes hold six of 10 bits; set "
           "ticket_bits to 10 or less, and entry to word8";
  if (options.multi_slot() && options.max_slots > options.word.count_max() / 2)
    return "max_slots is " + std::to_string(options.max_slots) + " and an era has " +
           std::to_string(options.word.count_max()) +
           " tickets: not even one client fits; lower max_slots, or raise ticket_bits";
  return dslr::late_release_contradiction(options);
}

// A release in flight for longer: see `Does not survive` in dslr.h.
Claims dslr_claims(const dslr::Options& options) {
  return options.lease.ps == 0 ? never_recovers() : recovers_by_leases(options.lease / 2);
}

}  // namespace

ProtocolEntry dslr_entry() {
  using dslr::Options;
  return make_entry<dslr::TicketLock<Options, dslr::Client>>(
      {.name = "dslr",
       .summary = "tickets for readers and writers in one word, with leases",
       .source = "DSLR (SIGMOD'18), algorithms 1 to 3, sections 5.1 and 5.2",
       .shared_mode = true,
       .update_mode = true,
       .fairness = "first come, first served",
       .handover = "tickets: waiters poll",
       .survives = "client crashes and stalls",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .shared_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .exclusive_after_shared = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}},
       .params = {{"ticket_bits", &Options::ticket_bits, 3, 16,
                   "bits of each counter of a word8 entry; COUNT_MAX = 2^(bits-1) (DSLR 4.9)"},
                  {"counters", &Options::six, "four|six",
                   "six: update locks, with at most 10 bits each; four: updates are exclusive "
                   "(DSLR 4.4, 5.2)"},
                  {"lease", &Options::lease, Duration{}, seconds(60),
                   "longest hold, for each slot; 0: failures are not detected (DSLR 4.1)"},
                  {"max_slots", &Options::max_slots, 1, 4096,
                   "the most tickets that one client takes for a longer lease; 1: no multi-slot "
                   "leasing (DSLR 5.1)"},
                  {"reserve", &Options::reserve, Duration{}, seconds(60),
                   "length of hold for which slots are taken, unless the caller expects a longer "
                   "one (assumed)"},
                  {"omega", &Options::omega, Duration{}, milliseconds(1),
                   "pause between READs for each ticket ahead (DSLR 4.6)"},
                  {"longest_pause", &Options::longest_pause, Duration{}, seconds(1),
                   "the longest pause between READs; 0: no limit (code of DSLR's authors: 1 ms)"},
                  {"backoff_first", &Options::backoff_first, Duration{}, seconds(1),
                   "R: bound of the first random backoff after a failed acquisition; 0: no backoff "
                   "(DSLR A.3)"},
                  {"backoff_bound", &Options::backoff_bound, Duration{}, seconds(10),
                   "L: the longest backoff (DSLR A.3)"},
                  {"entry", &Options::wide, "word8|wide16",
                   "four counters in 8 bytes (DSLR 4.4) or 4 x 32 bits (ShiftLock artifact)"},
                  {"fields", &Options::masked, "plain_faa|masked_faa",
                   "verb that adds to one counter (DSLR 4.5; ShiftLock artifact: masked)"},
                  {"over_limit", &Options::over_limit, "undo|stay|wrap",
                   "a ticket taken at COUNT_MAX: undone (DSLR 4.9), left, or no limit (port)"},
                  {"overtaken", &Options::overtaken, "before_turn|after_turn",
                   "whether a client tests that its ticket was passed before it tests for its turn "
                   "(DSLR algorithm 2), or after"},
                  {"progress", &Options::progress, "any|both",
                   "which counters must change so that the lock is not treated as stalled (DSLR "
                   "4.6: both)"},
                  {"repair", &Options::repair, "own_ticket|everyone",
                   "which clients a repair makes start over: those with tickets up to its own "
                   "(DSLR algorithm 2), or all"},
                  {"late_release", &Options::late_release,
                   "suppress|suppress_unless_reset|always|unless_repaired",
                   "what a release after the end of the lease does (DSLR algorithm 3: "
                   "suppress_unless_reset); unless_repaired: it releases by CAS if no client has "
                   "repaired the lock (assumed)"},
                  {"validity", &Options::validity, "from_grant|from_look",
                   "when a lease begins: when the client sees its turn (DSLR 4.8), or when it "
                   "issued the last READ that did not show it"},
                  {"reader_pacing", &Options::reader_pacing, "both|exclusive",
                   "which tickets ahead determine a reader's pause: those of readers and writers "
                   "(DSLR 4.6), or of writers only"},
                  {"pause_before_read", &Options::pause_before_read,
                   "pause before the first READ as well (ShiftLock artifact: yes)"}},
       .profiles = {{"repaired", "sigmod18 with one change for each counterexample in dslr.h"},
                    {"sigmod18",
                     "DSLR (SIGMOD'18), algorithms 1 to 3 as printed",
                     {{"over_limit", "undo"},
                      {"overtaken", "before_turn"},
                      {"progress", "both"},
                      {"repair", "own_ticket"},
                      {"late_release", "suppress_unless_reset"},
                      {"validity", "from_grant"}}},
                    {"shiftlock_port",
                     "ShiftLock artifact, its DSLR baseline",
                     {{"entry", "wide16"},
                      {"fields", "masked_faa"},
                      {"over_limit", "wrap"},
                      {"overtaken", "after_turn"},
                      {"progress", "both"},
                      {"repair", "own_ticket"},
                      {"late_release", "always"},
                      {"validity", "from_grant"},
                      {"reader_pacing", "exclusive"},
                      {"pause_before_read", true},
                      {"lease", seconds(1)},
                      {"omega", nanoseconds(1862)},
                      {"backoff_first", Duration{}}}},
                    {"multi_slot",
                     "repaired, with the leases of DSLR 5.1; 16 slots are assumed",
                     {{"max_slots", std::int64_t{16}}}},
                    {"update_locks",
                     "repaired, with the update locks of DSLR 5.2",
                     {{"counters", "six"}, {"ticket_bits", std::int64_t{10}}}}},
       .printed = {"overtaken=before_turn", "progress=both", "repair=own_ticket", "over_limit=undo",
                   "over_limit=wrap", "late_release=always", "late_release=suppress_unless_reset",
                   "validity=from_grant"},
       .small_model = {{"ticket_bits", 3},
                       {"lease", microseconds(100)},
                       {"omega", microseconds(1)},
                       {"backoff_first", microseconds(1)},
                       {"backoff_bound", microseconds(8)}},
       .claims = dslr_claims,
       .longest_timeout =
           [](const Options& options) {
             return options.lease * 2 * (options.multi_slot() ? options.max_slots : 1);
           },
       .longest_grant =
           [](const Options& options) {
             return options.lease * (options.multi_slot() ? options.max_slots : 1);
           },
       .contradiction = contradiction});
}

}  // namespace latchlab
