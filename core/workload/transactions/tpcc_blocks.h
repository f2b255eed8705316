#pragma once
// TPC-C with 121 locks for each warehouse, which stand for blocks of rows: the locks of FissLock's
// published traces, with which ShiftLock's TPC-C was measured (5 machines of 100 warehouses).
//
// Locks of warehouse w begin with 121 w: warehouse 1, districts 10, customers 30 (1000 rows each),
// orders 10, history 10, new orders 10, order lines 10 (a district each), stock 30 (each of the
// items that have the same number modulo 30), items 10. Items are never requested: ShiftLock's
// "total locks" 60,490 of its 60,500 are those below the last warehouse's.
//
// original: the generator's recipe, which differs from TPC-C's programs. NU(A, n) = (U[0, A) | U[0,
// n)) mod n, without C and with A left out; S shared, X exclusive:
//   new_order     S warehouse, X district d (any), S customer (NU(1024, 3000) + 3000 d) / 1000, X
//                 orders r, X new order r, X stock of ten draws modulo 30 (any; once each), X order
//                 line r
//   payment       X warehouse, X district (any), X customer NU(256, 1000) by 60 in 100 and else
//                 NU(1024, 3000), modulo 30, by 15 in 100 in a warehouse of another machine, X
//                 history r'
//   order_status  S customer (as in payment, at home), S orders (any), S order line (any)
//   delivery      X new order (any), X orders (any), S order line (any), X customer NU(1024, 3000)
//                 modulo 30
//   stock_level   S district (any), S order line (any), S stock (any)
// r and r' cycle through ten blocks. The generator counts for each machine, over all districts and
// warehouses, and the three r of an order are the same, since their counters began together. Here
// each client counts, from a seeded start, so that its locks do not depend on other clients.
//
// Otherwise: the rows of the specification's transactions (tpcc_program.h), by their blocks.

#include "core/workload/transactions/tpcc_program.h"

namespace latchlab {

struct TpccBlocksSpec {
  TpccHomes homes;
  bool original = true;
};

class TpccBlocks final : public TransactionMix {
 public:
  TpccBlocks(const TpccBlocksSpec& spec, const MixClients& clients);
  void next(ClientId client, Transaction& transaction) override;
  std::uint64_t locks() const override;
  std::vector<std::string_view> type_names() const override { return tpcc_type_names(); }
  std::uint32_t most_needs() const override;

 private:
  void recipe(TpccType type, TpccClient& client);
  void new_order(TpccClient& client);
  void payment(TpccClient& client);

  TpccBlocksSpec spec_;
  std::uint32_t first_client_;
  std::vector<TpccClient> clients_;
  TpccProgram program_;
  TpccTouches touches_;  // a member to reuse its memory; in the recipe rows are blocks
};

inline constexpr std::uint64_t kBlocksPerWarehouse = 121;

}  // namespace latchlab
