#pragma once
// Transactions as sections of a workload (`workload.kind` transactions and trace). A transaction
// that finds nothing to lock is skipped, as traces of locks have none; the next one replaces it.

#include <memory>

#include "core/workload/parts.h"
#include "core/workload/transactions/transaction.h"

namespace latchlab {

Result<std::unique_ptr<TransactionMix>> make_mix(const PartSetup& setup);

Result<std::unique_ptr<PartChooser>> make_transactions(const PartSetup& setup);

}  // namespace latchlab
