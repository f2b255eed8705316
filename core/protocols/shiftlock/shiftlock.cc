// Assembles ShiftLock from its parts. shiftlock.h describes the lock.

#include "core/protocols/shiftlock/shiftlock.h"

#include <algorithm>
#include <limits>

#include "core/protocols/message_names.h"
#include "core/protocols/shiftlock/client.h"
#include "core/protocols/shiftlock/server.h"

namespace latchlab {
namespace {

using namespace shiftlock;

class Shiftlock final : public ProtocolOf<Switches, Client>, public MessageNames {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override {
    return {.entry_bytes = kEntryBytes,
            .entry_align = kEntryBytes,
            .server_bytes = on_.asks_server() ? kServerBytes : 0};
  }
  Limits limits() const override {
    return {.max_clients = (1ULL << on_.rdrcnt_bits) - 1,
            .held_at_once = on_.match_messages ? on_.recvs / 2 : on_.endpoints};
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
    return on_.asks_server() ? make_server_part(on_, env) : nullptr;
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

  std::string_view message_name(std::uint16_t type) const override {
    return name_in({"Successor", "Handover", "ModeChanged"}, type);
  }
  std::string_view request_name(std::uint16_t type) const override {
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
       .small_model = {{"max_consecutive_writers", 1},
                       {"lease", microseconds(200)},
                       {"rdrcnt_bits", 4},
                       {"relcnt_bits", 10},
                       {"recovery_bits", 5}},
       .longest_timeout = [](const Switches& on) { return on.recovery ? on.patience : Duration{}; },
       .longest_grant = [](const Switches& on) { return on.recovery ? on.lease : Duration{}; },
       .contradiction = contradiction});
}

}  // namespace latchlab
