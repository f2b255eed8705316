#include "core/workload/transactions/tpcc_blocks.h"

#include <array>

namespace latchlab {
namespace {

constexpr std::uint32_t kStockBlocks = 30, kCustomerBlocks = 30, kRowsOfBlock = 1000;
constexpr std::uint32_t kRound = 10;
constexpr std::uint32_t kStockDraws = 10;

// The first block of each table, in the order of TpccTable.
constexpr std::array<std::uint64_t, kTpccTables> kFirstBlock = {0, 1, 11, 41, 51, 61, 71, 81, 111};

std::uint32_t block_of(TpccTable table, std::uint32_t row) {
  switch (table) {
    case TpccTable::warehouse:
    case TpccTable::district:
      return row;
    case TpccTable::customer:
      return row / kRowsOfBlock;
    case TpccTable::order_line:
      return row / (kDistrictRows * kMeanLines);
    case TpccTable::stock:
      return row % kStockBlocks;
    case TpccTable::orders:
    case TpccTable::history:
    case TpccTable::new_order:
    case TpccTable::item:
      break;
  }
  return row / kDistrictRows;
}

// The recipe's NU.
std::uint32_t uneven(TpccClient& client, std::uint32_t a, std::uint32_t n) {
  const std::uint32_t low = client.draw(a);
  return (low | client.draw(n)) % n;
}

std::uint32_t named_or_numbered(TpccClient& client) {
  const bool named = client.one_in_hundred(60);
  return (named ? uneven(client, 256, 1000) : uneven(client, 1024, kDistrictRows)) %
         kCustomerBlocks;
}

}  // namespace

TpccBlocks::TpccBlocks(const TpccBlocksSpec& spec, const MixClients& clients)
    : spec_(spec),
      first_client_(clients.first),
      clients_(make_tpcc_clients(spec.homes, clients)),
      program_(spec.homes, clients.seed) {}

std::uint64_t TpccBlocks::locks() const {
  return kBlocksPerWarehouse * spec_.homes.warehouses;
}

// The recipe's orders have ten items; the specification's programs use one or two warehouses.
std::uint32_t TpccBlocks::most_needs() const {
  return spec_.original ? 16 : kBlocksPerWarehouse;
}

void TpccBlocks::next(ClientId client, Transaction& transaction) {
  TpccClient& who = clients_[client.value - first_client_];
  const TpccType type = who.draw_type();
  transaction.type = static_cast<std::uint32_t>(type);
  transaction.needs.clear();
  if (spec_.original)
    recipe(type, who);
  else
    program_.run(type, who, touches_);
  for (const TpccTouch& touch : touches_) {
    const std::uint32_t block = spec_.original ? touch.row : block_of(touch.table, touch.row);
    const std::uint64_t first = kFirstBlock[static_cast<std::size_t>(touch.table)];
    const LockId lock{kBlocksPerWarehouse * touch.warehouse + first + block};
    add_need(transaction, lock, touch.mode);
  }
}

void TpccBlocks::recipe(TpccType type, TpccClient& client) {
  touches_.clear();
  if (type == TpccType::new_order) return new_order(client);
  if (type == TpccType::payment) return payment(client);
  const std::uint32_t home = client.draw_home(spec_.homes);
  const auto any = [&](TpccTable table, std::uint32_t blocks, LockMode mode) {
    touches_.push_back({table, home, client.draw(blocks), mode});
  };
  if (type == TpccType::order_status) {
    touches_.push_back({TpccTable::customer, home, named_or_numbered(client), LockMode::shared});
    any(TpccTable::orders, kRound, LockMode::shared);
    any(TpccTable::order_line, kRound, LockMode::shared);
  } else if (type == TpccType::delivery) {
    any(TpccTable::new_order, kRound, LockMode::exclusive);
    any(TpccTable::orders, kRound, LockMode::exclusive);
    any(TpccTable::order_line, kRound, LockMode::shared);
    const std::uint32_t customer = uneven(client, 1024, kDistrictRows) % kCustomerBlocks;
    touches_.push_back({TpccTable::customer, home, customer});
  } else {
    any(TpccTable::district, kDistricts, LockMode::shared);
    any(TpccTable::order_line, kRound, LockMode::shared);
    any(TpccTable::stock, kStockBlocks, LockMode::shared);
  }
}

void TpccBlocks::new_order(TpccClient& client) {
  const std::uint32_t home = client.draw_home(spec_.homes);
  const std::uint32_t district = client.draw(kDistricts);
  touches_.push_back({TpccTable::warehouse, home, 0, LockMode::shared});
  touches_.push_back({TpccTable::district, home, district});
  const std::uint32_t row = uneven(client, 1024, kDistrictRows) + kDistrictRows * district;
  touches_.push_back({TpccTable::customer, home, row / kRowsOfBlock, LockMode::shared});
  const std::uint32_t turn = client.orders++ % kRound;
  touches_.push_back({TpccTable::orders, home, turn});
  touches_.push_back({TpccTable::new_order, home, turn});
  for (std::uint32_t n = 0; n < kStockDraws; ++n)
    touches_.push_back({TpccTable::stock, home, client.draw(kItems) % kStockBlocks});
  touches_.push_back({TpccTable::order_line, home, turn});
}

void TpccBlocks::payment(TpccClient& client) {
  const std::uint32_t home = client.draw_home(spec_.homes);
  touches_.push_back({TpccTable::warehouse, home, 0});
  touches_.push_back({TpccTable::district, home, client.draw(kDistricts)});
  const bool far = client.one_in_hundred(15);
  const std::uint32_t of = far ? client.draw_far(spec_.homes, home) : home;
  touches_.push_back({TpccTable::customer, of, named_or_numbered(client)});
  touches_.push_back({TpccTable::history, home, client.payments++ % kRound});
}

}  // namespace latchlab
