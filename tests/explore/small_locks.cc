#include "tests/explore/small_locks.h"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/protocols/registry.h"

namespace latchlab::explore {

namespace {

ProtocolEntry entry_of(const char* name, std::unique_ptr<Protocol> (*make)(const ParamSet&)) {
  ProtocolEntry entry;
  entry.info.name = name;
  entry.info.summary = "for tests of the search";
  entry.info.source = "none";
  entry.info.profiles = {{"only", "the only one", {}}};
  entry.make = make;
  return entry;
}

std::string free_or_held(std::span<const std::uint64_t> words) {
  return words[0] == 0 ? "free" : "held by " + std::to_string(words[0]);
}

latchlab::Verdict free_now(const ProbeValues& seen) {
  return seen[0].lo == 0 ? latchlab::Verdict::done : latchlab::Verdict::pending;
}

// ---- test_two_ways ----

class TwoWaysClient final : public LockClient {
 public:
  explicit TwoWaysClient(const ClientEnv& env) : verbs_(*env.verbs) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    const RemoteAddr word = want.lock.entry;
    const std::uint64_t me = verbs_.client().value + 1;
    if (word.node == verbs_.node()) {
      for (;;) {
        const std::uint64_t before = co_await verbs_.cpu_compare_swap(word, 0, me);
        if (before == 0) co_return Grant(want);
        WordWait freed;
        freed.word = word;
        freed.until = [](std::uint64_t value) { return value == 0; };
        co_await verbs_.await_local(freed);
      }
    }
    RemoteWait wait;
    wait.add(cas_verb(word, 0, me));
    wait.classify = free_now;
    auto waiting = verbs_.await_remote(wait);
    co_await waiting;
    co_return Grant(want);
  }
  Task<ReleaseResult> release(Grant grant) override {
    const RemoteAddr word = grant.lock.entry;
    if (word.node == verbs_.node()) {
      co_await verbs_.store(word, 0);
    } else {
      co_await verbs_.write(word, 0);
    }
    co_return ReleaseResult::released;
  }

 private:
  Verbs& verbs_;
};

class TwoWays final : public Protocol {
 public:
  Layout layout(const Shape&) const override { return {}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<TwoWaysClient>(env);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return free_or_held(words);
  }
};

// ---- test_wide ----

class WideClient final : public LockClient {
 public:
  explicit WideClient(const ClientEnv& env) : verbs_(*env.verbs) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    const RemoteAddr entry = want.lock.entry;
    for (;;) {
      const Completion seen = co_await verbs_.compare_swap(entry, 0, verbs_.client().value + 1);
      if (!seen.ok()) co_return Aborted{AbortReason::server_failed};
      if (seen.value.lo == 0) break;
      RemoteWait wait;
      wait.add(read_verb(entry, 40));
      for (int i = 0; i < 4; ++i) wait.add(read_verb(entry + 64));
      wait.classify = free_now;
      auto waiting = verbs_.await_remote(wait);
      co_await waiting;
    }
    const ReadWords all = co_await verbs_.read_words(entry, 24);
    if (!all.ok()) co_return Aborted{AbortReason::server_failed};
    LATCHLAB_CHECK(all.words().size() == 3, "all that was asked for");
    co_return Grant(want);
  }
  Task<ReleaseResult> release(Grant grant) override {
    co_await verbs_.write(grant.lock.entry, 0);
    co_return ReleaseResult::released;
  }

 private:
  Verbs& verbs_;
};

class Wide final : public Protocol {
 public:
  Layout layout(const Shape&) const override {
    Layout layout;
    layout.entry_bytes = 72;
    return layout;
  }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<WideClient>(env);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return free_or_held(words);
  }
};

// ---- test_served ----

enum ServedRequest : std::uint16_t { kLock, kUnlock };

class ServedClient final : public LockClient {
 public:
  explicit ServedClient(const ClientEnv& env) : verbs_(*env.verbs) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    for (Time deadline = verbs_.now() + milliseconds(1);; deadline = kNever) {
      const Request request = request_of(kLock);
      const Reply reply = co_await verbs_.call(want.lock.entry.node, request, deadline);
      if (reply.ok()) co_return Grant(want);
      if (reply.status != VerbStatus::timed_out) co_return Aborted{AbortReason::server_failed};
    }
  }
  Task<ReleaseResult> release(Grant grant) override {
    const Request request = request_of(kUnlock);
    co_await verbs_.call(grant.lock.entry.node, request);
    co_return ReleaseResult::released;
  }

 private:
  Request request_of(ServedRequest type) {
    Request request;
    request.type = type;
    request.words = {verbs_.client().value + 1, ++requests_, 0, 0};
    return request;
  }
  Verbs& verbs_;
  std::uint64_t requests_ = 0;
};

