#include "core/workload/transactions/tpcc_program.h"

#include <algorithm>

namespace latchlab {
namespace {

constexpr std::uint32_t kNames = 1000;
constexpr std::uint32_t kNameA = 255, kCustomerA = 1023, kItemA = 8191;  // A of NURand
constexpr std::uint32_t kLeastLines = 5, kLinesOfTwo = 2 * kMeanLines;
constexpr std::uint32_t kLevelOrders = 20;

// Derive separate seeds from the run's.
constexpr std::uint64_t kPopulationSeed = 0x6e61'6d65'73;
constexpr std::uint64_t kLineSeed = 0x6c69'6e65'73;

std::uint32_t draw_below(Rng& rng, std::uint32_t bound) {
  return static_cast<std::uint32_t>(rng.below(bound));
}

// NURand(A, x, x + n - 1) - x, clause 2.1.6 of the specification.
std::uint32_t nurand(Rng& rng, std::uint32_t a, std::uint32_t x, std::uint32_t n, std::uint32_t c) {
  const std::uint32_t low = draw_below(rng, a + 1);
  return ((low | (x + draw_below(rng, n))) + c) % n;
}

// C for names in the run, from C of the load (2.1.6.1).
std::uint32_t c_of_run(Rng& rng, std::uint32_t c_load) {
  std::uint32_t delta = 96;
  while (delta == 96 || delta == 112) delta = 65 + draw_below(rng, 55);
  return c_load + delta <= kNameA ? c_load + delta : c_load - delta;
}

// The middle customer of each name.
std::vector<std::uint32_t> middle_customers(Rng& rng, std::uint32_t c_load) {
  std::vector<std::vector<std::uint32_t>> having(kNames);
  for (std::uint32_t customer = 0; customer < kDistrictRows; ++customer)
    having[customer < kNames ? customer : nurand(rng, kNameA, 0, kNames, c_load)].push_back(
        customer);
  std::vector<std::uint32_t> middle;
  for (const std::vector<std::uint32_t>& customers : having)
    middle.push_back(customers[rng.below(customers.size())]);
  return middle;
}

}  // namespace

TpccProgram::TpccProgram(const TpccHomes& homes, std::uint64_t seed)
    : homes_(homes), line_seed_(hash_of(seed, kLineSeed)) {
  Rng rng(hash_of(seed, kPopulationSeed));
  const std::uint32_t c_load = draw_below(rng, kNameA + 1);
  middle_ = middle_customers(rng, c_load);
  c_name_ = c_of_run(rng, c_load);
  c_customer_ = draw_below(rng, kCustomerA + 1);
  c_item_ = draw_below(rng, kItemA + 1);
}

void TpccProgram::run(TpccType type, TpccClient& client, TpccTouches& touches) {
  touches.clear();
  switch (type) {
    case TpccType::new_order:
      return new_order(client, touches);
    case TpccType::payment:
      return payment(client, touches);
    case TpccType::order_status:
      return order_status(client, touches);
    case TpccType::delivery:
      return delivery(client, touches);
    case TpccType::stock_level:
      return stock_level(client, touches);
  }
}

TpccProgram::Lines TpccProgram::lines_of(std::uint32_t order) const {
  const std::uint32_t pair = order / 2;
  const auto extra = static_cast<std::uint32_t>(hash_of(line_seed_, pair) % (kMeanLines + 1));
  const std::uint32_t even = kLeastLines + extra;
  const std::uint32_t first = pair * kLinesOfTwo;
  if (order % 2 == 0) return {first, even};
  return {first + even, kLinesOfTwo - even};
}

void TpccProgram::new_order(TpccClient& client, TpccTouches& touches) {
  const std::uint32_t home = client.draw_home(homes_);
  const std::uint32_t district = client.draw(kDistricts);
  touches.push_back({TpccTable::warehouse, home, 0, LockMode::shared});
  touches.push_back({TpccTable::district, home, district});
  const std::uint32_t first = district * kDistrictRows;
  touches.push_back({TpccTable::customer, home, first + by_number(client), LockMode::shared});
  const std::uint32_t order = first + client.orders++ % kDistrictRows;
  touches.push_back({TpccTable::orders, home, order});
  touches.push_back({TpccTable::new_order, home, order});
  const bool rolls_back = client.one_in_hundred(1);
  const Lines lines = lines_of(order);
  for (std::uint32_t n = 0; n < lines.count; ++n) {
    if (rolls_back && n + 1 == lines.count) return;
    const std::uint32_t item = draw_item(client);
    const bool remote = client.one_in_hundred(1);
    const std::uint32_t supplier = remote ? client.draw_other(homes_, home) : home;
    touches.push_back({TpccTable::stock, supplier, item});
    touches.push_back({TpccTable::order_line, home, lines.first + n});
  }
}

void TpccProgram::payment(TpccClient& client, TpccTouches& touches) {
  const std::uint32_t home = client.draw_home(homes_);
  const std::uint32_t district = client.draw(kDistricts);
  touches.push_back({TpccTable::warehouse, home, 0});
  touches.push_back({TpccTable::district, home, district});
  const bool remote = client.one_in_hundred(15) && homes_.warehouses > 1;
  const std::uint32_t of = remote ? client.draw_other(homes_, home) : home;
  const std::uint32_t first = (remote ? client.draw(kDistricts) : district) * kDistrictRows;
  touches.push_back({TpccTable::customer, of, first + by_name_or_number(client)});
  const std::uint32_t paid = district * kDistrictRows + client.payments++ % kDistrictRows;
  touches.push_back({TpccTable::history, home, paid});
}

void TpccProgram::order_status(TpccClient& client, TpccTouches& touches) {
  const std::uint32_t home = client.draw_home(homes_);
  const std::uint32_t first = client.draw(kDistricts) * kDistrictRows;
  const std::uint32_t customer = first + by_name_or_number(client);
  touches.push_back({TpccTable::customer, home, customer, LockMode::shared});
  const std::uint32_t order = first + client.draw(kDistrictRows);
  touches.push_back({TpccTable::orders, home, order, LockMode::shared});
  touch_lines(home, order, LockMode::shared, touches);
}

void TpccProgram::delivery(TpccClient& client, TpccTouches& touches) {
  const std::uint32_t home = client.draw_home(homes_);
  for (std::uint32_t district = 0; district < kDistricts; ++district) {
    const std::uint32_t first = district * kDistrictRows;
    const std::uint32_t order = first + client.draw(kDistrictRows);
    touches.push_back({TpccTable::new_order, home, order});
    touches.push_back({TpccTable::orders, home, order});
    touch_lines(home, order, LockMode::exclusive, touches);
    touches.push_back({TpccTable::customer, home, first + by_number(client)});
  }
}

void TpccProgram::stock_level(TpccClient& client, TpccTouches& touches) {
  const std::uint32_t home = client.draw_home(homes_);
  const std::uint32_t district = client.draw(kDistricts);
  touches.push_back({TpccTable::district, home, district, LockMode::shared});
  const std::uint32_t from = client.draw(kDistrictRows);
  items_.clear();
  for (std::uint32_t n = 0; n < kLevelOrders; ++n) {
    const std::uint32_t order = district * kDistrictRows + (from + n) % kDistrictRows;
    touch_lines(home, order, LockMode::shared, touches);
    const std::uint32_t count = lines_of(order).count;
    for (std::uint32_t line = 0; line < count; ++line) items_.push_back(draw_item(client));
  }
  std::sort(items_.begin(), items_.end());
  items_.erase(std::unique(items_.begin(), items_.end()), items_.end());
  for (const std::uint32_t item : items_)
    touches.push_back({TpccTable::stock, home, item, LockMode::shared});
}

void TpccProgram::touch_lines(std::uint32_t warehouse, std::uint32_t order, LockMode mode,
                              TpccTouches& touches) const {
  const Lines lines = lines_of(order);
  for (std::uint32_t n = 0; n < lines.count; ++n)
    touches.push_back({TpccTable::order_line, warehouse, lines.first + n, mode});
}

std::uint32_t TpccProgram::by_number(TpccClient& client) const {
  return nurand(client.rows, kCustomerA, 1, kDistrictRows, c_customer_);
}

std::uint32_t TpccProgram::by_name_or_number(TpccClient& client) const {
  if (!client.one_in_hundred(60)) return by_number(client);
  return middle_[nurand(client.rows, kNameA, 0, kNames, c_name_)];
}

std::uint32_t TpccProgram::draw_item(TpccClient& client) const {
  return nurand(client.rows, kItemA, 1, kItems, c_item_);
}

}  // namespace latchlab
