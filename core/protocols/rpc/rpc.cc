#include "core/protocols/rpc/rpc.h"

#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/common/lock_table.h"
#include "core/protocols/common/modes.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/message_names.h"

namespace latchlab {
namespace {

using served::Asked;

enum class Guards : std::uint8_t { per_acquisition, per_thread };

struct RpcOptions {
  Guards guards = Guards::per_acquisition;
  std::uint32_t threads = 47;
  Duration retry_pause = {};
  bool show = false;
};

class RpcServer final : public ServerPart {
 public:
  explicit RpcServer(const RpcOptions& options) : options_(options) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    const Asked asked = served::unpack(pending.request);
    const std::uint64_t before = table_.shown(options_.show, asked.entry);
    Reply reply;
    reply.words[0] = pending.request.type == served::kAcquire ? try_acquire(asked) : release(asked);
    const std::uint64_t change = table_.shown(options_.show, asked.entry) - before;
    if (change != 0) co_await verbs.cpu_fetch_add(asked.entry, change);
    verbs.reply(pending, reply);
  }

 private:
  served::Answer try_acquire(const Asked& asked) {
    const Asked guard = guard_of(asked);
    const bool shared = asked.mode == LockMode::shared;
    const bool replaces = options_.guards == Guards::per_thread && shared && table_.holds(guard);
    if (PLANTED(rpc_readers_pass_writers) && shared) {
      table_.pass(guard);
      return served::kGranted;
    }
    if (!table_.try_enter(guard)) {
      if (shared) LATCHLAB_PATH("rpc: a reader is refused");
      if (!shared) LATCHLAB_PATH("rpc: a writer is refused");
      return served::kRefused;
    }
    if (replaces) LATCHLAB_PATH("rpc: a reader's guard replaces that of another");
    if (shared) LATCHLAB_PATH("rpc: a reader is let in");
    if (!shared) LATCHLAB_PATH("rpc: a writer is let in");
    return served::kGranted;
  }

  served::Answer release(const Asked& asked) {
    const Asked guard = guard_of(asked);
    if (!table_.leave(guard)) {
      LATCHLAB_PATH("rpc: a release finds no guard");
      return served::kRefused;
    }
    const bool free = table_.entry_word_of(asked.entry) == 0;
    if (free) LATCHLAB_PATH("rpc: a release frees the lock");
    if (!free) LATCHLAB_PATH("rpc: a reader leaves other readers holding");
    return served::kGranted;
  }

  // The identity under which the table knows this client as a holder.
  Asked guard_of(Asked asked) const {
    if (options_.guards == Guards::per_thread)
      asked.who = {ClientId{asked.who.client.value % options_.threads}, 0};
    if (PLANTED(rpc_takes_all_for_readers)) asked.mode = LockMode::shared;
    return asked;
  }

  const RpcOptions& options_;
  served::LockTable table_;
};

class RpcClient final : public served::Client {
 public:
  RpcClient(const RpcOptions& options, const ClientEnv& env) : Client(env), options_(options) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override {
    const Grant grant = number(Grant(want, reader_or_writer(want)));
    verbs().mark(Phase::initial_atomic);
    for (;;) {
      const Reply reply = co_await ask(served::kAcquire, grant);
      if (!reply.ok()) {
        LATCHLAB_PATH("rpc: the server fails an acquire");
        co_return Aborted{AbortReason::server_failed};
      }
      Time now = verbs().now();
      const bool dropped = now >= options.deadline && PLANTED(rpc_drops_a_late_grant);
      if (reply.words[0] == served::kGranted && !dropped) co_return grant;
      if (now < options.deadline && options_.retry_pause.ps > 0) {
        LATCHLAB_PATH("rpc: a refused client pauses");
        verbs().mark(Phase::retry);
        const Duration pause = std::min(options_.retry_pause, time_until(options.deadline, now));
        co_await verbs().sleep(pause);
        now = verbs().now();
      }
      if (now >= options.deadline) {
        LATCHLAB_PATH("rpc: a client gives up at its deadline");
        co_return Aborted{AbortReason::deadline};
      }
      if (options_.retry_pause.ps == 0) LATCHLAB_PATH("rpc: a refused client asks again at once");
      verbs().mark(Phase::retry);
    }
  }

 private:
  void note_failed_release() const override { LATCHLAB_PATH("rpc: the server fails a release"); }

  const RpcOptions& options_;  // the protocol's, which outlives its parts
};

class Rpc final : public ProtocolOf<RpcOptions, RpcClient>, public MessageNames {
 public:
  using ProtocolOf::ProtocolOf;
  Limits limits() const override {
    return {.abortable = true, .clients_alike = options_.guards == Guards::per_acquisition};
  }
  std::vector<Capability> needs() const override { return {Capability::calls}; }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& /*env*/) const override {
    return std::make_unique<RpcServer>(options_);
  }
  std::string_view request_name(std::uint64_t type) const override {
    return name_in({"Acquire", "Release", "Withdraw"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return served::decode_entry(options_.show, words[0]);
  }
};

}  // namespace

ProtocolEntry rpc_entry() {
  return make_entry<Rpc>(
      {.name = "rpc",
       .summary =
           "the server's CPU acquires and releases locks; a client that is refused asks again",
       .source = "ShiftLock (FAST'25) 4.1, its RPC baseline",
       .shared_mode = true,
       .fairness = "none",
       .handover = "by chance: waiters retry",
       .costs = {.free_exclusive = {{0, 0, 1, 2}, {0, 0, 1, 2}},
                 .exclusive_after_exclusive = {{0, 0, 2, 2, true}, {0, 0, 1, 2}},
                 .free_shared = {{0, 0, 1, 2}, {0, 0, 1, 2}},
                 .shared_after_exclusive = {{0, 0, 2, 2, true}, {0, 0, 1, 2}},
                 .exclusive_after_shared = {{0, 0, 2, 2, true}, {0, 0, 1, 2}}},
       .params = {{"guards", &RpcOptions::guards, "per_acquisition|per_thread",
                   "what the server identifies a holder by: its acquisition, or its thread "
                   "(ShiftLock artifact); per_thread: loses readers"},
                  {"threads", &RpcOptions::threads, 1, 1'000'000,
                   "with guards per_thread: client i is served by thread i modulo this (ShiftLock "
                   "artifact: 47)"},
                  {"retry_pause", &RpcOptions::retry_pause, Duration{}, seconds(1),
                   "pause before a client that was refused asks again (ShiftLock artifact: none)"},
                  {"show", &RpcOptions::show, served::kShowHelp}},
       .profiles = {{"paper", "ShiftLock (FAST'25) 4.1"},
                    {"shiftlock_artifact",
                     "ShiftLock artifact, its RPC baseline",
                     {{"guards", "per_thread"}, {"threads", 47}}}},
       .printed = {"guards=per_thread"},
       .small_model = {{"threads", 1}, {"show", true}}});
}

}  // namespace latchlab