class Counter final : public ServerPart {
 public:
  explicit Counter(bool forgives) : forgives_(forgives) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    const std::uint64_t who = pending.request.words[0];
    std::uint64_t& latest = latest_.at(who);
    // An older request, which its client has given up.
    if (forgives_ && pending.request.words[1] < latest) co_return;
    latest = pending.request.words[1];
    if (pending.request.type == kUnlock) {
      holder_ = 0;
      verbs.reply(pending, {});
    } else if (forgives_ && who == holder_) {
      verbs.reply(pending, {});  // its earlier request was answered too late
    } else {
      // If a client asks again, only its latest request counts.
      if (forgives_) std::erase_if(waiting_, [&](const auto& each) { return of(each) == who; });
      waiting_.push_back(pending);
    }
    if (holder_ == 0 && !waiting_.empty()) {
      const PendingCall next = waiting_.front();
      waiting_.pop_front();
      holder_ = of(next);
      verbs.reply(next, {});
    }
    co_return;
  }

 private:
  static std::uint64_t of(const PendingCall& call) { return call.request.words[0]; }
  bool forgives_;
  std::uint64_t holder_ = 0;
  std::array<std::uint64_t, 17> latest_ = {};  // by client + 1: the number of its last request
  std::deque<PendingCall> waiting_;
};

class Served final : public Protocol {
 public:
  explicit Served(bool forgives) : forgives_(forgives) {}
  Layout layout(const Shape&) const override { return {}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<ServedClient>(env);
  }
  std::unique_ptr<ServerPart> make_server(const ServerEnv&) const override {
    return std::make_unique<Counter>(forgives_);
  }
  std::string decode(std::span<const std::uint64_t>) const override { return "at its server"; }

 private:
  bool forgives_;
};

// ---- test_numbered ----

class NumberedClient final : public LockClient {
 public:
  explicit NumberedClient(const ClientEnv& env) : verbs_(*env.verbs) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    const RemoteAddr word = want.lock.entry;
    if (verbs_.client() == ClientId{1}) {
      const Completion seen = co_await verbs_.read(word);
      if (seen.value.lo == 0) co_return Grant(want);
    }
    RemoteWait wait;
    wait.add(cas_verb(word, 0, verbs_.client().value + 1));
    wait.classify = free_now;
    auto waiting = verbs_.await_remote(wait);
    co_await waiting;
    co_return Grant(want);
  }
  Task<ReleaseResult> release(Grant grant) override {
    co_await verbs_.compare_swap(grant.lock.entry, verbs_.client().value + 1, 0);
    co_return ReleaseResult::released;
  }

 private:
  Verbs& verbs_;
};

class Numbered final : public Protocol {
 public:
  explicit Numbered(bool alike) : alike_(alike) {}
  Layout layout(const Shape&) const override { return {}; }
  Limits limits() const override { return {.clients_alike = alike_}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<NumberedClient>(env);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return free_or_held(words);
  }

 private:
  bool alike_;
};

template <class Lock>
std::unique_ptr<Protocol> plain(const ParamSet&) {
  return std::make_unique<Lock>();
}

void add(ProtocolEntry entry) {
  const Status added = register_protocol(std::move(entry));
  LATCHLAB_CHECK(added.ok(), "a lock for tests is as good as any");
}

}  // namespace

void register_small_locks() {
  if (find_protocol("test_wide") != nullptr) return;
  add(entry_of("test_two_ways", plain<TwoWays>));
  add(entry_of("test_wide", plain<Wide>));
  ProtocolEntry served = entry_of("test_served", [](const ParamSet& params) {
    return std::unique_ptr<Protocol>(std::make_unique<Served>(params.boolean("forgives")));
  });
  served.info.params = {boolean_param("forgives", true, "the server knows who asks again")};
  add(std::move(served));
  ProtocolEntry numbered = entry_of("test_numbered", [](const ParamSet& params) {
    return std::unique_ptr<Protocol>(std::make_unique<Numbered>(params.boolean("alike")));
  });
  numbered.info.params = {boolean_param("alike", false, "numbers are only names, it says")};
  add(std::move(numbered));
}

}  // namespace latchlab::explore
