#include "core/protocols/citron/metadata.h"

#include <utility>
#include <vector>

#include "core/base/lookup.h"
#include "core/base/paths.h"
#include "core/protocols/citron/tuning.h"

namespace latchlab::citron {

namespace {

enum RequestType : std::uint16_t { kNextChange = 1, kAllocate = 2, kPublish = 3 };

// For publish and next_change: the added memory, or 0 for a cut.
std::uint64_t memory_or_none(const Change& change) {
  return change.cuts() ? 0 : change.added.packed();
}

Reply told(const Change& change) {
  Reply reply;
  reply.words = {1, change.height, memory_or_none(change)};
  return reply;
}

class Server final : public ServerPart {
 public:
  Server(const Options& options, const ServerEnv& env) : options_(options), env_(env) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    Reply reply;
    switch (pending.request.type) {
      case kNextChange:
        next_change(verbs, pending);
        co_return;
      case kAllocate: {
        if (options_.allocation_time.ps > 0) co_await verbs.compute(options_.allocation_time);
        const Allocation made = co_await verbs.allocate(env_.node, pending.request.words[1]);
        if (made.status == VerbStatus::ok) reply.words = {1, made.addr.packed(), 0};
        break;
      }
      default:
        publish(verbs, pending.request);
        break;
    }
    verbs.reply(pending, reply);
  }

  Task<void> background(Verbs& verbs) override {
    if (options_.tunes() && env_.node == NodeId{1}) co_await tune(verbs, options_, *env_.peers);
    if (options_.recovers()) co_await cut_off_dead(verbs);
  }

 private:
  struct Tree {
    std::vector<Change> changes;
    std::vector<PendingCall> waiting;  // for the next one
  };

  void next_change(Verbs& verbs, const PendingCall& pending) {
    const auto& [entry, after, waits, none] = pending.request.words;
    Tree& tree = trees_[entry];
    if (after < tree.changes.size()) {
      verbs.reply(pending, told(tree.changes[after]));
    } else if (waits != 0) {
      tree.waiting.push_back(pending);
    } else {
      verbs.reply(pending, Reply{});
    }
  }

  void publish(Verbs& verbs, const Request& request) {
    const auto& [entry, after, height, added] = request.words;
    Tree& tree = trees_[entry];
    if (after != tree.changes.size()) return;
    Change change{height, {}};
    if (added != 0) change.added = RemoteAddr::unpack(added);
    tree.changes.push_back(change);
    for (const PendingCall& each : std::exchange(tree.waiting, {})) verbs.reply(each, told(change));
  }

  // The cluster manager's part of recovery (3.10): no verb of a dead client lands any more.
  Task<void> cut_off_dead(Verbs& verbs) {
    std::vector<bool> gone(env_.peers->shape().clients);
    for (;;) {
      const Membership members = verbs.membership();
      for (std::uint32_t i = 0; i < gone.size(); ++i) {
        if (gone[i] || members.is_alive(ClientId{i})) continue;
        gone[i] = true;
        LATCHLAB_PATH("citron: the manager cuts off a dead client");
        co_await verbs.evict(ClientId{i});
      }
      WaitSet set;
      set.membership_after = members.version;
      co_await verbs.first_of(set);
    }
  }

  const Options& options_;  // the protocol's, which outlives its parts
  const ServerEnv env_;
  Lookup<Tree> trees_;  // those that clients asked about, by their entries' packed addresses
};

}  // namespace

namespace metadata {

Request next_change(RemoteAddr entry, std::uint64_t after, std::uint64_t waits) {
  return {kNextChange, {entry.packed(), after, waits}};
}
std::optional<Change> change_in(const Reply& reply) {
  if (!reply.ok() || reply.words[0] == 0) return std::nullopt;
  Change change{reply.words[1], {}};
  if (reply.words[2] != 0) change.added = RemoteAddr::unpack(reply.words[2]);
  return change;
}

Request allocate(RemoteAddr entry, std::uint64_t bytes) {
  return {kAllocate, {entry.packed(), bytes}};
}
std::optional<RemoteAddr> memory_in(const Reply& reply) {
  if (!reply.ok() || reply.words[0] == 0) return std::nullopt;
  return RemoteAddr::unpack(reply.words[1]);
}

Request publish(RemoteAddr entry, std::uint64_t after, const Change& change) {
  return {kPublish, {entry.packed(), after, change.height, memory_or_none(change)}};
}

}  // namespace metadata

std::unique_ptr<ServerPart> make_server_part(const Options& options, const ServerEnv& env) {
  return std::make_unique<Server>(options, env);
}

}  // namespace latchlab::citron
