#pragma once
// RedLock over Redis servers, as a LockClient: the lock that redlock_model
// (core/protocols/redlock_model) models, with the same parameters.
//
// Acquire  Sends SET key value NX PX ttl to one server after the other; value is 20 random bytes.
//          The client holds the lock if more than half of the servers set the key and less than
//            ttl - ttl * drift_factor - drift_least
//          has passed since the try began. Otherwise it deletes the key on all servers, including
//          those that did not answer, sleeps for a random time below `retry_delay` and tries
//          again, `tries` times in all (0: no limit).
// Release  On all servers, a script deletes the key if it holds the client's value.
// A grant expires after the time above; with `validity: ignored` it does not expire.

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

// The answer of one server; `late`: not before the deadline, `failed`: any other error.
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
  RedisInstance(std::uint16_t port, ClientIo& place, Connections connections)
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
          std::function<std::string(LockId)> key, ClientIo& place, std::uint64_t seed);
  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  struct Votes {
    std::size_t yes = 0, lost = 0;  // lost: late or failed
    bool failed = false;            // at least one server failed
  };
  Task<Votes> ask(bool set, LockId lock, std::string value);
  bool no_quorum_without(std::size_t lost) const { return lost > instances_.size() - quorum_; }

  redlock::Options options_;
  std::vector<Instance*> instances_;
  std::size_t quorum_;
  std::function<std::string(LockId)> key_;
  ClientIo& place_;
  Rng rng_;
};

}  // namespace latchlab::bank
