#include "core/workload/transactions/tpcc_rows.h"

#include <algorithm>
#include <array>

#include "core/base/check.h"

namespace latchlab {
namespace {

constexpr std::uint32_t kScanType = 5;
constexpr std::uint64_t kWhole = 1'000'000'000;  // in ppb

// The first row of each table, in the order of TpccTable.
constexpr std::array<std::uint64_t, kTpccTables> kFirstRow = {
    0, 1, 11, 30'011, 60'011, 90'011, 120'011, 420'011, 520'011};
static_assert(kFirstRow.back() + kItems == kScannedTable);

LockId row_lock(std::uint32_t warehouse, std::uint64_t row) {
  return LockId{kRowsPerWarehouse * warehouse + row};
}

LockId table_word(std::uint32_t warehouse, TpccTable table) {
  return row_lock(warehouse, kFirstRow[static_cast<std::size_t>(table)]);
}

std::uint32_t another_customer(TpccClient& client, std::uint32_t customer) {
  const std::uint32_t drawn = client.draw(kCustomers - 1);
  return drawn < customer ? drawn : drawn + 1;
}

}  // namespace

TpccRows::TpccRows(const TpccRowsSpec& spec, const MixClients& clients)
    : spec_(spec),
      first_client_(clients.first),
      clients_(make_tpcc_clients(spec.homes, clients)),
      program_(spec.homes, clients.seed) {
  LATCHLAB_CHECK(spec.lines_per_order > 0 && spec.lines_per_order <= kMeanLines,
                 "orders have 1 to 10 lines");
}

std::uint64_t TpccRows::locks() const {
  return kRowsPerWarehouse * spec_.homes.warehouses;
}

std::vector<std::string_view> TpccRows::type_names() const {
  std::vector<std::string_view> names = tpcc_type_names();
  names.push_back("scan");
  return names;
}

// By the specification, deliveries and stock-level transactions lock hundreds of rows.
std::uint32_t TpccRows::most_needs() const {
  return spec_.original ? 16 : 1000;
}

void TpccRows::next(ClientId client, Transaction& transaction) {
  TpccClient& who = clients_[client.value - first_client_];
  transaction.needs.clear();
  transaction.tables.clear();
  transaction.longer = {};
  const bool scans = spec_.scans_ppb > 0;
  if (scans && who.scans.below(kWhole) < static_cast<std::uint64_t>(spec_.scans_ppb)) {
    transaction.type = kScanType;
    transaction.longer = spec_.scan_time;
    return scan(who.draw_scanned(spec_.homes), transaction);
  }
  const TpccType type = who.draw_type();
  transaction.type = static_cast<std::uint32_t>(type);
  if (spec_.original)
    recipe(type, who);
  else
    program_.run(type, who, touches_);
  for (const TpccTouch& touch : touches_) {
    if (scans || spec_.intention_locks) lock_table(touch, transaction);
    const std::uint64_t first = kFirstRow[static_cast<std::size_t>(touch.table)];
    add_need(transaction, row_lock(touch.warehouse, first + touch.row), touch.mode);
  }
}

void TpccRows::scan(std::uint32_t home, Transaction& transaction) const {
  if (spec_.intention_locks)
    transaction.tables.push_back({table_word(home, scanned()), TableMode::shared, 0});
  else
    transaction.needs.push_back({row_lock(home, kScannedTable), LockMode::shared});
}

void TpccRows::lock_table(const TpccTouch& touch, Transaction& transaction) const {
  const bool changes = touch.mode == LockMode::exclusive;
  if (!spec_.intention_locks) {
    if (changes && touch.table == scanned())
      add_need(transaction, row_lock(touch.warehouse, kScannedTable), LockMode::exclusive);
    return;
  }
  const LockId word = table_word(touch.warehouse, touch.table);
  const TableMode mode = changes ? TableMode::intention_exclusive : TableMode::intention_shared;
  const bool has =
      std::any_of(transaction.tables.begin(), transaction.tables.end(),
                  [&](const TableWant& table) { return table.word == word && table.mode == mode; });
  if (!has)
    transaction.tables.push_back(
        {word, mode, static_cast<std::uint32_t>(transaction.needs.size())});
}

void TpccRows::recipe(TpccType type, TpccClient& client) {
  touches_.clear();
  switch (type) {
    case TpccType::new_order:
      return new_order(client);
    case TpccType::payment:
      return payment(client);
    case TpccType::order_status:
      return order_status(client);
    case TpccType::delivery:
      return delivery(client);
    case TpccType::stock_level:
      return stock_level(client);
  }
}

void TpccRows::new_order(TpccClient& client) {
  const std::uint32_t home = client.draw_home(spec_.homes);
  const std::uint32_t district = client.draw(kDistricts);
  const std::uint32_t customer = district * kDistrictRows + client.draw(kDistrictRows);
  const std::uint32_t item = client.draw(kItems);
  touches_.push_back({TpccTable::warehouse, home, 0, LockMode::shared});
  touches_.push_back({TpccTable::district, home, district});
  touches_.push_back({TpccTable::customer, home, customer, LockMode::shared});
  touches_.push_back({TpccTable::orders, home, customer});
  touches_.push_back({TpccTable::new_order, home, customer});
  touches_.push_back({TpccTable::item, home, item, LockMode::shared});
  touches_.push_back({TpccTable::stock, home, item});
  touch_lines(home, customer, LockMode::exclusive);
}

void TpccRows::payment(TpccClient& client) {
  const std::uint32_t home = client.draw_home(spec_.homes);
  touches_.push_back({TpccTable::warehouse, home, 0});
  touches_.push_back({TpccTable::district, home, client.draw(kDistricts)});
  const bool far = client.one_in_hundred(15) && !spec_.homes.anywhere;
  const std::uint32_t of = far ? client.draw_far(spec_.homes, home) : home;
  const bool named = client.one_in_hundred(60);
  const std::uint32_t customer = client.draw(kCustomers);
  const std::uint32_t other = named ? another_customer(client, customer) : customer;
  touches_.push_back({TpccTable::customer, of, customer});
  if (named) touches_.push_back({TpccTable::customer, of, other});
  touches_.push_back({TpccTable::history, home, customer});
  if (named) touches_.push_back({TpccTable::history, home, other});
}

void TpccRows::order_status(TpccClient& client) {
  const std::uint32_t home = client.draw_home(spec_.homes);
  const bool named = client.one_in_hundred(40);
  const std::uint32_t customer = client.draw(kCustomers);
  const std::uint32_t other = named ? another_customer(client, customer) : customer;
  for (const TpccTable table : {TpccTable::customer, TpccTable::orders}) {
    touches_.push_back({table, home, customer, LockMode::shared});
    if (named) touches_.push_back({table, home, other, LockMode::shared});
  }
  touch_lines(home, customer, LockMode::shared);
}

void TpccRows::delivery(TpccClient& client) {
  const std::uint32_t home = client.draw_home(spec_.homes);
  const std::uint32_t order = client.draw(kCustomers);
  touches_.push_back({TpccTable::new_order, home, order});
  touches_.push_back({TpccTable::orders, home, order});
  touch_lines(home, order, LockMode::exclusive);
  touches_.push_back({TpccTable::customer, home, order});
}

void TpccRows::stock_level(TpccClient& client) {
  const std::uint32_t home = client.draw_home(spec_.homes);
  touches_.push_back({TpccTable::district, home, client.draw(kDistricts), LockMode::shared});
  touch_lines(home, client.draw(kCustomers), LockMode::shared);
  for (std::uint32_t item = 0; item < spec_.lines_per_order; ++item)
    touches_.push_back({TpccTable::stock, home, item, LockMode::shared});
}

void TpccRows::touch_lines(std::uint32_t warehouse, std::uint32_t order, LockMode mode) {
  for (std::uint32_t n = 0; n < spec_.lines_per_order; ++n)
    touches_.push_back({TpccTable::order_line, warehouse, order * spec_.lines_per_order + n, mode});
}

}  // namespace latchlab
