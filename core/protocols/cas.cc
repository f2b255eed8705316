#include "core/protocols/cas.h"

#include <string>

#include "core/base/paths.h"
#include "core/protocols/common/backoff.h"
#include "core/protocols/common/planted.h"

namespace latchlab {

namespace {

struct CasOptions {
  bool backoff = true;
  bool masked = false;
  bool release_by_write = false;
  AdaptiveBackoffOptions adaptive;

  explicit CasOptions(const ParamSet& params)
      : backoff(params.choice("backoff") != "none"),
        masked(params.boolean("masked")),
        release_by_write(params.choice("release") == "write") {
    adaptive.initial = params.duration("backoff_initial");
    adaptive.cap_shift = static_cast<std::uint64_t>(params.integer("backoff_cap_shift"));
    adaptive.interval = params.duration("adapt_interval");
    adaptive.every_operations =
        static_cast<std::uint64_t>(params.integer("adapt_every_operations"));
    adaptive.low_percent = static_cast<std::uint64_t>(params.integer("low_watermark_percent"));
    adaptive.high_percent = static_cast<std::uint64_t>(params.integer("high_watermark_percent"));
  }
};

class CasClient final : public LockClient {
 public:
  CasClient(const CasOptions& options, const ClientEnv& env)
      : options_(options), verbs_(*env.verbs), backoff_(options.adaptive) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  std::uint64_t me() const { return verbs_.client().value + 1ULL; }
  Verb take(RemoteAddr entry) const {
    if (!options_.masked) return cas_verb(entry, 0, me());
    return masked_cas_verb(entry, 8, {}, kAllOnes, {me(), 0}, kAllOnes);
  }
  VerbAwait try_once(RemoteAddr entry) const { return verbs_.issue(take(entry)); }
  Task<RemoteWaitResult> retry(RemoteAddr entry, std::uint64_t seen, Time deadline);

