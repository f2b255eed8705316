#pragma once
// SmallBank: a bank whose customers have a savings and a checking account each (Alomari, Cahill,
// Fekete, Roehm, "The cost of serializability on platforms that use snapshot isolation", ICDE 2008;
// the shares and the sixth type, send_payment, come from later benchmarks, H-Store first).
// Customers are numbered from 0 to accounts - 1; lock n is that of customer n's savings, lock
// accounts + n that of the checking account.
//
//                     %        locks (S shared, X exclusive; s savings, c checking), in this order
//                 ShiftLock  DecLock   specified       in ShiftLock's bank
//   amalgamate        15        15     Xs1 Xc1 Xc2     Xc1 Xs2
//   balance           15        15     Ss1 Sc1         none
//   deposit_checking  15        15     Xc1             Xc1
//   send_payment      25        26     Xc1 Xc2         Xc1 Xc2, the smaller number first
//   transact_savings  15        15     Xs1             Xs1
//   write_check       15        14     Ss1 Xc1         Xc1
//
// Customers 1 and 2 are drawn from the distribution, and 2 is drawn again until it differs from 1.
// After kMostDraws draws, which only a distribution with hardly any other customer reaches, it is
// the next customer after 1.
//
// `original`, with ShiftLock's shares: the locks of the bank in its artifact (the right column; it
// reads balances by optimistic transactions of the store, and moves the checking account's money to
// the other's savings). With DecLock's: the locks of the specification, but of two customers the
// smaller number is always 1, so that amalgamate locks the savings of the hotter customer.
// DecLock's numbers are drawn by zipf of 0.99 from 100,000 customers, ShiftLock's uniformly from a
// million.
//
// Departure: DecLock numbers its locks in the other order, checking accounts first.
// Streams of a client: its types are drawn from the stream of modes, customers from that of keys.
// Tests: tests/workload/smallbank_test.cc.

#include <memory>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/workload/transactions/transaction.h"

namespace latchlab {

struct SmallBankSpec {
  std::uint64_t accounts = 1'000'000;  // of each kind: the number of customers
  bool original = false;               // as in the code of the paper whose shares are used
  bool declock_shares = false;         // DecLock's shares instead of ShiftLock's
  DistributionSpec distribution = {};  // of customers
};

inline constexpr std::uint64_t kFewestAccounts = 2, kMostAccounts = std::uint64_t{1} << 47U;
inline constexpr int kMostDraws = 64;

Result<std::unique_ptr<TransactionMix>> make_smallbank(const SmallBankSpec& spec,
                                                       const MixClients& clients);

}  // namespace latchlab
