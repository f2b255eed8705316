#include "core/protocols/retry_on_fail/retry_on_fail.h"

#include "core/protocols/caslock/client.h"

namespace latchlab {
namespace {

struct RetryOptions : caslock::Options {
  RetryOptions() {
    conflict = caslock::Conflict::withdraw;
    release = caslock::Release::subtract;
  }
};

std::string retry_contradiction(const RetryOptions& options) {
  if (options.counts_stay() && options.release == caslock::Release::exact &&
      options.timeout_tries == 0)
    return "reader_conflict leaves counts and writer_release is exact: readers would wait for the "
           "writer, and the writer for their counts; take tracking or subtract, or set "
           "timeout_tries";
  return backoff_order_contradiction(options.backoff_first, options.backoff_bound);
}

}  // namespace

ProtocolEntry retry_on_fail_entry() {
  using Options = RetryOptions;
  return make_entry<caslock::WordLock<Options, caslock::RetryOnFail>>(
      {.name = "retry_on_fail",
       .summary = "writers use CAS, readers FAA; a request that conflicts is undone and retried",
       .source = "DSLR (SIGMOD'18) 2.2.2 and 6.1, its Retry-on-Fail; reconstructed",
       .shared_mode = true,
       .fairness = "none",
       .handover = "by chance: waiters retry",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .shared_after_exclusive = {{3, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .exclusive_after_shared = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}},
       .params =
           {{"reader_conflict", &Options::conflict, "withdraw|stay|first_looks|first_stays",
             "what a reader that finds a writer does: withdraw: it subtracts its count and retries "
             "(code of DSLR's authors, rule fail); stay: it keeps its count and READs (DecLock "
             "artifact); first_looks: if it finds no other reader, it subtracts its count and "
             "READs until there is no writer (the code's rule poll); first_stays: the same, and it "
             "keeps its count (an earlier version of that rule)"},
            {"writer_release", &Options::release, "exact|tracking|subtract",
             "how a writer releases: by a CAS that expects no readers (code of DSLR's authors), by "
             "a CAS that expects the readers seen last (DecLock artifact), or by FAA (ours)"},
            {"backoff", &Options::random, "none|random",
             "pause between attempts: none (DSLR 6.1), or that of A.3 (code of its authors)"},
            {"timeout_tries", &Options::timeout_tries, 0, 1'000'000,
             "after so many failed attempts an acquisition ends; 0: never (DSLR 6.1: tuned for "
             "each run)"},
            {"backoff_first", &Options::backoff_first, Duration{}, seconds(1),
             "R: bound of the first random backoff (DSLR A.3)"},
            {"backoff_bound", &Options::backoff_bound, Duration{}, seconds(10),
             "L: the longest backoff (DSLR A.3)"},
            {"count_bits", &Options::count_bits, 2, 32,
             "bits of the count of readers; the owner field has the other bits (DSLR 2.2.2: 32)"}},
       .profiles =
           {{"repaired", "sigmod18 with a release that readers cannot delay"},
            {"sigmod18",
             "DSLR (SIGMOD'18) 6.1, without the timeout that it adds",
             {{"writer_release", "exact"}}},
            {"dslr_paper",
             "DSLR (SIGMOD'18) 6.1 and A.3, with its timeout; 10 tries as in a script of "
             "its authors",
             {{"writer_release", "exact"}, {"timeout_tries", std::int64_t{10}}}},
            {"dslr_code",
             "code of DSLR's authors (152a2a7), its mode simple_retry: rule fail, the "
             "random backoff before every retry as well",
             {{"writer_release", "exact"},
              {"timeout_tries", std::int64_t{10}},
              {"backoff", "random"}}},
            {"dslr_code_poll",
             "the same code, its rule poll for readers that find a writer",
             {{"reader_conflict", "first_looks"},
              {"writer_release", "exact"},
              {"timeout_tries", std::int64_t{10}},
              {"backoff", "random"}}},
            {"dslr_code_poll_counted",
             "rule poll in an earlier version of that code (066a66d), which keeps the count",
             {{"reader_conflict", "first_stays"},
              {"writer_release", "exact"},
              {"timeout_tries", std::int64_t{10}},
              {"backoff", "random"}}}},
       .printed = {"writer_release=exact", "writer_release=tracking"},
       .small_model = {{"backoff_first", microseconds(1)}, {"backoff_bound", microseconds(8)}},
       .contradiction = retry_contradiction});
}

}  // namespace latchlab
