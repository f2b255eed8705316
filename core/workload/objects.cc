#include "core/workload/objects.h"

#include <utility>
#include <vector>

#include "core/scenario/file_io.h"
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

}  // namespace

Result<std::unique_ptr<PartChooser>> make_objects(const PartSetup& setup) {
  auto keys = KeyChooser::make(setup.spec.distribution, setup.locks, setup.seed);
  if (!keys) return keys.error();
  return std::unique_ptr<PartChooser>(std::make_unique<Objects>(setup, std::move(keys).value()));
}

}  // namespace latchlab