  const CasOptions& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  AdaptiveBackoff backoff_;
};

Task<AcquireResult> CasClient::acquire(Want want, AcquireOptions options) {
  const LockRef lock = want.lock;
  const Grant grant(want);
  verbs_.mark(Phase::initial_atomic);
  const Completion first = co_await try_once(lock.entry);
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
    const RemoteWaitResult end = co_await retry(lock.entry, first.value.lo, options.deadline);
    if (end.end == WaitEnd::deadline) {
      LATCHLAB_PATH("cas: a client gives up at its deadline");
      if (PLANTED(cas_release_by_non_holder)) co_await verbs_.write(lock.entry, 0);
      co_return Aborted{AbortReason::deadline};
    }
    if (end.end != WaitEnd::satisfied) {
      LATCHLAB_PATH("cas: the server fails during the retries");
      co_return Aborted{AbortReason::server_failed};
    }
    LATCHLAB_PATH("cas: a retry takes the lock");
    retries = end.tries;
  }
  if (options_.backoff) backoff_.completed(retries, verbs_.now());
  co_return grant;
}

Task<RemoteWaitResult> CasClient::retry(RemoteAddr entry, std::uint64_t seen, Time deadline) {
  RemoteWait wait;
  wait.add(take(entry));
  wait.classify = [](const ProbeValues& before) {
    return before[0].lo == 0 ? Verdict::done : Verdict::pending;
  };
  if (options_.backoff) {
    LATCHLAB_PATH("cas: retries follow with a backoff");
    const AdaptiveBackoff* backoff = &backoff_;
    const Salt salt{verbs_.random(~0ULL)};
    wait.pacing = [backoff, salt](const ProbeValues&, std::uint64_t misses) {
      return backoff->pause(misses, salt);
    };
  }
  if (!options_.backoff) LATCHLAB_PATH("cas: retries follow at once");
  wait.pause_first = true;
  wait.first_seen.lo = seen;
  wait.deadline = deadline;
  co_return co_await verbs_.await_remote(wait);
}

Task<ReleaseResult> CasClient::release(Grant grant) {
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

class Cas final : public Protocol {
 public:
  explicit Cas(const ParamSet& params) : options_(params) {}

  Layout layout(const Shape& /*shape*/) const override { return {}; }
  Limits limits() const override {
    Limits limits;
    limits.abortable = true;
    return limits;
  }
  std::vector<Capability> needs() const override {
    if (options_.masked) return {Capability::masked_atomics_8};
    return {};
  }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<CasClient>(options_, env);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    if (words[0] == 0) return "free";
    return "held by client " + std::to_string(words[0] - 1);
  }

 private:
  CasOptions options_;
};

std::vector<ParamSpec> cas_params() {
  return {
      choice_param("backoff", "truncated_exponential", {"none", "truncated_exponential"},
                   "pause between tries: ShiftLock 2.3 measures both"),
      duration_param("backoff_initial", nanoseconds(1862), nanoseconds(1), milliseconds(10),
                     "t0: 4096 cycles at 2.2 GHz (SMART; ShiftLock artifact)"),
      integer_param("backoff_cap_shift", 10, 0, 20,
                    "the bound never exceeds t0 << this (SMART; ShiftLock artifact)"),
      duration_param("adapt_interval", milliseconds(1), Duration{}, seconds(10),
                     "the bound moves at most this often (ShiftLock artifact)"),
      integer_param("adapt_every_operations", 1, 1, 1'000'000,
                    "acquisitions between two looks at the bound (64 in the ShiftLock artifact)"),
      integer_param("low_watermark_percent", 10, 0, 100,
                    "below this share of retries the bound halves (SMART; ShiftLock artifact)"),
      integer_param("high_watermark_percent", 50, 0, 100,
                    "above this share of retries the bound doubles (SMART; ShiftLock artifact)"),
      choice_param("release", "cas", {"cas", "write"},
                   "verb that frees the lock (ShiftLock artifact: CAS)"),
      boolean_param("masked", false, "acquire with a masked CAS (ShiftLock artifact: yes)"),
  };
}

std::string cas_contradiction(const ParamSet& params) {
  const std::int64_t low = params.integer("low_watermark_percent");
  const std::int64_t high = params.integer("high_watermark_percent");
  if (low <= high) return {};
  return "low_watermark_percent is " + std::to_string(low) + ", above high_watermark_percent " +
         std::to_string(high) + ": the bound would halve and double at once; swap them";
}

// A climb of the bound from its start to its cap: one doubling per interval at the most.
Duration cas_adaptation_period(const ParamSet& params) {
  if (params.choice("backoff") == "none") return {};
  return params.duration("adapt_interval") * params.integer("backoff_cap_shift");
}

ParamSet cas_small_model(const ProtocolInfo& info) {
  ParamSet params = info.resolve("paper");
  params.set("backoff", std::string("none"));
  return params;
}

}  // namespace

ProtocolEntry cas_entry() {
  ProtocolEntry entry;
  entry.info.name = "cas";
  entry.info.summary = "test-and-set with CAS, retried with or without backoff";
  entry.info.source = "ShiftLock (FAST'25) 2.2, 2.3; backoff after SMART (ASPLOS'24)";
  entry.info.params = cas_params();
  entry.info.profiles = {
      {"paper", "ShiftLock (FAST'25) 2.3 and 4.1", {}},
      {"shiftlock_artifact",
       "ShiftLock artifact, its CAS baseline",
       {{"masked", true}, {"adapt_every_operations", std::int64_t{64}}}},
  };
  entry.info.entry_bytes = 8;
  entry.info.adaptation_period = cas_adaptation_period;
  entry.info.contradiction = cas_contradiction;
  entry.make = [](const ParamSet& params) -> std::unique_ptr<Protocol> {
    return std::make_unique<Cas>(params);
  };
  entry.small_model = cas_small_model;
  return entry;
}

}  // namespace latchlab
