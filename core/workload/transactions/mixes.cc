#include "core/workload/transactions/mixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/workload/transactions/smallbank.h"
#include "core/workload/transactions/tatp.h"
#include "core/workload/transactions/tpcc_blocks.h"
#include "core/workload/transactions/tpcc_rows.h"
#include "core/workload/transactions/trace.h"

namespace latchlab {
namespace {

class TransactionSections final : public PartChooser {
 public:
  explicit TransactionSections(std::unique_ptr<TransactionMix> mix) : mix_(std::move(mix)) {}

  void next(ClientId client, SectionWanted& wanted) override {
    do {
      mix_->next(client, transaction_);
    } while (transaction_.needs.empty() && transaction_.tables.empty());
    for (const LockNeed& need : transaction_.needs)
      wanted.parts.push_back({.lock = need.lock, .mode = need.mode});
    wanted.tables = transaction_.tables;
    wanted.longer = transaction_.longer;
  }
  std::uint32_t most_parts() const override { return mix_->most_needs(); }

 private:
  std::unique_ptr<TransactionMix> mix_;
  Transaction transaction_;  // a member to reuse its memory
};

// With common homes, all clients count as being on one machine.
TpccHomes homes_of(const PartSetup& setup) {
  const TransactionSpec& spec = setup.spec.transactions;
  TpccHomes homes;
  homes.clients_per_machine = setup.clients_per_machine;
  if (!spec.common_homes) homes.machines = std::max(setup.clients / setup.clients_per_machine, 1U);
  homes.warehouses = static_cast<std::uint32_t>(spec.warehouses) * homes.machines;
  return homes;
}

template <class Mix>
Result<std::unique_ptr<TransactionMix>> mix_of(auto&&... with) {
  return std::unique_ptr<TransactionMix>(
      std::make_unique<Mix>(std::forward<decltype(with)>(with)...));
}

Result<std::unique_ptr<TransactionMix>> replay_of_file(const PartSetup& setup,
                                                       const MixClients& clients) {
  const TraceSpec& spec = setup.spec.trace;
  const TraceOptions options{
      .format = spec.fisslock ? TraceFormat::fisslock : TraceFormat::latchlab,
      .duplicates = spec.merge_duplicates ? TraceDuplicates::merge : TraceDuplicates::refuse};
  auto trace = read_lock_trace(spec.file, options);
  if (!trace) return trace.error();
  const ClientRange all{clients.first, clients.count};
  return replay_of(std::move(trace).value(), clients, all);
}

}  // namespace

Result<std::unique_ptr<TransactionMix>> make_mix(const PartSetup& setup) {
  const MixClients clients{setup.first_client, setup.clients, setup.seed};
  const TransactionSpec& spec = setup.spec.transactions;
  if (setup.spec.kind == WorkloadKind::trace) return replay_of_file(setup, clients);
  switch (spec.mix) {
    case MixKind::tatp:
      return make_tatp({spec.subscribers, spec.original, spec.population}, clients);
    case MixKind::tpcc_blocks:
      return mix_of<TpccBlocks>(TpccBlocksSpec{homes_of(setup), spec.original}, clients);
    case MixKind::tpcc_rows:
      return mix_of<TpccRows>(TpccRowsSpec{.homes = homes_of(setup),
                                           .original = spec.original,
                                           .scans_ppb = spec.scans_ppb,
                                           .scan_time = spec.scan_time,
                                           .scans_orders = spec.scans_orders,
                                           .intention_locks = spec.intention_locks},
                              clients);
    case MixKind::smallbank:
      break;
  }
  return make_smallbank(
      {spec.accounts, spec.original, spec.declock_shares, setup.spec.distribution}, clients);
}

Result<std::unique_ptr<PartChooser>> make_transactions(const PartSetup& setup) {
  auto mix = make_mix(setup);
  if (!mix) return mix.error();
  const std::uint64_t wanted = mix.value()->locks();
  if (wanted > setup.locks)
    return Error{
        fmt::format(
            "workload: these transactions lock {0} things, and locks.count is {1}; set it to {0}",
            wanted, setup.locks),
        {}};
  return std::unique_ptr<PartChooser>(
      std::make_unique<TransactionSections>(std::move(mix).value()));
}

}  // namespace latchlab
