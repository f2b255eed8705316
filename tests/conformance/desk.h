#pragma once
// A server part for tests of calls: it doubles numbers, and holds calls until a kRelease request
// releases them all.

#include <vector>

#include "core/world/backend.h"

namespace latchlab::conformance {

enum RequestType : std::uint16_t { kDouble, kHold, kRelease };

inline Request request_of(RequestType type, std::uint64_t word = 0) {
  Request request;
  request.type = type;
  request.words[0] = word;
  return request;
}

class Desk final : public CallHandler {
 public:
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    if (pending.request.type == kHold) {
      held_.push_back(pending);
      co_return;
    }
    if (pending.request.type == kRelease) {
      for (const PendingCall& each : held_) answer(verbs, each);
      held_.clear();
    } else {
      co_await verbs.compute(nanoseconds(100));
    }
    answer(verbs, pending);
  }
  std::size_t held() const { return held_.size(); }

 private:
  static void answer(Verbs& verbs, const PendingCall& pending) {
    Reply reply;
    reply.words[0] = 2 * pending.request.words[0];
    verbs.reply(pending, reply);
  }
  std::vector<PendingCall> held_;
};

}  // namespace latchlab::conformance
