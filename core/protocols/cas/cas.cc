#include "core/protocols/cas/cas.h"

#include "core/base/paths.h"
#include "core/protocols/common/adaptive_params.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/common/failure_backoff.h"
#include "core/protocols/common/planted.h"

namespace latchlab {
namespace {

enum class CasBackoff : std::uint8_t { none, truncated_exponential, random };

struct CasOptions : AdaptiveBackoffOptions {
  CasBackoff backoff = CasBackoff::truncated_exponential;
  Duration backoff_first = microseconds(10);  // random backoff only
  Duration backoff_bound = milliseconds(10);
  bool release_by_write = false;
  bool masked = false;

  bool adaptive() const { return backoff == CasBackoff::truncated_exponential; }
};

class CasClient final : public LockClient {
 public:
  CasClient(const CasOptions& options, const ClientEnv& env)
      : options_(options), verbs_(*env.verbs), backoff_(options) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override {
    const Grant grant(want);
    verbs_.mark(Phase::initial_atomic);
    const Completion first = co_await try_once(want.lock.entry);
    if (!first.ok()) {
      LATCHLAB_PATH("cas: the server fails at the first try");
      co_return Aborted{AbortReason::server_failed};
    }
    std::uint64_t retries = 0;
    if (first.value.lo == 0) {
      LATCHLAB_PATH("cas: the lock is free at the first try");
    } else {
      LATCHLAB_PATH("cas: the lock is held at the first try");
      verbs_.mark(Phase::retry);
      const auto end = co_await retry(want.lock.entry, first.value.lo, options.deadline);
      if (end.end == WaitEnd::deadline) {
        LATCHLAB_PATH("cas: a client gives up at its deadline");
        if (PLANTED(cas_release_by_non_holder)) co_await verbs_.write(want.lock.entry, 0);
        co_return Aborted{AbortReason::deadline};
      }
      if (end.end != WaitEnd::satisfied) {
        LATCHLAB_PATH("cas: the server fails during the retries");
        co_return Aborted{AbortReason::server_failed};
      }
      LATCHLAB_PATH("cas: a retry takes the lock");
      retries = end.tries;
    }
    if (options_.adaptive()) backoff_.completed(retries, verbs_.now());
    co_return grant;
  }

  Task<ReleaseResult> release(Grant grant) override {
    verbs_.mark(Phase::initial_atomic);
    if (PLANTED(cas_release_too_wide)) co_await verbs_.write(grant.lock.entry + 8, 0);
    if (options_.release_by_write) {
      LATCHLAB_PATH("cas: a WRITE frees the lock");
      co_await verbs_.write(grant.lock.entry, 0);
    } else {
      LATCHLAB_PATH("cas: a CAS frees the lock");
      co_await verbs_.compare_swap(grant.lock.entry, me(), 0);
    }
    co_return ReleaseResult::released;
  }

 private:
  std::uint64_t me() const { return verbs_.client().value + 1ULL; }
  Verb take(RemoteAddr entry) const {
    if (!options_.masked) return cas_verb(entry, 0, me());
    return masked_cas_verb(entry, 8, {}, kAllOnes, {me(), 0}, kAllOnes);
  }
  VerbAwait try_once(RemoteAddr entry) const { return verbs_.issue(take(entry)); }

  Task<RemoteWaitResult> retry(RemoteAddr entry, std::uint64_t seen, Time deadline) {
    RemoteWait wait;
    wait.add(take(entry));
    wait.classify = [](const ProbeValues& before) {
      return before[0].lo == 0 ? Verdict::done : Verdict::pending;
    };
    if (options_.backoff == CasBackoff::none) {
      LATCHLAB_PATH("cas: retries follow at once");
    } else {
      LATCHLAB_PATH("cas: retries follow with a backoff");
      const Salt salt{verbs_.random(~0ULL)};
      wait.pacing = [this, salt](const ProbeValues&, std::uint64_t misses) {
        return pause(misses, salt);
      };
    }
    wait.pause_first = true;
    wait.first_seen.lo = seen;
    wait.deadline = deadline;
    co_return co_await verbs_.await_remote(wait);
  }

  // The pause before retry 0, 1, ...
  Duration pause(std::uint64_t retry, Salt salt) const {
    if (options_.adaptive()) return backoff_.pause(retry, salt);
    return random_backoff(options_.backoff_first, options_.backoff_bound, retry + 1, salt);
  }

  const CasOptions& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  AdaptiveBackoff backoff_;
};

class Cas final : public ProtocolOf<CasOptions, CasClient> {
 public:
  using ProtocolOf::ProtocolOf;
  Limits limits() const override { return {.abortable = true, .clients_alike = true}; }
  std::vector<Capability> needs() const override {
    if (options_.masked) return {Capability::masked_atomics_8};
    return {};
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    if (words[0] == 0) return "free";
    return "held by client " + std::to_string(words[0] - 1);
  }
};

Params<CasOptions> cas_params() {
  Params<CasOptions> params = {{"backoff", &CasOptions::backoff,
                                "none|truncated_exponential|random",
                                "pause between attempts: none, SMART's (ShiftLock 2.3 measures "
                                "both), or DSLR's random one (A.3)"}};
  add_adaptive_params(params);
  params.insert(params.end(), {{"backoff_first", &CasOptions::backoff_first, Duration{}, seconds(1),
                                "R: bound of the first random backoff (DSLR A.3)"},
                               {"backoff_bound", &CasOptions::backoff_bound, Duration{},
                                seconds(10), "L: the longest backoff (DSLR A.3)"},
                               {"release", &CasOptions::release_by_write, "cas|write",
                                "verb that frees the lock (ShiftLock artifact: CAS)"},
                               {"masked", &CasOptions::masked,
                                "acquire with a masked CAS (ShiftLock artifact: yes)"}});
  return params;
}

std::string cas_contradiction(const CasOptions& options) {
  std::string wrong = backoff_contradiction(options);
  if (!wrong.empty()) return wrong;
  return backoff_order_contradiction(options.backoff_first, options.backoff_bound);
}

}  // namespace

ProtocolEntry cas_entry() {
  return make_entry<Cas>(
      {.name = "cas",
       .summary = "test-and-set with CAS, retried with or without backoff",
       .source =
           "ShiftLock (FAST'25) 2.2, 2.3; backoff after SMART (ASPLOS'24) or DSLR (SIGMOD'18)",
       .fairness = "none",
       .handover = "by chance: the first CAS to arrive",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}},
       .params = cas_params(),
       .profiles = {{"paper", "ShiftLock (FAST'25) 2.3 and 4.1"},
                    {"shiftlock_artifact",
                     "ShiftLock artifact, its CAS baseline",
                     {{"masked", true}, {"adapt_every_operations", 64}}},
                    {"smart",
                     "with the backoff of SMART's code (ASPLOS'24): cycles at 2.4 GHz",
                     {{"backoff", "truncated_exponential"},
                      {"backoff_initial", nanoseconds(1707)},
                      {"adapt_interval", milliseconds(20)}}},
                    {"dslr_paper",
                     "with the random backoff of DSLR (SIGMOD'18) A.3: R = 10 us, L = 10 ms",
                     {{"backoff", "random"}}},
                    {"alock_artifact",
                     "ALock (SPAA'24) 6 and its artifact, the spinlock baseline",
                     {{"backoff", "none"}, {"release", "write"}}}},
       .small_model = {{"backoff", "none"}},
       .adaptation_period =
           [](const CasOptions& options) {
             return options.adaptive() ? adaptation_period(options) : Duration{};
           },
       .contradiction = cas_contradiction});
}

}  // namespace latchlab
