#pragma once
// A client of redlock_model whose calls fail, or get no answer, as a test chooses.

#include "core/protocols/redlock_model/parts.h"
#include "tests/protocols/faulty.h"
#include "tests/protocols/promises.h"

namespace latchlab::testing {

struct MasterCall {
  std::uint64_t number = 0;  // counted for this client, from 0
  NodeId master;
  std::uint64_t type = 0;
  std::uint32_t value = 0;
};
using Fault = std::optional<VerbStatus>;

// One client of lock 0, whose calls fail as `fault` says, without being served.
class Redlock {
 public:
  using Body = std::function<Task<void>(Redlock&)>;

  explicit Redlock(ParamValues values = {}, std::uint32_t servers = 3) {
    const ProtocolEntry& entry = *find_protocol("redlock_model");
    ParamSet params = entry.info.resolve("redis");
    params.set("masters", text("all"));
    params.set("ttl", seconds(10));
    params.set("retry_delay", Duration{});
    for (const auto& [name, value] : values) params.set(name, value);
    protocol_ = entry.make(params);
    WorldShape shape;
    shape.servers = servers;
    shape.locks.count = servers;
    world_ = std::make_unique<World>(*protocol_, shape);
    ExplorerOptions options;
    options.max_steps = 20'000;
    backend_ = make_world(world_->plan(), *protocol_, options);
    world_->attach(*backend_);
    client_ = std::make_unique<FaultyClient>(*world_, ClientId{0}, [this](const Operation& op) {
      if (op.kind != OpKind::call) return Fault();
      const served::Asked asked = served::unpack(op.call.request);
      calls.push_back({calls.size(), op.server, op.call.request.type, asked.who.number});
      return fault(calls.back());
    });
  }

  void run(const Body& body) {
    backend_->spawn(verbs(), body(*this), Time{});
    EXPECT_EQ(backend_->run_until(end_of_run(kNever)), RunEnd::finished);
  }

  Verbs& verbs() { return world_->verbs(ClientId{0}); }
  LockClient& client() { return *client_->operator->(); }
  LockRef lock(std::uint64_t id = 0) { return world_->lock(LockId{id}); }

  // "granted", or why the acquisition failed; and the grant.
  Task<std::string> acquire(std::uint64_t id = 0) {
    const Want want{lock(id), LockMode::exclusive};
    const AcquireResult got = co_await client().acquire(want, {});
    co_return told(got);
  }
  Task<std::string> extend(Duration longer) {
    const AcquireResult got = co_await client().extend(grant, longer);
    co_return told(got);
  }
  // Another client asks the master. Returns whether the master grants it.
  Task<bool> ask(NodeId master, served::RequestType type, served::Asker who = {ClientId{7}, 1}) {
    const served::Asked asked(lock().entry, who, LockMode::exclusive);
    const Request request = redlock::pack(type, asked, seconds(10));
    const Reply reply = co_await verbs().call(master, request);
    co_return reply.words[0] == served::kGranted;
  }
  Task<void> others_take(std::uint32_t masters) {
    for (std::uint16_t node = 1; node <= masters; ++node) {
      const bool taken = co_await ask(NodeId{node}, served::kAcquire);
      EXPECT_TRUE(taken);
    }
  }

  std::function<Fault(const MasterCall&)> fault = [](const MasterCall&) { return Fault(); };
  std::vector<MasterCall> calls;
  Grant grant;

 private:
  std::string told(const AcquireResult& got) {
    if (const Grant* const granted = std::get_if<Grant>(&got)) {
      grant = *granted;
      return "granted";
    }
    const AbortReason why = std::get_if<Aborted>(&got)->reason;
    if (why == AbortReason::server_failed) return "failed";
    if (why == AbortReason::too_many) return "too many";
    return why == AbortReason::recovered ? "lost" : "over";
  }

  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<FaultyClient> client_;
};

// All masters from this node on.
inline std::function<Fault(const MasterCall&)> from_node(std::uint16_t from, VerbStatus status) {
  return [from, status](const MasterCall& call) {
    return call.master.value >= from ? Fault(status) : Fault();
  };
}

inline bool reached_path(const char* label) {
  const auto found = paths::all(std::string("redlock_model: ") + label);
  EXPECT_EQ(found.size(), 1U) << label;
  return !found.empty() && found.front().reached;
}

}  // namespace latchlab::testing
