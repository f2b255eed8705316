#pragma once
// A lock together with a claim that its source does not make, to be checked by a search.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/paths.h"
#include "core/protocols/registry.h"
#include "tests/explore/locks.h"
#include "tests/explore/verdicts.h"

namespace latchlab::explore {

// Clients that want the lock as `waiter` are never bypassed by clients that want it as `winner`.
struct Claim {
  std::string protocol;
  LockMode waiter = LockMode::exclusive;
  LockMode winner = LockMode::exclusive;
  std::string name() const {
    return "test_" + protocol + "_" + std::string(name_of(waiter)) + "_before_" +
           std::string(name_of(winner));
  }
};

class Claiming final : public Protocol {
 public:
  Claiming(Claim claim, std::unique_ptr<Protocol> lock)
      : claim_(std::move(claim)), lock_(std::move(lock)) {}
  Layout layout(const Shape& shape) const override { return lock_->layout(shape); }
  Limits limits() const override { return lock_->limits(); }
  std::vector<Capability> needs() const override { return lock_->needs(); }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return lock_->make_client(env);
  }
  std::unique_ptr<NodePart> make_node(const NodeEnv& env) const override {
    return lock_->make_node(env);
  }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& env) const override {
    return lock_->make_server(env);
  }
  void initial_image(RemoteAddr entry, std::uint64_t first_word,
                     std::span<std::uint64_t> words) const override {
    lock_->initial_image(entry, first_word, words);
  }
  bool is_free(RemoteAddr entry, std::span<const std::uint64_t> words) const override {
    return lock_->is_free(entry, words);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return lock_->decode(words);
  }
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t) const override {
    if (waiter != claim_.waiter || winner != claim_.winner) return std::nullopt;
    return 0;
  }

 private:
  Claim claim_;
  std::unique_ptr<Protocol> lock_;
};

// A campaign for the lock with the claim, which is registered at the first call.
inline Campaign about(const Claim& claim, std::uint32_t clients, std::uint32_t operations) {
  if (find_protocol(claim.name()) == nullptr) {
    ProtocolEntry entry = *find_protocol(claim.protocol);
    entry.info.name = claim.name();
    entry.make = [claim, make = entry.make](const ParamSet& params) -> std::unique_ptr<Protocol> {
      return std::make_unique<Claiming>(claim, make(params));
    };
    EXPECT_TRUE(register_protocol(entry).ok());
  }
  return about(claim.name(), clients, operations);
}

inline void expect_kept(const Claim& claim, std::uint32_t clients, std::uint32_t operations) {
  const Verdict verdict = run(about(claim, clients, operations));
  expect_sound(verdict);
  std::printf("%llu states\n", static_cast<unsigned long long>(verdict.states));
}

inline void expect_bypassed(const Claim& claim, std::uint32_t clients, std::uint32_t operations) {
  const Verdict verdict = run(about(claim, clients, operations));
  EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::bypassed});
  for (const Trace& trace : verdict.counterexamples)
    std::printf("bypassed in %zu moves (%s)\n", trace.counterexample.path.size(),
                describe(trace.setup).c_str());
}

// A search that finds no violation and reaches the path on which no client waits for the unlock.
inline void expect_sound_with_posted_unlocks(const Campaign& campaign) {
  const std::string path = "the lock is freed by a verb that no client awaits";
  ASSERT_FALSE(paths::all(campaign.base.protocol + ": " + path).empty());
  const Verdict verdict = run(campaign);
  expect_sound(verdict);
  EXPECT_THAT(verdict.unreached, ::testing::Not(::testing::Contains(path)));
}

// Paths that a client takes when the node of a lock and of another client crashes.
inline void expect_told_when_the_server_dies(const std::string& protocol,
                                             const std::vector<std::string>& sets,
                                             const std::vector<std::string>& paths) {
  Campaign campaign = with_sets(about(protocol, 2, 2), sets);
  campaign.placement = Placement::spread;
  campaign.base.servers = 2;
  campaign.base.colocated = true;
  campaign.base.crashes = 1;
  campaign.base.crash_unit = CrashUnit::node;
  const Verdict verdict = run(campaign);
  for (const Violation violation :
       kinds(verdict))  // the other node crashes, and its client holds the lock
    EXPECT_TRUE(violation == Violation::deadlock || violation == Violation::no_progress)
        << name_of(violation);
  for (const std::string& path : paths)
    EXPECT_THAT(verdict.unreached, ::testing::Not(::testing::Contains(path)));
}

}  // namespace latchlab::explore
