#pragma once
// TPC-C with a lock for each row (DSLR 6.1: "Each LM instance had a lock table with a lock object
// for every tuple of its local warehouse(s)"): low contention is 10 warehouses for each lock
// manager, high contention 1. With placement partitioned and as many servers as machines, a
// warehouse's locks are on one server, and the warehouses of a client's machine on a server of
// their own.
//
// Locks of warehouse w begin with 620,012 w: warehouse 1, districts 10, customers 30,000, orders
// 30,000, history 30,000, new orders 30,000, order lines 300,000, stock 100,000, items 100,000, and
// one for the table that is scanned. This is also the lock table of the generator that DSLR's
// authors published, which counts 30,000 new orders where the specification begins with 9000, and
// has all items in each warehouse.
//
// original: that generator's recipe in the version of DSLR's revision. The paper says no more than
// "Each transaction requested a number of shared or exclusive locks, depending on its type" and
// "the same proportion of different transaction types as the original TPC-C specification". All is
// drawn uniformly; district d, L lines for each order; S shared, X exclusive:
//   new_order     S warehouse, X d, S customer c of d, X order c, X new order c, S item i, X stock
//                 i, X lines L c to L c + L - 1
//   payment       X warehouse, X d, X customers c and (by 60 in 100) c', X history c (and c'); by
//                 15 in 100 the customers are of a warehouse of another machine
//   order_status  S customers c and (by 40 in 100) c', S orders c (and c'), S lines of c
//   delivery      X new order c, X order c, X lines of c, X customer c
//   stock_level   S d, S lines of an order, S the first L of stock
// L is 1 since October 2017, and was 10 before. Where clients are at home anywhere, the generator
// takes all locks of a transaction from one warehouse: payment's customers, too.
//
// Otherwise: the specification's transactions (tpcc_program.h), which do not lock items.
//
// Long reads (DSLR 6.4: TPC-C with a table-level shared lock on Customer): a share of transactions
// are of type `scan`, drawn from a separate stream, so that the other transactions stay the same.
// A scan wants S on the table of its home warehouse and nothing else, for as long as the scenario
// says: the paper gives no duration. The generator's scans read its table of orders (scans_orders),
// and hold it for a time around a mean.
// How other transactions lock the table is not published, and assumed:
// - A transaction that changes the table (customers: payment and delivery) wants X on it first; one
//   that reads it does not request it. Payments of a warehouse exclude each other by its first lock
//   anyway: this adds that deliveries and payments of far customers wait for them.
// - Without scans no transaction requests the table.
// intention_locks: as in the generator instead, with words of intention locks for all tables
// (intention_locks.h), scans or not. A transaction takes IS before the first shared row of a table,
// IX before the first exclusive one. (The generator's deliveries take IS on order lines, which they
// lock exclusively; no scan reads these.)

#include "core/workload/transactions/tpcc_program.h"

namespace latchlab {

struct TpccRowsSpec {
  TpccHomes homes;
  bool original = true;
  std::uint32_t lines_per_order = 1;  // of the original: 1 to 10
  std::int64_t scans_ppb = 0;         // share of transactions that scan
  Duration scan_time = {};            // how long a scan holds the table
  bool scans_orders = false;          // it reads orders, otherwise customers
  bool intention_locks = false;
};

class TpccRows final : public TransactionMix {
 public:
  TpccRows(const TpccRowsSpec& spec, const MixClients& clients);
  void next(ClientId client, Transaction& transaction) override;
  std::uint64_t locks() const override;
  std::vector<std::string_view> type_names() const override;  // with scan, the last
  std::uint32_t most_needs() const override;

 private:
  void recipe(TpccType type, TpccClient& client);
  void new_order(TpccClient& client);
  void payment(TpccClient& client);
  void order_status(TpccClient& client);
  void delivery(TpccClient& client);
  void stock_level(TpccClient& client);
  TpccTable scanned() const { return spec_.scans_orders ? TpccTable::orders : TpccTable::customer; }
  void scan(std::uint32_t home, Transaction& transaction) const;
  void lock_table(const TpccTouch& touch, Transaction& transaction) const;
  void touch_lines(std::uint32_t warehouse, std::uint32_t order, LockMode mode);

  TpccRowsSpec spec_;
  std::uint32_t first_client_;
  std::vector<TpccClient> clients_;
  TpccProgram program_;
  TpccTouches touches_;  // a member to reuse its memory
};

inline constexpr std::uint64_t kRowsPerWarehouse = 620'012;
inline constexpr std::uint64_t kScannedTable = kRowsPerWarehouse - 1;  // in its warehouse

}  // namespace latchlab
