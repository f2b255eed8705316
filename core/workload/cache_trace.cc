#include "core/workload/cache_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace latchlab {

CacheTrace::CacheTrace(std::string name) : name_(std::move(name)) {}

void CacheTrace::add(const CacheAccess& access) {
  LATCHLAB_CHECK(access.object < UINT32_MAX && access.client <= UINT32_MAX / 2 &&
                     accesses() < kMostCacheAccesses,
                 "an access that a trace cannot hold");
  accesses_.push_back({static_cast<std::uint32_t>(access.object), access.value_bytes,
                       access.client << 1U | (access.writes ? 1U : 0U)});
  objects_ = std::max(objects_, access.object + 1);
  clients_ = std::max(clients_, access.client + 1);
  largest_value_bytes_ = std::max(largest_value_bytes_, access.value_bytes);
}

CacheAccess CacheTrace::access(std::uint64_t number) const {
  LATCHLAB_CHECK(number < accesses(), "an access behind the trace's end");
  const Packed& packed = accesses_[number];
  return {packed.object, (packed.client_and_write & 1U) != 0, packed.value_bytes,
          packed.client_and_write >> 1U};
}

CacheReplay::CacheReplay(std::shared_ptr<const CacheTrace> trace, const ClientRange& here,
                         const ClientRange& all)
    : trace_(std::move(trace)), here_(here), turns_(here, all, trace_->accesses()) {}

Result<std::unique_ptr<CacheReplay>> CacheReplay::make(std::shared_ptr<const CacheTrace> trace,
                                                       const ClientRange& here,
                                                       const ClientRange& all, TraceShare by) {
  if (by == TraceShare::client && trace->clients() < all.count)
    return Error{fmt::format("has accesses of {} client{}, and {} are to replay them by client; "
                             "expected one for each at least: let fewer clients replay it, read "
                             "more of it, or say by: turn",
                             trace->clients(), trace->clients() == 1 ? "" : "s", all.count),
                 trace->name()};
  std::unique_ptr<CacheReplay> replay(new CacheReplay(std::move(trace), here, all));
  if (by == TraceShare::client) replay->sort_by_client(all);
  return replay;
}

void CacheReplay::sort_by_client(const ClientRange& all) {
  own_.resize(here_.count);
  // The client that replays an access, as an offset from here_.first; here_.count or more (values
  // below 0 wrap around): a client of another process.
  const auto owner = [&](std::uint64_t number) {
    return trace_->access(number).client % all.count + all.first - here_.first;
  };
  std::vector<std::size_t> counts(here_.count);
  for (std::uint64_t i = 0; i < trace_->accesses(); ++i)
    if (owner(i) < here_.count) ++counts[owner(i)];
  for (std::uint32_t i = 0; i < here_.count; ++i) own_[i].accesses.reserve(counts[i]);
  for (std::uint64_t i = 0; i < trace_->accesses(); ++i)
    if (owner(i) < here_.count) own_[owner(i)].accesses.push_back(static_cast<std::uint32_t>(i));
}

CacheAccess CacheReplay::next(ClientId client) {
  if (own_.empty()) return trace_->access(turns_.next(client));
  Own& own = own_[client.value - here_.first];
  const CacheAccess access = trace_->access(own.accesses[own.at]);
  own.at = (own.at + 1) % own.accesses.size();
  return access;
}

}  // namespace latchlab
