#include "core/workload/micro.h"

#include <utility>

#include "core/workload/timing.h"

namespace latchlab {

Result<std::unique_ptr<MicroWorkload>> MicroWorkload::make(MicroSetup setup) {
  std::unique_ptr<MicroWorkload> made(new MicroWorkload(std::move(setup)));
  const MicroSetup& with = made->setup_;
  if (with.spec.locality_ppb) {
    auto keys = LocalKeys::make(with.spec.distribution, with.locks, with.servers,
                                *with.spec.locality_ppb, with.seed);
    if (!keys) return keys.error();
    made->local_keys_ = std::move(keys).value();
  } else {
    auto keys = KeyChooser::make(with.spec.distribution, with.locks.count, with.seed);
    if (!keys) return keys.error();
    made->keys_ = std::move(keys).value();
  }
  return made;
}

MicroWorkload::MicroWorkload(MicroSetup setup) : setup_(std::move(setup)) {
  const std::uint64_t seed = setup_.seed;
  streams_.reserve(setup_.clients);
  for (std::uint32_t n = 0; n < setup_.clients; ++n) {
    const std::uint32_t i = setup_.first_client + n;
    streams_.push_back({Rng(seed, i, StreamPurpose::keys), Rng(seed, i, StreamPurpose::modes)});
    if (setup_.spec.think_exponential) timing_.emplace_back(seed, i, StreamPurpose::timing);
    if (setup_.skip_release_ppb > 0) faults_.emplace_back(seed, i, StreamPurpose::faults);
  }
}

LockId MicroWorkload::draw_lock(ClientId client, Rng& rng) const {
  return local_keys_ ? local_keys_->next(rng, setup_.home(client)) : LockId{keys_->next(rng)};
}

LockId MicroWorkload::hottest() const {
  return local_keys_ ? local_keys_->hottest() : LockId{keys_->hottest()};
}

bool MicroWorkload::next(ClientId client, Section& section) {
  const std::size_t place = place_of(client);
  const WorkloadSpec& spec = setup_.spec;
  section.wants.resize(1);
  Want& want = section.wants[0];
  want.lock = setup_.find_lock(draw_lock(client, streams_[place].keys));
  want.mode =
      happens(streams_[place].modes, spec.read_ratio_ppb) ? LockMode::shared : LockMode::exclusive;
  section.work.hold = spec.critical_section;
  section.think =
      spec.think_exponential ? exponential(timing_[place], spec.think_time) : spec.think_time;
  if (setup_.skip_release_ppb > 0)
    section.skip_release = happens(faults_[place], setup_.skip_release_ppb);
  return true;
}

Duration MicroWorkload::start_offset(ClientId client) {
  const Duration spread = kStartSpread + setup_.spec.think_time;
  if (setup_.spec.think_exponential) return uniform_below(timing_[place_of(client)], spread);
  Rng once(setup_.seed, client.value, StreamPurpose::timing);
  return uniform_below(once, spread);
}

}  // namespace latchlab
