#pragma once
// What mixes of TPC-C share: tables, the home warehouses of clients, the shares of transactions,
// and the random streams of clients.
//
// Client c is on machine c / clients_per_machine, modulo machines: machines are alike, and clients
// are numbered machine by machine. Machine m owns warehouses m W / machines to (m + 1) W /
// machines. The home of each transaction is drawn uniformly from the warehouses of its client's
// machine, or from all: a client stands for many terminals, each with its own warehouse (TPC-C
// 5.11, 2.4.1.1).

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/workload/transactions/transaction.h"

namespace latchlab {

enum class TpccType : std::uint32_t { new_order, payment, order_status, delivery, stock_level };

// Tables of a warehouse. Orders, new orders, their lines and history begin with equally many rows.
enum class TpccTable : std::uint8_t {
  warehouse,
  district,
  customer,
  orders,
  history,
  new_order,
  order_line,
  stock,
  item
};
inline constexpr std::uint32_t kTpccTables = 9;
inline constexpr std::uint32_t kDistricts = 10;
inline constexpr std::uint32_t kDistrictRows = 3000;  // customers of a district, or orders, ...
inline constexpr std::uint32_t kCustomers = kDistricts * kDistrictRows;
inline constexpr std::uint32_t kMeanLines = 10;  // of an order
inline constexpr std::uint32_t kItems = 100'000;

struct TpccTouch {
  TpccTable table = TpccTable::warehouse;
  std::uint32_t warehouse = 0;
  std::uint32_t row = 0;  // of the table in this warehouse, from 0
  LockMode mode = LockMode::exclusive;
};
using TpccTouches = std::vector<TpccTouch>;

struct TpccHomes {
  std::uint32_t warehouses = 1;  // of all machines, at least one for each
  std::uint32_t machines = 1;
  std::uint32_t clients_per_machine = 1;
  bool anywhere = false;  // the home may be any warehouse

  std::uint32_t machine_of(ClientId client) const {
    return client.value / clients_per_machine % machines;
  }
  std::uint32_t first_of(std::uint32_t machine) const {
    return static_cast<std::uint32_t>(std::uint64_t{machine} * warehouses / machines);
  }
};

class TpccClient {
 public:
  TpccClient(const TpccHomes& homes, ClientId client, std::uint64_t seed);

  Rng kinds, scans, rows;  // separate streams: scans do not change which rows are drawn
  // The number of rows that this client has inserted, from a start of its own: its inserts wrap
  // around a table.
  std::uint32_t orders, payments;

  // By the specification's minimum mix (5.2.3): 45, 43, 4, 4, 4 of 100.
  TpccType draw_type();
  std::uint32_t draw(std::uint32_t bound) { return static_cast<std::uint32_t>(rows.below(bound)); }
  bool one_in_hundred(std::uint32_t times) { return draw(100) < times; }
  std::uint32_t draw_home(const TpccHomes& homes) { return draw_home(homes, rows); }
  std::uint32_t draw_scanned(const TpccHomes& homes) { return draw_home(homes, scans); }
  // Another warehouse, drawn uniformly; the same one if there is only one.
  std::uint32_t draw_other(const TpccHomes& homes, std::uint32_t warehouse);
  // A warehouse of another machine, drawn uniformly; the same one if there is only one machine.
  std::uint32_t draw_far(const TpccHomes& homes, std::uint32_t warehouse);

 private:
  std::uint32_t draw_home(const TpccHomes& homes, Rng& rng) const;
  std::uint32_t machine_;
};

// The parser of the scenario has checked the homes; a CHECK confirms that.
std::vector<TpccClient> make_tpcc_clients(const TpccHomes& homes, const MixClients& clients);

std::vector<std::string_view> tpcc_type_names();

// Adds a lock unless the transaction has it already. No transaction wants one lock in two modes.
void add_need(Transaction& transaction, LockId lock, LockMode mode);

}  // namespace latchlab
