#include "core/workload/transactions/trace.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace latchlab {
namespace {

// The word of a request, from bit 0: mode 2 bits, last request of its transaction 1 bit, unused 5
// bits, type 8, lock 48.
constexpr std::uint64_t kModeMask = 3;
constexpr std::uint64_t kLastBit = 4;
constexpr unsigned kTypeShift = 8, kLockShift = 16;
constexpr std::uint64_t kTypeMask = 0xff;

// A mark takes 8 bytes. A transaction without a mark is found by a walk from the mark before it.
constexpr std::uint64_t kMarkEvery = 16;

std::uint64_t word_of(const LockNeed& need, std::uint32_t type, bool last) {
  return need.lock.value << kLockShift | std::uint64_t{type} << kTypeShift | (last ? kLastBit : 0) |
         static_cast<std::uint64_t>(need.mode);
}

class Replay final : public TransactionMix {
 public:
  Replay(std::shared_ptr<const LockTrace> trace, const MixClients& here, const ClientRange& all)
      : trace_(std::move(trace)), turns_({here.first, here.count}, all, trace_->transactions()) {}

  void next(ClientId client, Transaction& transaction) override {
    trace_->read(turns_.next(client), transaction);
  }
  std::uint64_t locks() const override { return trace_->locks(); }
  std::vector<std::string_view> type_names() const override { return trace_->type_names(); }
  std::uint32_t most_needs() const override { return trace_->most_needs(); }

 private:
  std::shared_ptr<const LockTrace> trace_;
  TraceTurns turns_;
};

}  // namespace

LockTrace::LockTrace(std::vector<std::string> type_names) : type_names_(std::move(type_names)) {}

void LockTrace::add(const Transaction& transaction) {
  LATCHLAB_CHECK(!transaction.needs.empty() && transaction.type < kMostTraceTypes,
                 "a transaction that a trace cannot hold");
  if (transactions_ % kMarkEvery == 0) marks_.push_back(words_.size());
  for (const LockNeed& need : transaction.needs) {
    LATCHLAB_CHECK(need.lock.value <= kMostTraceLock, "a lock that a trace cannot hold");
    words_.push_back(word_of(need, transaction.type, &need == &transaction.needs.back()));
    locks_ = std::max(locks_, need.lock.value + 1);
  }
  most_needs_ = std::max(most_needs_, static_cast<std::uint32_t>(transaction.needs.size()));
  ++transactions_;
}

std::vector<std::string_view> LockTrace::type_names() const {
  return {type_names_.begin(), type_names_.end()};
}

void LockTrace::read(std::uint64_t number, Transaction& transaction) const {
  LATCHLAB_CHECK(number < transactions_, "a transaction behind the trace's end");
  auto at = words_.begin() + static_cast<std::ptrdiff_t>(marks_[number / kMarkEvery]);
  for (std::uint64_t before = number % kMarkEvery; before > 0; ++at)
    if ((*at & kLastBit) != 0) --before;
  transaction.type = static_cast<std::uint32_t>(*at >> kTypeShift & kTypeMask);
  transaction.needs.clear();
  for (bool last = false; !last; ++at) {
    transaction.needs.push_back(
        {LockId{*at >> kLockShift}, static_cast<LockMode>(*at & kModeMask)});
    last = (*at & kLastBit) != 0;
  }
}

std::unique_ptr<TransactionMix> replay_of(std::shared_ptr<const LockTrace> trace,
                                          const MixClients& here, const ClientRange& all) {
  return std::make_unique<Replay>(std::move(trace), here, all);
}

}  // namespace latchlab
