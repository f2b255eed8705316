#include "tools/redlock/redlock.h"

#include <sys/random.h>

#include <cstring>
#include <utility>

#include "core/base/check.h"

namespace latchlab::bank {

namespace {

constexpr std::size_t kValueBytes = 20;
constexpr std::uint32_t kMostLostTries = 10;  // in a row; then a majority counts as failed
constexpr const char* kDeleteIfEqual =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 "
    "end";

using Words = std::array<std::uint64_t, 4>;  // of a grant

void draw(Words& words) {
  words = {};
  const ssize_t drawn = ::getrandom(words.data(), kValueBytes, 0);
  LATCHLAB_CHECK(drawn == kValueBytes, "no random bytes from the system");
}

std::string value_of(const Words& words) {
  std::string value(kValueBytes, '\0');
  std::memcpy(value.data(), words.data(), kValueBytes);
  return value;
}

}  // namespace

redlock::Options redlock_options(const ParamSet& params) {
  redlock::Options options;
  options.ttl = params.duration("ttl");
  options.drift_factor_ppm = params.integer("drift_factor_ppm");
  options.drift_least = params.duration("drift_least");
  options.tries = static_cast<std::uint64_t>(params.integer("tries"));
  options.retry_delay = params.duration("retry_delay");
  options.call_timeout = params.duration("call_timeout");
  if (params.choice("value") == "per_lock") options.value = redlock::Value::per_lock;
  if (params.choice("validity") == "ignored") options.validity = redlock::Validity::ignored;
  return options;
}

Task<Answer> RedisInstance::set_if_missing(std::string key, std::string value, Duration lifetime,
                                           Time deadline) {
  const std::string ms = std::to_string(lifetime.ps / milliseconds(1).ps);
  const std::vector<std::string> words = {"SET", std::move(key), std::move(value), "NX", "PX", ms};
  const auto reply = co_await connection_.command(words, deadline);
  if (!reply) co_return connection_.timed_out() ? Answer::late : Answer::failed;
  co_return reply.value().missing ? Answer::no : Answer::yes;
}

Task<Answer> RedisInstance::delete_if_equal(std::string key, std::string value, Time deadline) {
  const std::vector<std::string> words = {"EVAL", kDeleteIfEqual, "1", std::move(key),
                                          std::move(value)};
  const auto reply = co_await connection_.command(words, deadline);
  if (!reply) co_return connection_.timed_out() ? Answer::late : Answer::failed;
  co_return reply.value().number == 1 ? Answer::yes : Answer::no;
}

RedLock::RedLock(const redlock::Options& options, std::vector<Instance*> instances,
                 std::function<std::string(LockId)> key, ClientIo& place, std::uint64_t seed)
    : options_(options),
      instances_(std::move(instances)),
      quorum_(instances_.size() / 2 + 1),
      key_(std::move(key)),
      place_(place),
      rng_(seed) {}

Task<RedLock::Votes> RedLock::ask(bool set, LockId lock, std::string value) {
  Votes votes;
  const std::string key = key_(lock);
  for (Instance* const instance : instances_) {
    const bool timed = options_.call_timeout.ps > 0;
    const Time deadline = timed ? place_.now() + options_.call_timeout : kNever;
    Answer answer = Answer::no;
    if (set)
      answer = co_await instance->set_if_missing(key, value, options_.ttl, deadline);
    else
      answer = co_await instance->delete_if_equal(key, value, deadline);
    if (answer == Answer::yes) ++votes.yes;
    if (answer == Answer::late || answer == Answer::failed) ++votes.lost;
    votes.failed = votes.failed || answer == Answer::failed;
  }
  co_return votes;
}

Task<AcquireResult> RedLock::acquire(Want want, AcquireOptions options) {
  Grant grant(want);
  std::uint32_t lost = 0;  // tries in a row in which no majority answered
  for (std::uint64_t tried = 0;; ++tried) {
    if (options_.tries != 0 && tried == options_.tries) co_return Aborted{AbortReason::too_many};
    if (tried == 0 || options_.value == redlock::Value::per_try) draw(grant.words);
    const std::string value = value_of(grant.words);
    const Time begun = place_.now();
    const Votes votes = co_await ask(true, want.lock.id, value);
    if (votes.yes >= quorum_) {
      const bool ends = options_.validity == redlock::Validity::checked;
      grant.valid_until = ends ? begun + options_.validity_of(options_.ttl) : kNever;
      if (place_.now() < grant.valid_until) co_return grant;
    }
    co_await ask(false, want.lock.id, value);
    const bool gone = no_quorum_without(votes.lost);
    lost = gone ? lost + 1 : 0;
    if ((gone && votes.failed) || lost == kMostLostTries)
      co_return Aborted{AbortReason::server_failed};
    if (options_.retry_delay.ps > 0) {
      const auto bound = static_cast<std::uint64_t>(options_.retry_delay.ps);
      co_await place_.sleep(picoseconds(static_cast<std::int64_t>(rng_.below(bound))));
    }
    if (place_.now() >= options.deadline) co_return Aborted{AbortReason::deadline};
  }
}

Task<ReleaseResult> RedLock::release(Grant grant) {
  const bool over = place_.now() >= grant.valid_until;
  co_await ask(false, grant.lock.id, value_of(grant.words));
  co_return over ? ReleaseResult::suppressed : ReleaseResult::released;
}

}  // namespace latchlab::bank
