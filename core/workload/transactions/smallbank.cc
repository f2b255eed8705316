#include "core/workload/transactions/smallbank.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/random.h"
#include "core/workload/keys.h"
#include "core/workload/transactions/shares.h"

namespace latchlab {
namespace {

enum BankType : std::uint32_t { kAmalgamate, kBalance, kDeposit, kPayment, kSavings, kCheck };
constexpr std::array<std::string_view, 6> kBankNames = {
    "amalgamate", "balance", "deposit_checking", "send_payment", "transact_savings", "write_check"};
using BankShares = std::array<std::uint32_t, kBankNames.size()>;  // in percent
constexpr BankShares kShiftLockShares = {15, 15, 15, 25, 15, 15};
constexpr BankShares kDecLockShares = {15, 15, 15, 26, 15, 14};

class SmallBank final : public TransactionMix {
 public:
  SmallBank(const SmallBankSpec& spec, const MixClients& clients,
            std::unique_ptr<const KeyChooser> customers)
      : spec_(spec), customers_(std::move(customers)), first_client_(clients.first) {
    streams_.reserve(clients.count);
    for (std::uint32_t i = 0; i < clients.count; ++i)
      streams_.push_back({Rng(clients.seed, clients.first + i, StreamPurpose::modes),
                          Rng(clients.seed, clients.first + i, StreamPurpose::keys)});
  }

  void next(ClientId client, Transaction& transaction) override;
  std::uint64_t locks() const override { return 2 * spec_.accounts; }
  std::uint32_t most_needs() const override { return 3; }
  std::vector<std::string_view> type_names() const override {
    return {kBankNames.begin(), kBankNames.end()};
  }

 private:
  static constexpr LockMode kShared = LockMode::shared, kExclusive = LockMode::exclusive;
  struct Streams {
    Rng types, customers;
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  using Needs = std::vector<LockNeed>;

  Pair draw_pair(Rng& rng) const;
  void lock_by_specification(std::uint32_t type, Pair customers, Needs& needs) const;
  void lock_as_shiftlock(std::uint32_t type, Pair customers, Needs& needs) const;
  LockNeed savings(std::uint64_t customer, LockMode mode) const { return {LockId{customer}, mode}; }
  LockNeed checking(std::uint64_t customer, LockMode mode) const {
    return {LockId{spec_.accounts + customer}, mode};
  }

  SmallBankSpec spec_;
  std::unique_ptr<const KeyChooser> customers_;
  std::uint32_t first_client_;
  std::vector<Streams> streams_;  // by client from the first
};

void SmallBank::next(ClientId client, Transaction& transaction) {
  Streams& streams = streams_[client.value - first_client_];
  transaction.needs.clear();
  transaction.type =
      draw_type(streams.types, spec_.declock_shares ? kDecLockShares : kShiftLockShares);
  const bool two = transaction.type == kAmalgamate || transaction.type == kPayment;
  const Pair customers =
      two ? draw_pair(streams.customers) : Pair{customers_->next(streams.customers), 0};
  if (spec_.original && !spec_.declock_shares)
    lock_as_shiftlock(transaction.type, customers, transaction.needs);
  else
    lock_by_specification(transaction.type, customers, transaction.needs);
}

SmallBank::Pair SmallBank::draw_pair(Rng& rng) const {
  const std::uint64_t first = customers_->next(rng);
  std::uint64_t second = first;
  for (int i = 0; i < kMostDraws && second == first; ++i) second = customers_->next(rng);
  if (second == first) second = (first + 1) % spec_.accounts;
  if (spec_.original && spec_.declock_shares && second < first) return {second, first};
  return {first, second};
}

void SmallBank::lock_by_specification(std::uint32_t type, Pair customers, Needs& needs) const {
  const auto [one, other] = customers;
  switch (type) {
    case kAmalgamate:
      needs = {savings(one, kExclusive), checking(one, kExclusive), checking(other, kExclusive)};
      return;
    case kBalance:
      needs = {savings(one, kShared), checking(one, kShared)};
      return;
    case kDeposit:
      needs = {checking(one, kExclusive)};
      return;
    case kPayment:
      needs = {checking(one, kExclusive), checking(other, kExclusive)};
      return;
    case kSavings:
      needs = {savings(one, kExclusive)};
      return;
    default:
      needs = {savings(one, kShared), checking(one, kExclusive)};
  }
}

void SmallBank::lock_as_shiftlock(std::uint32_t type, Pair customers, Needs& needs) const {
  const auto [one, other] = customers;
  switch (type) {
    case kAmalgamate:
      needs = {checking(one, kExclusive), savings(other, kExclusive)};
      return;
    case kBalance:
      return;
    case kPayment:
      needs = {checking(std::min(one, other), kExclusive),
               checking(std::max(one, other), kExclusive)};
      return;
    case kSavings:
      needs = {savings(one, kExclusive)};
      return;
    default:  // deposit_checking and write_check
      needs = {checking(one, kExclusive)};
  }
}

}  // namespace

Result<std::unique_ptr<TransactionMix>> make_smallbank(const SmallBankSpec& spec,
                                                       const MixClients& clients) {
  if (spec.accounts < kFewestAccounts || spec.accounts > kMostAccounts)
    return Error{
        fmt::format("smallbank accounts is {}; expected a number from {} to {}, such as {}",
                    spec.accounts, kFewestAccounts, kMostAccounts, SmallBankSpec{}.accounts),
        ""};
  auto customers = KeyChooser::make(spec.distribution, spec.accounts, clients.seed);
  if (!customers) return customers.error();
  return std::unique_ptr<TransactionMix>(
      std::make_unique<SmallBank>(spec, clients, std::move(customers).value()));
}

}  // namespace latchlab
