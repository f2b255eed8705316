#include "core/protocols/caslock/caslock.h"

#include "core/protocols/caslock/client.h"
#include "core/protocols/common/adaptive_params.h"

namespace latchlab {
namespace {

Params<caslock::Options> caslock_params() {
  using caslock::Options;
  Params<Options> params = {{"backoff", &Options::adaptive, "none|truncated_exponential",
                             "pause between attempts (DecLock artifact: none)"}};
  add_adaptive_params(params);
  params.push_back(
      {"count_bits", &Options::count_bits, 2, 32,
       "bits of the count of readers; the owner field has the other bits (DecLock artifact: 32)"});
  return params;
}

}  // namespace

ProtocolEntry caslock_entry() {
  using caslock::Options;
  return make_entry<caslock::WordLock<Options, caslock::CasLock>>(
      {.name = "caslock",
       .summary = "reader-writer spinlock: writers use CAS, readers FAA",
       .source = "DecLock (arXiv 2505.17641) 6.1, its CASLock; Chung and Zamanian (2015)",
       .shared_mode = true,
       .fairness = "a reader waits for at most one writer; writers: none",
       .handover = "waiters poll",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .shared_after_exclusive = {{3, 0, 0, 4, true}, {2, 0, 0, 4}},
                 .exclusive_after_shared = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}},
       .params = caslock_params(),
       .profiles = {{"declock_artifact", "DecLock artifact, its CASLock baseline: no backoff"},
                    {"backoff",
                     "the same with the backoff of SMART (ASPLOS'24); this variant is unpublished",
                     {{"backoff", "truncated_exponential"}}}},
       .adaptation_period =
           [](const Options& options) {
             return options.adaptive ? adaptation_period(options) : Duration{};
           },
       .contradiction = [](const Options& options) { return backoff_contradiction(options); }});
}

}  // namespace latchlab
