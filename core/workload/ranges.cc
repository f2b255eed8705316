#include "core/workload/ranges.h"

#include <utility>

namespace latchlab {
namespace {

// Derive separate seeds from the run's, for the streams other than that of keys.
constexpr std::uint64_t kObjects = 0x6f62'6a65'6374'73;
constexpr std::uint64_t kSizes = 0x7369'7a65'73;

std::uint64_t one_of(Rng& rng, std::uint64_t count) {
  return count == 1 ? 0 : rng.below(count);
}

}  // namespace

Result<std::unique_ptr<PartChooser>> Ranges::make(const PartSetup& setup) {
  std::unique_ptr<Ranges> made(new Ranges(setup));
  const std::vector<std::uint64_t>& sizes = made->spec_.sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::shared_ptr<const KeyChooser> left;
    for (std::size_t same = 0; same < i && !left; ++same)
      if (sizes[same] == sizes[i]) left = made->lefts_[same];
    if (!left) {
      const std::uint64_t places = made->spec_.units - sizes[i] + 1;
      auto keys = KeyChooser::make(setup.spec.distribution, places, setup.seed);
      if (!keys) return keys.error();
      left = std::move(keys).value();
    }
    made->lefts_.push_back(std::move(left));
  }
  return std::unique_ptr<PartChooser>(std::move(made));
}

Ranges::Ranges(const PartSetup& setup)
    : spec_(setup.spec.range), objects_(setup.locks), first_client_(setup.first_client) {
  streams_.reserve(setup.clients);
  for (std::uint32_t n = 0; n < setup.clients; ++n) {
    const std::uint32_t i = setup.first_client + n;
    streams_.push_back({Rng(setup.seed, i, StreamPurpose::keys),
                        Rng(hash_of(setup.seed, kObjects), i, StreamPurpose::keys),
                        Rng(hash_of(setup.seed, kSizes), i, StreamPurpose::keys)});
  }
}

void Ranges::next(ClientId client, SectionWanted& wanted) {
  const std::size_t place = client.value - first_client_;
  Streams& streams = streams_[place];
  const std::uint64_t sizes = spec_.sizes.size();
  const std::uint64_t which = spec_.by_operation ? one_of(streams.size, sizes) : place % sizes;
  const LockId lock{one_of(streams.object, objects_)};
  wanted.parts.push_back({lock, {lefts_[which]->next(streams.left), spec_.sizes[which]}});
}

}  // namespace latchlab
