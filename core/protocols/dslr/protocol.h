#pragma once
// What dslr and dslr_plus declare: their entry, limits, order, and how an entry is printed.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/protocols/common/entry.h"
#include "core/protocols/dslr/client.h"

namespace latchlab::dslr {

template <class LockOptions, class LockClientPart>
class TicketLock final : public ProtocolOf<LockOptions, LockClientPart> {
 public:
  using ProtocolOf<LockOptions, LockClientPart>::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override {
    const std::uint64_t bytes = word().bytes();
    return {.entry_bytes = bytes, .entry_align = bytes};
  }
  Limits limits() const override {
    // Above COUNT_MAX a field has room for COUNT_MAX - 1 tickets that will not be served.
    return {.max_clients = word().count_max() / slots() - 1, .clients_alike = true};
  }
  std::vector<Capability> needs() const override {
    std::vector<Capability> needed;
    if (options().lease.ps > 0) needed.push_back(Capability::timing);
    if (options().masked && !options().wide) needed.push_back(Capability::masked_atomics_8);
    if (options().wide) needed.push_back(Capability::masked_atomics_16);
    return needed;
  }
  // DSLR (SIGMOD'18) appendix A.2, Lemma 2 and Theorem 3: a client with a later ticket does not
  // overtake; the lock is granted first come, first served. This holds within one era (4.9), which
  // has COUNT_MAX tickets: a client that finds no tickets left starts again in the next era, behind
  // later clients, and neither the paper nor the repairs bound how often. No bound is claimed among
  // readers, nor for a later update that acquires beside a reader.
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t acquisitions) const override {
    const bool writes = winner == LockMode::exclusive || (winner == LockMode::update && !six());
    if (waiter == LockMode::shared && !writes) return std::nullopt;
    const std::uint64_t fit = (std::uint64_t{word().count_max()} + slots() - 1) / slots();
    const bool one_era = options().wraps() || acquisitions <= fit;
    return one_era ? std::optional<std::uint32_t>(0) : std::nullopt;
  }
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    const Tickets t = tickets(words);
    const bool served = t.nx == t.max_x && t.ns == t.max_s && t.nu == t.max_u;
    return served || is_tombstone(options(), t);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    const Tickets t = tickets(words);
    const auto update = [this](const char* name, std::uint32_t value) {
      return six() ? name + std::to_string(value) + " " : std::string();
    };
    return update("nU=", t.nu) + "nX=" + std::to_string(t.nx) + " nS=" + std::to_string(t.ns) +
           " " + update("maxU=", t.max_u) + "maxX=" + std::to_string(t.max_x) +
           " maxS=" + std::to_string(t.max_s);
  }

 private:
  const Options& options() const { return this->options_; }
  const TicketWord& word() const { return options().word; }
  bool six() const { return word().six(); }
  std::uint64_t slots() const { return options().multi_slot() ? options().max_slots : 1; }
  Tickets tickets(std::span<const std::uint64_t> words) const {
    return word().unpack({words[0], options().wide ? words[1] : 0});
  }
};

}  // namespace latchlab::dslr
