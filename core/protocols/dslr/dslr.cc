#include "core/protocols/dslr/dslr.h"

#include "core/protocols/common/entry.h"
#include "core/protocols/dslr/client.h"

namespace latchlab {
namespace {

class Dslr final : public ProtocolOf<dslr::Options, dslr::Client> {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override {
    const std::uint64_t bytes = options_.word.bytes();
    return {.entry_bytes = bytes, .entry_align = bytes};
  }
  Limits limits() const override {
    // Above COUNT_MAX a field has room for COUNT_MAX - 1 tickets that will not be served.
    return {.max_clients = options_.word.count_max() - 1};
  }
  std::vector<Capability> needs() const override {
    std::vector<Capability> needed;
    if (options_.lease.ps > 0) needed.push_back(Capability::timing);
    if (options_.masked && !options_.wide) needed.push_back(Capability::masked_atomics_8);
    if (options_.wide) needed.push_back(Capability::masked_atomics_16);
    return needed;
  }
  // DSLR (SIGMOD'18) appendix A.2, Lemma 2 and Theorem 3: whoever takes a later ticket does not get
  // ahead, the lock is given first come, first served. That is within one era (4.9): a client that
  // finds no tickets left starts anew in the next one, behind others that came after it, and
  // neither the paper nor the repairs bound how often. COUNT_MAX acquisitions fit in one era.
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t acquisitions) const override {
    if (waiter == LockMode::shared && winner == LockMode::shared) return std::nullopt;
    const bool one_era = options_.wraps() || acquisitions <= options_.word.count_max();
    return one_era ? std::optional<std::uint32_t>(0) : std::nullopt;
  }
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    const dslr::Tickets t = tickets(words);
    return (t.nx == t.max_x && t.ns == t.max_s) || dslr::is_tombstone(options_, t);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    const dslr::Tickets t = tickets(words);
    return "nX=" + std::to_string(t.nx) + " nS=" + std::to_string(t.ns) +
           " maxX=" + std::to_string(t.max_x) + " maxS=" + std::to_string(t.max_s);
  }

 private:
  dslr::Tickets tickets(std::span<const std::uint64_t> words) const {
    return options_.word.unpack({words[0], options_.wide ? words[1] : 0});
  }
};

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
  return backoff_order_contradiction(options.backoff_first, options.backoff_bound);
}

}  // namespace

ProtocolEntry dslr_entry() {
  using dslr::Options;
  return make_entry<Dslr>(
      {.name = "dslr",
       .summary = "tickets for readers and writers in one word, with leases",
       .source = "DSLR (SIGMOD'18), algorithms 1 to 3",
       .shared_mode = true,
       .fairness = "first come, first served",
       .handover = "tickets: waiters look until they are called",
       .survives = "clients that die",
       .costs = {.free_x = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .x_after_x = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .free_s = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .s_after_x = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .x_after_s = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}},
       .params = {{"ticket_bits", &Options::ticket_bits, 3, 16,
                   "bits of each counter of a word8 entry; COUNT_MAX = 2^(bits-1) (DSLR 4.9)"},
                  {"lease", &Options::lease, Duration{}, seconds(60),
                   "longest hold; 0: failures are not looked for (DSLR 4.1)"},
                  {"omega", &Options::omega, Duration{}, milliseconds(1),
                   "pause between READs for each ticket ahead (DSLR 4.6)"},
                  {"backoff_first", &Options::backoff_first, Duration{}, seconds(1),
                   "R: random backoff after a failed acquisition; 0: none (DSLR A.3)"},
                  {"backoff_bound", &Options::backoff_bound, Duration{}, seconds(10),
                   "L: its longest pause (DSLR A.3)"},
                  {"entry", &Options::wide, "word8|wide16",
                   "four counters in 8 bytes (DSLR 4.4) or 4 x 32 bits (ShiftLock artifact)"},
                  {"fields", &Options::masked, "plain_faa|masked_faa",
                   "verb that adds to one counter (DSLR 4.5; ShiftLock artifact: masked)"},
                  {"over_limit", &Options::over_limit, "undo|stay|wrap",
                   "a ticket taken at COUNT_MAX: undone (DSLR 4.9), left, or no limit (port)"},
                  {"overtaken", &Options::overtaken, "before_turn|after_turn",
                   "test for a passed ticket before (DSLR algorithm 2) or after that for the turn"},
                  {"progress", &Options::progress, "any|both",
                   "counters that must change for the lock to count as alive (DSLR 4.6: both)"},
                  {"repair", &Options::repair, "own_ticket|everyone",
                   "whom a repair sends back: up to the own ticket (DSLR algorithm 2), or all"},
                  {"late_release", &Options::late_release, "suppress|suppress_unless_reset|always",
                   "release after the lease (DSLR algorithm 3: suppress_unless_reset)"},
                  {"reader_pacing", &Options::reader_pacing, "both|exclusive",
                   "tickets ahead that a reader's pause counts (DSLR 4.6: both)"},
                  {"pause_before_read", &Options::pause_before_read,
                   "pause before the first READ as well (ShiftLock artifact: yes)"}},
       .profiles = {{"repaired", "sigmod18 with one change for each counter-example in dslr.h"},
                    {"sigmod18",
                     "DSLR (SIGMOD'18), algorithms 1 to 3 as printed",
                     {{"over_limit", "undo"},
                      {"overtaken", "before_turn"},
                      {"progress", "both"},
                      {"repair", "own_ticket"},
                      {"late_release", "suppress_unless_reset"}}},
                    {"shiftlock_port",
                     "ShiftLock artifact, its DSLR baseline",
                     {{"entry", "wide16"},
                      {"fields", "masked_faa"},
                      {"over_limit", "wrap"},
                      {"overtaken", "after_turn"},
                      {"progress", "both"},
                      {"repair", "own_ticket"},
                      {"late_release", "always"},
                      {"reader_pacing", "exclusive"},
                      {"pause_before_read", true},
                      {"lease", seconds(1)},
                      {"omega", nanoseconds(1862)},
                      {"backoff_first", Duration{}}}}},
       .small_model = {{"ticket_bits", 3},
                       {"lease", microseconds(100)},
                       {"omega", microseconds(1)},
                       {"backoff_first", microseconds(1)},
                       {"backoff_bound", microseconds(8)}},
       .longest_timeout = [](const Options& options) { return options.lease * 2; },
       .contradiction = contradiction});
}

}  // namespace latchlab
