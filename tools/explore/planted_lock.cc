#include "tools/explore/planted_lock.h"

#include <memory>
#include <string>

#include "core/base/check.h"
#include "core/protocols/registry.h"

namespace latchlab::explore {

namespace {

constexpr std::uint64_t kOneCall = 1ULL << 32;

std::uint32_t next_ticket(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}

std::uint32_t served_ticket(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

class PlantedClient final : public LockClient {
 public:
  explicit PlantedClient(const ClientEnv& env) : verbs_(*env.verbs) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    const Completion drawn = co_await verbs_.fetch_add(want.lock.entry, 1);
    const std::uint32_t ticket = next_ticket(drawn.value.lo);
    if (ticket == served_ticket(drawn.value.lo)) co_return Grant(want);
    RemoteWait called;
    called.add(read_verb(want.lock.entry));
    called.classify = [ticket](const ProbeValues& seen) {
      return served_ticket(seen[0].lo) == ticket ? latchlab::Verdict::done
                                                 : latchlab::Verdict::pending;
    };
    co_await verbs_.await_remote(called);
    co_return Grant(want);
  }
  Task<ReleaseResult> release(Grant grant) override {
    const Completion seen = co_await verbs_.read(grant.lock.entry);
    co_await verbs_.write(grant.lock.entry, seen.value.lo + kOneCall);
    co_return ReleaseResult::released;
  }

 private:
  Verbs& verbs_;
};

class Planted final : public Protocol {
 public:
  Layout layout(const Shape& /*shape*/) const override { return {}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<PlantedClient>(env);
  }
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    return next_ticket(words[0]) == served_ticket(words[0]);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return "next=" + std::to_string(next_ticket(words[0])) +
           " serving=" + std::to_string(served_ticket(words[0]));
  }
};

}  // namespace

void register_planted_lock() {
  if (find_protocol(kPlantedLock) != nullptr) return;
  ProtocolEntry entry;
  entry.info.name = kPlantedLock;
  entry.info.summary = "tickets, called by READ and WRITE: wrong on purpose, for lessons";
  entry.info.source = "none";
  entry.info.profiles = {{"only", "the only one", {}}};
  entry.make = [](const ParamSet&) -> std::unique_ptr<Protocol> {
    return std::make_unique<Planted>();
  };
  const Status added = register_protocol(std::move(entry));
  LATCHLAB_CHECK(added.ok(), "the planted lock is a lock");
}

}  // namespace latchlab::explore
