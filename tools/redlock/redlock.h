#pragma once
// RedLock over Redis servers: what redlock_model (core/protocols/redlock_model) models, with the
// same parameters, as a lock that clients use like any other.
//
// Acquire  On one server after the other, SET key value NX PX ttl, with 20 random bytes as value.
//          The client has the lock when more than half of them have set it, and
//            ttl - ttl * drift_factor - drift_least
//          has not passed since it began. Otherwise it deletes the key on all of them, those that
//          did not answer too, sleeps for a random time below `retry_delay` and tries again,
//          `tries` times (0: for ever).
// Release  on all servers, by a script: deletes the key if it has the client's own value.
// The grant ends when that time is over; with `validity: ignored` it never does.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/params.h"
#include "core/base/random.h"
#include "core/protocols/lock.h"
#include "core/protocols/redlock_model/parts.h"
#include "tools/redlock/connection.h"

namespace latchlab::bank {

// What one server has to say.
enum class Answer : std::uint8_t { yes, no, late, failed };

class Instance {
 public:
  virtual ~Instance() = default;
  virtual Task<Answer> set_if_missing(std::string key, std::string value, Duration lifetime,
                                      Time deadline) = 0;
  virtual Task<Answer> delete_if_equal(std::string key, std::string value, Time deadline) = 0;
};

class RedisInstance final : public Instance {
 public:
  RedisInstance(std::uint16_t port, Place& place, Connections connections)
      : connection_(port, place, connections) {}
  Task<Answer> set_if_missing(std::string key, std::string value, Duration lifetime,
                              Time deadline) override;
  Task<Answer> delete_if_equal(std::string key, std::string value, Time deadline) override;

 private:
  Connection connection_;
};

redlock::Options redlock_options(const ParamSet& params);  // of redlock_model

class RedLock final : public LockClient {
 public:
  RedLock(const redlock::Options& options, std::vector<Instance*> instances,
          std::function<std::string(LockId)> key, Place& place, std::uint64_t seed);
  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  struct Votes {
    std::size_t yes = 0, lost = 0;  // lost: late or failed
    bool failed = false;            // one at least
  };
  Task<Votes> ask(bool set, LockId lock, std::string value);
  bool no_quorum_without(std::size_t lost) const { return lost > instances_.size() - quorum_; }

  redlock::Options options_;
  std::vector<Instance*> instances_;
  std::size_t quorum_;
  std::function<std::string(LockId)> key_;
  Place& place_;
  Rng rng_;
};

}  // namespace latchlab::bank
