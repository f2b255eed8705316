#include "core/protocols/dslr_plus/dslr_plus.h"

#include "core/protocols/common/adaptive_params.h"
#include "core/protocols/dslr/protocol.h"
#include "core/protocols/dslr_plus/client.h"

namespace latchlab {

dslr_plus::Options::Options() {
  lease = Duration{};
  over_limit = dslr::OverLimit::undo;
  repair = dslr::Repair::own_ticket;
  initial = nanoseconds(100);
  cap_shift = 5;
  interval = microseconds(100);
  low_percent = 50;
  high_percent = 70;
  longest_jitter = microseconds(2);
  starts_at_cap = true;
  lifetime_share = true;
}

ProtocolEntry dslr_plus_entry() {
  using Options = dslr_plus::Options;
  return make_entry<dslr::TicketLock<Options, dslr_plus::Client>>(
      {.name = "dslr_plus",
       .summary = "dslr with truncated exponential backoff, without leases",
       .source = "DecLock (arXiv 2505.17641) 2.3 and 6.1, its DSLR+; DSLR (SIGMOD'18)",
       .shared_mode = true,
       .fairness = "first come, first served",
       .handover = "tickets: waiters poll",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .shared_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .exclusive_after_shared = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}},
       .params =
           {{"ticket_bits", &Options::ticket_bits, 3, 16,
             "bits of each counter; COUNT_MAX = 2^(bits-1) (DSLR 4.9)"},
            {"backoff_initial", &Options::initial, nanoseconds(1), milliseconds(10),
             "t0: the first pause between READs (DecLock artifact)"},
            {"backoff_cap_shift", &Options::cap_shift, 0, 20,
             "the bound of pauses begins at t0 << this and never exceeds it (DecLock artifact)"},
            {"backoff_jitter", &Options::longest_jitter, nanoseconds(1), milliseconds(10),
             "each pause is longer by a random part below this (DecLock artifact)"},
            {"adapt_interval", &Options::interval, Duration{}, seconds(10),
             "the bound is adapted at most this often (DecLock artifact)"},
            {"low_watermark_percent", &Options::low_percent, 0, 100,
             "below this share of retries the bound halves (DecLock artifact)"},
            {"high_watermark_percent", &Options::high_percent, 0, 100,
             "above this share of retries the bound doubles (DecLock artifact)"},
            {"share", &Options::lifetime_share, "since_last_look|lifetime",
             "over which retries the share is computed: since the bound was last adapted (SMART), "
             "or all (DecLock artifact)"},
            {"forgets_after", &Options::forgets_after, 0, 1000,
             "after so many retries the pause loses its term t0 << k, and only the random part "
             "remains; 0: never (DecLock artifact: 62)"},
            {"rejoin_at", &Options::rejoin_early, "two_tickets|one_ticket",
             "how many tickets must be left before a client that undid one takes another (DecLock "
             "artifact: two)"},
            {"rejoin_ticket", &Options::rejoin_checked, "unchecked|checked",
             "whether a client checks that this ticket is not the last or over the limit (DecLock "
             "artifact: unchecked)"}},
       .profiles = {{"repaired", "declock_artifact with one change for each defect in dslr_plus.h"},
                    {"declock_artifact",
                     "DecLock artifact, its DSLR+ baseline",
                     {{"forgets_after", std::int64_t{62}},
                      {"rejoin_at", "two_tickets"},
                      {"rejoin_ticket", "unchecked"}}}},
       .printed = {"rejoin_at=two_tickets", "rejoin_ticket=unchecked"},
       .small_model = {{"ticket_bits", 3}},
       .adaptation_period = [](const Options& options) { return adaptation_period(options); },
       .contradiction = [](const Options& options) { return backoff_contradiction(options); }});
}

}  // namespace latchlab
