#pragma once
// Locks whose state is kept by their server's CPU: the requests of clients, and what the entry
// shows. The server's table is LockTable (lock_table.h).
//
// Entry, 8 bytes, which no client accesses. By default it stays zero; it exists because every lock
// has one. With `show` it serves observers, among them checks at the end of a run: for each request
// that changes which clients hold the lock or wait for it, the server's CPU changes it by one FAA
// before it answers.
//   bits 0..15   writers that hold the lock
//   bits 16..39  readers that hold it
//   bits 40..63  clients that wait in its queue

#include <compare>
#include <cstdint>
#include <string>

#include "core/base/zero_padding.h"
#include "core/protocols/common/masks.h"
#include "core/protocols/lock.h"

namespace latchlab::served {

enum RequestType : std::uint16_t {
  kAcquire = 1,
  kRelease = 2,
  kWithdraw = 3,  // a kAcquire that has not been granted yet
};

// Reply::words[0].
enum Answer : std::uint64_t { kRefused = 0, kGranted = 1 };

// An acquisition: a client, and the client's own count of its acquisitions.
struct Asker {
  ClientId client;
  std::uint32_t number = 0;
  constexpr auto operator<=>(const Asker&) const = default;
};

struct Asked {
  RemoteAddr entry;
  Asker who;
  LockMode mode = LockMode::exclusive;
  ZeroPadding<std::uint8_t, 7> padding = {};

  Asked() = default;
  Asked(RemoteAddr lock, Asker by, LockMode as) : entry(lock), who(by), mode(as) {}
};

inline Request pack(RequestType type, const Asked& asked) {
  Request request;
  request.type = type;
  request.words = {asked.entry.packed(), asked.who.client.value, asked.who.number,
                   static_cast<std::uint64_t>(asked.mode)};
  return request;
}

inline Asked unpack(const Request& request) {
  return {RemoteAddr::unpack(request.words[0]),
          {ClientId{static_cast<std::uint32_t>(request.words[1])},
           static_cast<std::uint32_t>(request.words[2])},
          static_cast<LockMode>(request.words[3])};
}

// What the clients of such locks share: each acquisition has a number, by which the server knows
// it, in the grant's first word.
class Client : public LockClient {
 public:
  explicit Client(const ClientEnv& env) : verbs_(*env.verbs) {}

  // A call. Its failure is ignored: a server that has failed has lost the lock.
  Task<ReleaseResult> release(Grant grant) override {
    verbs_.mark(Phase::initial_atomic);
    const Reply reply = co_await ask(kRelease, grant);
    if (!reply.ok()) note_failed_release();
    co_return ReleaseResult::released;
  }

 protected:
  // Numbers a new acquisition.
  Grant number(Grant grant) {
    grant.words[0] = ++asked_for_;
    return grant;
  }
  CallAwait ask(RequestType type, const Grant& about, Time deadline = kNever) {
    const Asker me{verbs_.client(), static_cast<std::uint32_t>(about.words[0])};
    const Asked asked(about.lock.entry, me, about.mode);
    return verbs_.call(about.lock.entry.node, pack(type, asked), deadline);
  }
  Verbs& verbs() { return verbs_; }

 private:
  virtual void note_failed_release() const = 0;  // LATCHLAB_PATH, under the lock's own name

  Verbs& verbs_;
  std::uint32_t asked_for_ = 0;
};

// ---- the entry ----

inline constexpr unsigned kReadersAt = 16;
inline constexpr unsigned kWaitingAt = 40;

constexpr std::uint64_t entry_word(std::uint64_t writers, std::uint64_t readers,
                                   std::uint64_t waiting) {
  return writers + (readers << kReadersAt) + (waiting << kWaitingAt);
}

inline constexpr char kShowHelp[] =
    "the server's CPU writes holders and waiting requests into the entry, for checks; off: the "
    "entry stays zero";

inline std::string decode_entry(bool show, std::uint64_t word) {
  if (!show) return "not shown";
  if (word == 0) return "free";
  return "writers=" + std::to_string(field_of(word, 0, kReadersAt)) +
         " readers=" + std::to_string(field_of(word, kReadersAt, kWaitingAt - kReadersAt)) +
         " waiting=" + std::to_string(field_of(word, kWaitingAt, 64 - kWaitingAt));
}

}  // namespace latchlab::served
