#pragma once
// The parts of redlock_model (redlock_model.h): a client, and an instance of Redis on each server.

#include <cstdint>
#include <memory>

#include "core/protocols/common/served.h"
#include "core/protocols/lock.h"

namespace latchlab::redlock {

enum class Masters : std::uint8_t { one, all };
enum class Value : std::uint8_t { per_try, per_lock };
enum class Validity : std::uint8_t { checked, ignored };

struct Options {
  Masters masters = Masters::one;
  Duration ttl = milliseconds(10);
  std::int64_t drift_factor_ppm = 10'000;
  Duration drift_least = milliseconds(2);
  std::uint64_t tries = 0;
  Duration retry_delay = microseconds(20);
  Duration call_timeout = {};  // zero: none
  Value value = Value::per_try;
  Validity validity = Validity::checked;
  Duration command = {};
  bool show = false;

  // How long the holder of a key with `lifetime` holds the lock, from before the key was set.
  Duration validity_of(Duration lifetime) const;
  // The lifetime of a key whose validity is at least `needed`, and hardly more.
  Duration lifetime_for(Duration needed) const;
};

// In addition to the request types of common/served.h.
inline constexpr auto kExtend = static_cast<served::RequestType>(4);

// Every request is exclusive, so the word of the mode holds the key's lifetime instead.
inline Request pack(served::RequestType type, const served::Asked& asked, Duration lifetime) {
  Request request = served::pack(type, asked);
  request.words[3] = static_cast<std::uint64_t>(lifetime.ps);
  return request;
}
inline Duration lifetime_of(const Request& request) {
  return Duration{static_cast<std::int64_t>(request.words[3])};
}

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env);

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;
  Task<AcquireResult> extend(Grant grant, Duration longer) override;

 private:
  struct Votes {
    std::uint32_t yes = 0;
    std::uint32_t failed = 0;  // masters that no longer answer
    std::uint32_t silent = 0;  // masters that have not answered in time
  };
  // Asks every master, one after the other.
  Task<Votes> ask(served::RequestType type, RemoteAddr entry, std::uint32_t value,
                  Duration lifetime);
  NodeId master(RemoteAddr entry, std::uint32_t index) const;
  // True if there is no majority without `missing` masters.
  bool too_many(std::uint32_t missing) const { return missing > masters_ - quorum_; }
  Time valid_until(Time begun, Duration lifetime) const;
  Task<void> pause(Time deadline);

  const Options& options_;  // the protocol's, which outlives its parts
  Verbs& verbs_;
  std::uint32_t servers_;
  std::uint32_t masters_;
  std::uint32_t quorum_;
  std::uint32_t value_ = 0;
  bool used_ = true;  // the value was granted, or a request with it may still be in flight
};

std::unique_ptr<ServerPart> make_instance(const Options& options);

}  // namespace latchlab::redlock
