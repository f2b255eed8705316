#include "core/workload/index.h"

#include <algorithm>
#include <utility>

#include "core/base/multiples.h"
#include "core/scenario/index.h"
#include "core/workload/timing.h"

namespace latchlab {
namespace {

class Index final : public PartChooser {
 public:
  Index(const PartSetup& setup, std::unique_ptr<const KeyChooser> keys)
      : spec_(setup.spec.index),
        read_ratio_ppb_(setup.spec.read_ratio_ppb),
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
    const LockId leaf{keys_->next(streams.keys) / spec_.leaf_keys};
    read_path(leaf, wanted);
    wanted.bytes = spec_.node_bytes;
    if (happens(streams.modes, read_ratio_ppb_)) {
      wanted.lookups.push_back(leaf);
      return;
    }
    wanted.parts.push_back({.lock = leaf, .mode = LockMode::exclusive});
    wanted.reads = wanted.writes = 1;
    wanted.write_bytes = spec_.entry_bytes;
  }

 private:
  struct Streams {
    Rng keys, modes;
  };

  // The leaf's ancestors that are in no client's cache, the highest first.
  void read_path(LockId leaf, SectionWanted& wanted) const {
    std::uint64_t nodes = leaves_of(spec_), first = 0, index = leaf.value;
    for (std::uint32_t level = 0; level < spec_.uncached_levels && nodes > 1; ++level) {
      first += nodes;
      nodes = how_many(nodes, spec_.fanout);
      index /= spec_.fanout;
      wanted.lookups.push_back(LockId{first + index});
    }
    std::reverse(wanted.lookups.begin(), wanted.lookups.end());
  }

  IndexSpec spec_;
  std::int64_t read_ratio_ppb_;
  std::uint32_t first_client_;
  std::unique_ptr<const KeyChooser> keys_;
  std::vector<Streams> streams_;  // by client from the first
};

}  // namespace

Result<std::unique_ptr<PartChooser>> make_index(const PartSetup& setup) {
  auto keys = KeyChooser::make(setup.spec.distribution, setup.spec.index.keys, setup.seed);
  if (!keys) return keys.error();
  return std::unique_ptr<PartChooser>(std::make_unique<Index>(setup, std::move(keys).value()));
}

}  // namespace latchlab
