#include "core/workload/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/scenario/file_io.h"
#include "core/workload/cache_trace.h"
#include "core/workload/timing.h"

namespace latchlab {
namespace {

class Objects final : public PartChooser {
 public:
  Objects(const PartSetup& setup, std::unique_ptr<const KeyChooser> keys)
      : read_ratio_ppb_(setup.spec.read_ratio_ppb),
        bytes_(whole_words(setup.spec.objects.bytes)),
        first_client_(setup.first_client),
        keys_(std::move(keys)) {
    streams_.reserve(setup.clients);
    for (std::uint32_t n = 0; n < setup.clients; ++n) {
      const std::uint32_t i = setup.first_client + n;
      streams_.push_back(
          {Rng(setup.seed, i, StreamPurpose::keys), Rng(setup.seed, i, StreamPurpose::modes)});
    }
  }

  void next(ClientId client, SectionWanted& wanted) override {
    Streams& streams = streams_[client.value - first_client_];
    const LockId lock{keys_->next(streams.keys)};
    const bool get = happens(streams.modes, read_ratio_ppb_);
    wanted.parts.push_back({.lock = lock, .mode = get ? LockMode::shared : LockMode::exclusive});
    (get ? wanted.reads : wanted.writes) = 1;
    wanted.bytes = bytes_;
  }

 private:
  struct Streams {
    Rng keys, modes;
  };
  std::int64_t read_ratio_ppb_;
  std::uint32_t bytes_;
  std::uint32_t first_client_;
  std::unique_ptr<const KeyChooser> keys_;
  std::vector<Streams> streams_;  // by client from the first
};

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

Result<std::unique_ptr<PartChooser>> make_traced(const PartSetup& setup) {
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

}  // namespace

Result<std::unique_ptr<PartChooser>> make_objects(const PartSetup& setup) {
  if (!setup.spec.objects.trace.empty()) return make_traced(setup);
  auto keys = KeyChooser::make(setup.spec.distribution, setup.locks, setup.seed);
  if (!keys) return keys.error();
  return std::unique_ptr<PartChooser>(std::make_unique<Objects>(setup, std::move(keys).value()));
}

}  // namespace latchlab
