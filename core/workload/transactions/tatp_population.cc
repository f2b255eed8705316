#include "core/workload/transactions/tatp_population.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"

namespace latchlab {
namespace {

constexpr std::uint64_t kFirstRowLock = 5;
constexpr std::uint64_t kActivePercent = 85;

// Derives separate seeds from the population's: a constant, and the purpose of each draw.
constexpr std::uint64_t kTatpTables = 0x7461'7470;
enum class TatpDraw : std::uint64_t {
  access_rows = 1,
  access_types = 2,
  facilities = 3,
  facility_types = 4,
  active = 5,
  forwarding = 6
};

Rng tatp_stream(std::uint64_t population, TatpDraw what) {
  return Rng(hash_of(population, kTatpTables), static_cast<std::uint64_t>(what),
             StreamPurpose::keys);
}

// Moves `count` of the numbers to the front, each set and each order with the same probability.
template <std::size_t size>
std::array<std::uint8_t, size> shuffled(std::uint64_t count, Rng& rng) {
  std::array<std::uint8_t, size> all;
  for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<std::uint8_t>(i);
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + rng.below(size - i)]);
  return all;
}

// The types, from 0, of `count` rows, in their order.
std::array<std::uint8_t, kTatpTypes> types_in_order(std::uint64_t count, bool original, Rng& rng) {
  if (!original) return shuffled<kTatpTypes>(count, rng);
  std::array<std::uint8_t, kTatpTypes> all;
  const std::uint64_t start = rng.below(kTatpTypes);
  for (std::uint64_t i = 0; i < kTatpTypes; ++i)
    all[i] = static_cast<std::uint8_t>((start + i) % kTatpTypes);
  return all;
}

std::array<std::uint8_t, kTatpSlots> slots_in_order(std::uint64_t count, bool original, Rng& rng) {
  if (!original) return shuffled<kTatpSlots>(count, rng);
  std::array<std::uint8_t, kTatpSlots> all;
  all[0] = static_cast<std::uint8_t>(rng.below(kTatpSlots));
  for (std::size_t i = 1; i < kTatpSlots; ++i) all[i] = (all[i - 1] + 1U) % 2U;
  return all;
}

// The generator's hash, in 32 bits that wrap.
std::uint32_t tatp_hash(std::uint32_t subscriber, std::uint32_t type, std::uint32_t hour) {
  return ((subscriber ^ type) * 1'000'000'007U + hour) ^ (subscriber + type + hour);
}

}  // namespace

std::uint32_t TatpPopulation::Typed::count() const {
  return *std::max_element(places.begin(), places.end());
}

std::optional<LockId> TatpPopulation::Typed::lock(std::uint32_t type) const {
  const std::uint32_t place = places[type - 1];
  if (place == 0) return std::nullopt;
  return LockId{std::uint64_t{first_lock} + place - 1};
}

TatpPopulation::TatpPopulation(const TatpSpec& spec)
    : original_(spec.original), rows_(spec.subscribers) {
  LATCHLAB_CHECK(spec.subscribers >= kFewestSubscribers && spec.subscribers <= kMostSubscribers,
                 "no such number of subscribers");
  locks_ = kFirstRowLock + spec.subscribers;
  draw_access(spec.population);
  draw_facilities(spec.population);
  first_forwarding_ = locks_;
  locks_ += spec.subscribers * 4 / 5;
  draw_forwarding(spec.population);
}

void TatpPopulation::draw_access(std::uint64_t population) {
  Rng counts = tatp_stream(population, TatpDraw::access_rows);
  Rng types = tatp_stream(population, TatpDraw::access_types);
  for (Rows& rows : rows_) {
    const std::uint64_t count = 1 + counts.below(kTatpTypes);
    const auto order = types_in_order(count, original_, types);
    rows.access.first_lock = static_cast<std::uint32_t>(locks_);
    for (std::size_t i = 0; i < count; ++i)
      rows.access.places[order[i]] = static_cast<std::uint8_t>(i + 1);
    locks_ += count;
  }
}

void TatpPopulation::draw_facilities(std::uint64_t population) {
  Rng counts = tatp_stream(population, TatpDraw::facilities);
  Rng types = tatp_stream(population, TatpDraw::facility_types);
  Rng active = tatp_stream(population, TatpDraw::active);
  for (Rows& rows : rows_) {
    const std::uint64_t count = 1 + counts.below(kTatpTypes);
    const auto order = types_in_order(count, original_, types);
    rows.facilities.first_lock = static_cast<std::uint32_t>(locks_);
    for (std::size_t i = 0; i < count; ++i) {
      rows.facilities.places[order[i]] = static_cast<std::uint8_t>(i + 1);
      rows.active[order[i]] = active.below(100) < kActivePercent;
    }
    locks_ += count;
  }
}

void TatpPopulation::draw_forwarding(std::uint64_t population) {
  Rng rng = tatp_stream(population, TatpDraw::forwarding);
  for (Rows& rows : rows_)
    for (std::uint32_t type = 1; type <= kTatpTypes; ++type) {
      if (!rows.facilities.lock(type)) continue;
      const std::uint64_t count = rng.below(kTatpSlots + 1);
      const auto slots = slots_in_order(count, original_, rng);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t end = slots[i] * kSlotHours + 1 + rng.below(kSlotHours);
        std::uint8_t& hour = rows.end_hours[type - 1][slots[i]];
        if (hour == 0) hour = static_cast<std::uint8_t>(end);
      }
    }
}

LockId TatpPopulation::subscriber(std::uint32_t subscriber) const {
  return LockId{kFirstRowLock + subscriber - 1};
}

std::optional<LockId> TatpPopulation::access(std::uint32_t subscriber, std::uint32_t type) const {
  return rows_of(subscriber).access.lock(type);
}

std::optional<LockId> TatpPopulation::facility(TatpFacility facility) const {
  return rows_of(facility.subscriber).facilities.lock(facility.type);
}

bool TatpPopulation::active(TatpFacility facility) const {
  return rows_of(facility.subscriber).active[facility.type - 1];
}

std::uint32_t TatpPopulation::end_hour(TatpFacility facility, std::uint32_t slot) const {
  return rows_of(facility.subscriber).end_hours[facility.type - 1][slot];
}

LockId TatpPopulation::forwarding(TatpFacility facility, std::uint32_t slot) const {
  const std::uint32_t hash = tatp_hash(facility.subscriber, facility.type, slot * kSlotHours);
  const std::uint64_t shared = locks_ - first_forwarding_;
  if (!original_) return LockId{first_forwarding_ + hash % shared};
  const std::int64_t rest = static_cast<std::int32_t>(hash) % static_cast<std::int64_t>(shared);
  return LockId{first_forwarding_ + static_cast<std::uint64_t>(rest)};
}

}  // namespace latchlab
