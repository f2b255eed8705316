#include "core/protocols/redlock_model/redlock_model.h"

#include "core/protocols/common/entry.h"
#include "core/protocols/message_names.h"
#include "core/protocols/redlock_model/parts.h"
#include "core/protocols/run_advice.h"

namespace latchlab {
namespace {

class RedlockModel final : public ProtocolOf<redlock::Options, redlock::Client>,
                           public MessageNames,
                           public RunAdvice {
 public:
  using ProtocolOf::ProtocolOf;
  Limits limits() const override {
    return {.abortable = true, .rests_on_time = RestsOnTime::recovery, .clients_alike = true};
  }
  std::vector<Capability> needs() const override { return {Capability::calls, Capability::timing}; }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& /*env*/) const override {
    return redlock::make_instance(options_);
  }
  // A minority of masters that do not answer must not use up the validity of a try.
  std::vector<std::string> advice(const AdvisedRun& run) const override {
    const bool many = options_.masters == redlock::Masters::all && run.shape.servers > 2;
    if (!many || !run.servers_fail || options_.validity == redlock::Validity::ignored) return {};
    const std::uint32_t minority = (run.shape.servers - 1) / 2;
    const Duration longest = options_.validity_of(options_.ttl) / minority;
    const bool never = options_.call_timeout.ps == 0;
    if (!never && options_.call_timeout < longest) return {};
    return {std::string("protocol.call_timeout ") +
            (never ? "is 0, and servers fail: a client waits for a master that is down for longer "
                     "than its key is valid"
                   : "is too long for servers that fail: while " + std::to_string(minority) +
                         (minority == 1 ? " of them is" : " of them are") +
                         " down a try takes longer than its key is valid") +
            ", and no client acquires the lock; set it well below " +
            std::to_string(longest.ps / 1'000'000) + "us"};
  }
  std::string_view request_name(std::uint64_t type) const override {
    return name_in({"Acquire", "Release", "Withdraw", "Extend"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return served::decode_entry(options_.show, words[0]);
  }
};

std::string redlock_contradiction(const redlock::Options& options) {
  const bool ends = options.validity == redlock::Validity::checked;
  if (!ends || options.validity_of(options.ttl).ps > 0) return {};
  return "ttl is not longer than what is taken off for drift: no client would ever have the lock; "
         "raise ttl, or lower drift_least or drift_factor_ppm";
}

// No client acquires a lock whose requests take longer than a key lives.
Claims redlock_claims(const redlock::Options& options) {
  Claims claims = recovers_by_leases({});
  claims.ways_within = slowest(options.validity_of(options.ttl), 4);
  if (options.call_timeout.ps > 0)
    claims.ways_within = std::min(claims.ways_within, slowest(options.call_timeout, 4));
  return claims;
}

}  // namespace

ProtocolEntry redlock_model_entry() {
  using redlock::Options;
  return make_entry<RedlockModel>(
      {.name = "redlock_model",
       .summary = "Redis' distributed lock: a key that is set if absent, and expires",
       .source = "Redis documentation, Distributed Locks; ShiftLock (FAST'25) 4.5; reconstructed",
       .fairness = "none",
       .handover = "by chance: waiters retry",
       .survives = "client crashes; with masters: all and a call_timeout also the failure of a "
                   "minority of servers",
       .costs = {.free_exclusive = {{0, 0, 1, 2}, {0, 0, 1, 2}},
                 .exclusive_after_exclusive = {{0, 0, 3, 2, true}, {0, 0, 1, 2}}},
       .params =
           {{"masters", &Options::masters, "one|all",
             "which servers keep a lock's key: one: the lock's server; all: every server, and a "
             "majority decides (Redlock)"},
            {"ttl", &Options::ttl, microseconds(1), seconds(3'600),
             "time after which a key expires (ShiftLock artifact: 10 ms)"},
            {"drift_factor_ppm", &Options::drift_factor_ppm, 0, 500'000,
             "share of ttl by which a grant is shortened for clock drift (redlock-rb, redlock-rs: "
             "0.01)"},
            {"drift_least", &Options::drift_least, Duration{}, seconds(1),
             "time by which a grant is shortened as well (redlock-rb, redlock-rs: 2 ms)"},
            {"tries", &Options::tries, 0, 1'000'000,
             "attempts after which an acquisition gives up; 0: never (assumed; redlock-rb, "
             "redlock-rs: 3)"},
            {"retry_delay", &Options::retry_delay, Duration{}, seconds(10),
             "a failed attempt is followed by a random pause below this (Redis: longer than it "
             "takes to ask all servers, assumed; redlock-rb, redlock-rs: 200 ms)"},
            {"call_timeout", &Options::call_timeout, Duration{}, seconds(60),
             "how long a client waits for an answer; 0: without limit, and with masters: all no "
             "server may fail (Redis: 5 to 50 ms for a ttl of 10 s; redlock-rs: none)"},
            {"value", &Options::value, "per_try|per_lock",
             "what value a key is set to: per_try: a new one if the last may still be in use; "
             "per_lock: one for each acquisition (redlock-rb, redlock-rs), so that late deletions "
             "take effect"},
            {"validity", &Options::validity, "checked|ignored",
             "whether the end of a grant is checked (ShiftLock artifact: ignored)"},
            {"command", &Options::command, Duration{}, seconds(1),
             "time that the instance's one thread takes for each command (assumed: see header)"},
            {"show", &Options::show, served::kShowHelp}},
       .profiles = {{"redis",
                     "Redis documentation, single instance; pauses for a network of microseconds"},
                    {"redlock",
                     "Redis documentation, the Redlock algorithm: every server is a master",
                     {{"masters", "all"}, {"call_timeout", microseconds(500)}}},
                    {"shiftlock_artifact",
                     "ShiftLock artifact, its bank application with redlock-rs 2.0.0",
                     {{"tries", 3},
                      {"retry_delay", milliseconds(200)},
                      {"value", "per_lock"},
                      {"validity", "ignored"},
                      {"command", microseconds(2)}}}},
       .printed = {"value=per_lock", "validity=ignored"},
       .small_model = {{"show", true}},
       .claims = redlock_claims,
       .longest_timeout = [](const Options& options) { return options.ttl; },
       .longest_grant =
           [](const Options& options) {
             const bool ends = options.validity != redlock::Validity::ignored;
             return ends ? options.validity_of(options.ttl) : Duration{};
           },
       .contradiction = redlock_contradiction});
}

}  // namespace latchlab
