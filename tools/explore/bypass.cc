#include "tools/explore/bypass.h"

#include <fmt/format.h>

#include "core/base/check.h"

namespace latchlab::explore {

namespace {

constexpr std::uint32_t kNothingClaimed = ~0U;

std::uint32_t bit(ClientId client) {
  return 1U << client.value;
}

}  // namespace

BypassCheck::BypassCheck(const Protocol& protocol, std::uint32_t clients,
                         std::uint64_t acquisitions) {
  LATCHLAB_CHECK(clients <= 32, "one bit for each client");
  bool any = false;
  for (std::size_t waiter = 0; waiter < kLockModes; ++waiter) {
    for (std::size_t winner = 0; winner < kLockModes; ++winner) {
      const auto bound = protocol.bypass_bound(static_cast<LockMode>(waiter),
                                               static_cast<LockMode>(winner), acquisitions);
      bounds_[waiter][winner] = bound.value_or(kNothingClaimed);
      any = any || bound;
    }
  }
  if (any) clients_.resize(clients);
}

void BypassCheck::requested(ClientId client, LockMode mode) {
  if (!on()) return;
  clients_[client.value].mode = static_cast<std::uint32_t>(mode);
  clients_[client.value].expected = 1;
}

std::uint32_t BypassCheck::waiting_before(ClientId client) const {
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < clients_.size(); ++i) {
    const bool claimed = bounds_[clients_[i].mode][clients_[client.value].mode] != kNothingClaimed;
    if (claimed && (waiting_ & bit(ClientId{i})) != 0) before |= bit(ClientId{i});
  }
  return before;
}

void BypassCheck::came(ClientId client) {
  if (!on()) return;
  clients_[client.value].before = waiting_before(client);
  clients_[client.value].expected = 0;
  waiting_ |= bit(client);
}

void BypassCheck::granted(ClientId client) {
  if (!on()) return;
  if (expected(client)) came(client);
  const std::size_t winner = clients_[client.value].mode;
  for (std::uint32_t i = 0; i < clients_.size(); ++i) {
    if ((clients_[client.value].before & bit(ClientId{i})) == 0) continue;
    Client& waiter = clients_[i];
    const std::uint32_t bound = bounds_[waiter.mode][winner];
    std::uint32_t& count = waiter.bypassed[winner];
    if (count <= bound) ++count;
    if (count > bound && !broken()) broken_ = {i, client.value, count};
  }
  leave(client);
}

std::string BypassCheck::describe() const {
  return fmt::format(
      "client {} got the lock before client {}, whose first verb had taken effect earlier: "
      "bypass {} of that client, and the lock claims {} at most",
      broken_.winner, broken_.waiter, broken_.count, broken_.count - 1);
}

void BypassCheck::withdrawn(ClientId client) {
  if (on()) leave(client);
}

void BypassCheck::leave(ClientId client) {
  clients_[client.value] = {};
  waiting_ &= ~bit(client);
  for (Client& each : clients_) each.before &= ~bit(client);
}

}  // namespace latchlab::explore
