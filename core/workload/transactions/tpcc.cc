#include "core/workload/transactions/tpcc.h"

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "core/workload/transactions/shares.h"

namespace latchlab {
namespace {

// Derives a separate seed from the run's.
constexpr std::uint64_t kScanSeed = 0x7363'616e'73;

}  // namespace

TpccClient::TpccClient(const TpccHomes& homes, ClientId client, std::uint64_t seed)
    : kinds(seed, client.value, StreamPurpose::modes),
      scans(hash_of(seed, kScanSeed), client.value, StreamPurpose::modes),
      rows(seed, client.value, StreamPurpose::keys),
      orders(draw(kDistrictRows)),
      payments(draw(kDistrictRows)),
      machine_(homes.machine_of(client)) {}

TpccType TpccClient::draw_type() {
  static constexpr std::array<std::uint32_t, 5> kShares = {45, 43, 4, 4, 4};  // by TpccType
  return static_cast<TpccType>(latchlab::draw_type(kinds, kShares));
}

std::uint32_t TpccClient::draw_home(const TpccHomes& homes, Rng& rng) const {
  const std::uint32_t first = homes.anywhere ? 0 : homes.first_of(machine_);
  const std::uint32_t end = homes.anywhere ? homes.warehouses : homes.first_of(machine_ + 1);
  return first + static_cast<std::uint32_t>(rng.below(end - first));
}

std::uint32_t TpccClient::draw_other(const TpccHomes& homes, std::uint32_t warehouse) {
  if (homes.warehouses == 1) return warehouse;
  const std::uint32_t drawn = draw(homes.warehouses - 1);
  return drawn < warehouse ? drawn : drawn + 1;
}

std::uint32_t TpccClient::draw_far(const TpccHomes& homes, std::uint32_t warehouse) {
  if (homes.machines == 1) return warehouse;
  const std::uint32_t first = homes.first_of(machine_);
  const std::uint32_t own = homes.first_of(machine_ + 1) - first;
  const std::uint32_t drawn = draw(homes.warehouses - own);
  return drawn < first ? drawn : drawn + own;
}

std::vector<TpccClient> make_tpcc_clients(const TpccHomes& homes, const MixClients& clients) {
  LATCHLAB_CHECK(homes.machines > 0 && homes.machines <= homes.warehouses,
                 "a machine without a warehouse");
  LATCHLAB_CHECK(homes.clients_per_machine > 0, "machines without clients");
  std::vector<TpccClient> made;
  made.reserve(clients.count);
  for (std::uint32_t n = 0; n < clients.count; ++n)
    made.emplace_back(homes, ClientId{clients.first + n}, clients.seed);
  return made;
}

std::vector<std::string_view> tpcc_type_names() {
  return {"new_order", "payment", "order_status", "delivery", "stock_level"};
}

void add_need(Transaction& transaction, LockId lock, LockMode mode) {
  const auto same = [lock](const LockNeed& need) { return need.lock == lock; };
  const auto found = std::find_if(transaction.needs.begin(), transaction.needs.end(), same);
  if (found == transaction.needs.end())
    transaction.needs.push_back({lock, mode});
  else
    LATCHLAB_CHECK(found->mode == mode, "a lock wanted in two modes");
}

}  // namespace latchlab
