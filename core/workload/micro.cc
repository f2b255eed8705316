#include "core/workload/micro.h"

#include <utility>

#include "core/workload/timing.h"

namespace latchlab {

Result<std::unique_ptr<MicroWorkload>> MicroWorkload::make(
    const WorkloadSpec& spec, std::uint64_t lock_count, std::uint32_t clients, std::uint64_t seed,
    std::int64_t skip_release_ppb, LockFinder find_lock) {
  auto keys = KeyChooser::make(spec.distribution, lock_count, seed);
  if (!keys) return keys.error();
  return std::unique_ptr<MicroWorkload>(new MicroWorkload(
      spec, clients, seed, skip_release_ppb, std::move(find_lock), std::move(keys).value()));
}

MicroWorkload::MicroWorkload(const WorkloadSpec& spec, std::uint32_t clients, std::uint64_t seed,
                             std::int64_t skip_release_ppb, LockFinder find_lock,
                             std::unique_ptr<const KeyChooser> keys)
    : spec_(spec),
      seed_(seed),
      skip_release_ppb_(skip_release_ppb),
      find_lock_(std::move(find_lock)),
      keys_(std::move(keys)) {
  streams_.reserve(clients);
  for (std::uint32_t i = 0; i < clients; ++i)
    streams_.push_back({Rng(seed, i, StreamPurpose::keys), Rng(seed, i, StreamPurpose::modes)});
  if (spec.think_exponential)
    for (std::uint32_t i = 0; i < clients; ++i)
      timing_.emplace_back(seed, i, StreamPurpose::timing);
  if (skip_release_ppb > 0)
    for (std::uint32_t i = 0; i < clients; ++i)
      faults_.emplace_back(seed, i, StreamPurpose::faults);
}

bool MicroWorkload::next(ClientId client, Section& section) {
  Streams& mine = streams_[client.value];
  section.wants.resize(1);
  Want& want = section.wants[0];
  want.lock = find_lock_(LockId{keys_->next(mine.keys)});
  want.mode = happens(mine.modes, spec_.read_ratio_ppb) ? LockMode::shared : LockMode::exclusive;
  section.work.hold = spec_.critical_section;
  section.think = spec_.think_exponential ? exponential(timing_[client.value], spec_.think_time)
                                          : spec_.think_time;
  if (skip_release_ppb_ > 0)
    section.skip_release = happens(faults_[client.value], skip_release_ppb_);
  return true;
}

Duration MicroWorkload::start_offset(ClientId client) {
  const Duration spread = kStartSpread + spec_.think_time;
  if (spec_.think_exponential) return uniform_below(timing_[client.value], spread);
  Rng once(seed_, client.value, StreamPurpose::timing);
  return uniform_below(once, spread);
}

}  // namespace latchlab
