// Assembles ShiftLock from its parts. shiftlock.h describes the lock.

#include "core/protocols/shiftlock/shiftlock.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "core/base/paths.h"
#include "core/protocols/lock.h"
#include "core/protocols/message_names.h"
#include "core/protocols/shiftlock/client.h"
#include "core/protocols/shiftlock/messages.h"
#include "core/protocols/shiftlock/switches.h"

namespace latchlab::shiftlock {
namespace {

constexpr std::uint64_t kServerBytes = 8;  // the era

// Resets a lock whose RelCnt has not changed for three leases, once per era (3.6).
class Server final : public ServerPart {
 public:
  Server(const Switches& on, const ServerEnv& env) : on_(on), era_word_(env.server_words) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    Reply reply;
    if (pending.request.type == kRecover) {
      const bool done = co_await recover(verbs, pending.request);
      reply.words[0] = done ? 1 : 0;
    }
    verbs.reply(pending, reply);
  }

 private:
  // The reset is an atomic through the NIC, as the clients' verbs are: a concurrent client atomic
  // could overwrite a CPU store.
  Task<bool> recover(Verbs& verbs, Request request) {
    const RemoteAddr entry = RemoteAddr::unpack(request.words[0]);
    const std::uint64_t era = request.words[1];
    std::uint64_t relcnt = request.words[2];
    const std::uint64_t current = co_await verbs.cpu_compare_swap(era_word_, era, era + 1);
    if (current != era) {
      LATCHLAB_PATH("shiftlock: the server rejects a request of an earlier era");
      co_return false;
    }
    if (on_.reset_compares_own_read) relcnt = co_await verbs.load(entry + kRelCntOffset);
    const Verb reset = on_.reset(entry, relcnt, !on_.reset_zeroes_epoch);
    const Completion before = co_await verbs.issue(reset);
    const bool done = before.ok() && matched(reset, before.value);
    if (done) LATCHLAB_PATH("shiftlock: the server resets a lock");
    if (!done) LATCHLAB_PATH("shiftlock: a reset finds that the lock has moved");
    co_return done;
  }

  Switches on_;
  RemoteAddr era_word_;
};

}  // namespace
}  // namespace latchlab::shiftlock

namespace latchlab {
namespace {

using namespace shiftlock;

class Shiftlock final : public ProtocolOf<Switches, Client>, public MessageNames {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override {
    return {.entry_bytes = kEntryBytes,
            .entry_align = kEntryBytes,
            .server_bytes = on_.asks_server() ? shiftlock::kServerBytes : 0};
  }
  Limits limits() const override {
    return {.max_clients = (1ULL << on_.rdrcnt_bits) - 1,
            .held_at_once = on_.match_messages ? on_.recvs / 2 : on_.endpoints,
            .clients_alike = true};
  }
  std::vector<Capability> needs() const override {
    if (!on_.recovery) return {Capability::masked_atomics_16, Capability::reliable_messages};
    if (on_.recovered_by_client)
      return {Capability::masked_atomics_16, Capability::reliable_messages, Capability::timing,
              Capability::receive_timestamps};
    return {Capability::masked_atomics_16, Capability::reliable_messages, Capability::calls,
            Capability::timing, Capability::receive_timestamps};
  }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& env) const override {
    return on_.asks_server() ? std::make_unique<shiftlock::Server>(on_, env) : nullptr;
  }

  // ShiftLock (FAST'25) 3.5 and 3.5.2.
  //  * Writer against writer: 0. Writers queue "in an FCFS manner". The swap must be their first
  //    verb.
  //  * Reader against writers: N - 1. A reader waits for at most N writers in a row, then Epoch
  //    flips. It waits only if one of them queued before it, so that N - 1 came later. The printed
  //    algorithm lets N + 1 writers run in a row (`chain_limit`), which contradicts the text.
  //  * Writer against readers: no number. At each mode change before its turn, every reader that
  //    waits then overtakes a writer deep in the queue. The text gives no bound, and the number
  //    grows with the clients.
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t /*acquisitions*/) const override {
    if (winner == LockMode::shared) return std::nullopt;
    if (waiter == LockMode::shared) {
      constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
      return static_cast<std::uint32_t>(std::min(on_.max_writers - 1, kMost));
    }
    return on_.trivial_tries == 0 ? std::optional<std::uint32_t>(0) : std::nullopt;
  }

  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    const Entry entry = on_.unpack({words[0], words[1]});
    return entry.tail.null() && entry.readers == 0;  // Epoch and RelCnt keep their values
  }

  std::string_view message_name(std::uint64_t type) const override {
    return name_in({"Successor", "Handover", "ModeChanged"}, type);
  }
  std::string_view request_name(std::uint64_t type) const override {
    return name_in({"Recover"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    const Entry entry = on_.unpack({words[0], words[1]});
    std::string text = "epoch=" + std::to_string(entry.epoch) +
                       " readers=" + std::to_string(entry.readers) + " tail=";
    if (entry.tail.null()) text += "none";
    if (!entry.tail.null())
      text += std::to_string(entry.tail.node.value) + ":" + std::to_string(entry.tail.number);
    text += " releases=" + std::to_string(entry.relcnt & on_.releases_mask());
    text += " generation=" + std::to_string(on_.recoveries(entry.relcnt));
    return text;
  }

 private:
  const Switches& on_ = options_;
};

// A reader's release that takes effect later: see `Relies on` in shiftlock.h.
Claims shiftlock_claims(const Switches& on) {
  return on.recovery ? recovers_by_leases(on.lease * 2) : never_recovers();
}

}  // namespace

ProtocolEntry shiftlock_entry() {
  return make_entry<Shiftlock>(
      {.name = "shiftlock",
       .summary = "reader-writer queue lock with direct handover between clients",
       .source = "Gao, Wang, Shu: ShiftLock, FAST 2025, section 3",
       .shared_mode = true,
       .fairness = "writers first come, first served; readers after 16 of them",
       .handover = "a message to the next writer; readers poll",
       .survives = "client crashes",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{1, 1, 0, 3}, {1, 1, 0, 4}},
                 .free_shared = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .shared_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .exclusive_after_shared = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}},
       .params = params(),
       .profiles = profiles(),
       .printed = {"chain_limit=handovers", "handover_epoch=literal", "mode_changed_epoch=literal",
                   "recovered_by=client", "reset_epoch=zero", "reset_compare=own_read",
                   "admission=epoch_first", "late_turn=trust", "release_fence=clock",
                   "release_fence=none", "message_lock_id=false", "message_number=false"},
       .small_model = {{"max_consecutive_writers", 1},
                       {"lease", microseconds(200)},
                       {"rdrcnt_bits", 4},
                       {"relcnt_bits", 10},
                       {"recovery_bits", 5}},
       .claims = shiftlock_claims,
       .longest_timeout = [](const Switches& on) { return on.recovery ? on.patience : Duration{}; },
       .longest_grant = [](const Switches& on) { return on.recovery ? on.lease : Duration{}; },
       .contradiction = contradiction});
}

}  // namespace latchlab
