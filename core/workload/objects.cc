#include "core/workload/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/scenario/file_io.h"
#include "core/workload/cache_trace.h"

namespace latchlab {
namespace {

class TracedObjects final : public PartChooser {
 public:
  TracedObjects(std::uint32_t most_bytes, std::unique_ptr<CacheReplay> replay)
      : most_bytes_(whole_words(most_bytes)), replay_(std::move(replay)) {}

  void next(ClientId client, SectionWanted& wanted) override {
    const CacheAccess access = replay_->next(client);
    wanted.parts.push_back({.lock = LockId{access.object},
                            .mode = access.writes ? LockMode::exclusive : LockMode::shared});
    (access.writes ? wanted.writes : wanted.reads) = 1;
    const std::uint32_t bytes = std::min(access.value_bytes, most_bytes_);
    wanted.bytes = std::max(whole_words(bytes), 8U);
  }

 private:
  std::uint32_t most_bytes_;
  std::unique_ptr<CacheReplay> replay_;
};

}  // namespace

Result<std::unique_ptr<PartChooser>> make_traced_objects(const PartSetup& setup) {
  const ObjectSpec& spec = setup.spec.objects;
  CacheTraceOptions options;
  if (spec.most > 0) options.most = spec.most;
  auto trace = read_cache_trace(spec.trace, options);
  if (!trace) return trace.error();
  if (trace.value()->locks() > setup.locks)
    return Error{fmt::format("{} has {} objects, and locks.count is {}; set it to {}", spec.trace,
                             trace.value()->locks(), setup.locks, trace.value()->locks()),
                 {}};
  const ClientRange all{setup.first_client, setup.clients};
  auto replay = CacheReplay::make(std::move(trace).value(), all, all, TraceShare::turn);
  if (!replay) return replay.error();
  return std::unique_ptr<PartChooser>(
      std::make_unique<TracedObjects>(spec.bytes, std::move(replay).value()));
}

}  // namespace latchlab
