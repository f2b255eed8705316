#include "core/workload/transactions/tatp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"
#include "core/base/lookup.h"
#include "core/base/random.h"
#include "core/workload/transactions/shares.h"

namespace latchlab {
namespace {

constexpr std::uint64_t kTatpHours = 24;

enum TatpType : std::uint32_t { kGsd, kGnd, kGad, kUsd, kUl, kIcf, kDcf };
constexpr std::array<std::string_view, 7> kTatpNames = {
    "get_subscriber_data",    "get_new_destination", "get_access_data",
    "update_subscriber_data", "update_location",     "insert_call_forwarding",
    "delete_call_forwarding"};
constexpr std::array<std::uint32_t, kTatpNames.size()> kTatpShares = {35, 10, 35, 2, 14, 2, 2};

class Tatp final : public TransactionMix {
 public:
  Tatp(const TatpSpec& spec, const MixClients& clients)
      : spec_(spec), population_(spec), first_client_(clients.first) {
    views_.reserve(clients.count);
    for (std::uint32_t i = 0; i < clients.count; ++i)
      views_.push_back({Rng(clients.seed, clients.first + i, StreamPurpose::modes),
                        Rng(clients.seed, clients.first + i, StreamPurpose::keys),
                        {}});
  }

  void next(ClientId client, Transaction& transaction) override;
  std::uint64_t locks() const override { return population_.locks(); }
  // A subscriber, its facilities and a row of forwarding.
  std::uint32_t most_needs() const override { return 2 + kTatpTypes; }
  std::vector<std::string_view> type_names() const override {
    return {kTatpNames.begin(), kTatpNames.end()};
  }

 private:
  // The state of a client.
  struct View {
    Rng types, values;
    Lookup<std::uint8_t> end_hours;  // of rows that it inserted or deleted (0), by row_number()
  };
  using Needs = std::vector<LockNeed>;

  static std::uint64_t row_number(TatpFacility facility, std::uint32_t slot);
  static void need(LockId lock, LockMode mode, Needs& needs);
  void get_new_destination(View& view, std::uint32_t subscriber, Needs& needs);
  void insert_forwarding(View& view, std::uint32_t subscriber, Needs& needs);
  void delete_forwarding(View& view, std::uint32_t subscriber, Needs& needs);

  std::uint32_t draw(View& view, std::uint64_t first, std::uint64_t last) const;
  std::uint32_t draw_type(View& view) const { return draw(view, 1, kTatpTypes); }
  std::uint32_t draw_slot(View& view) const { return draw(view, 0, kTatpSlots - 1); }
  std::uint32_t end_hour(const View& view, TatpFacility facility, std::uint32_t slot) const;
  void need_facility(TatpFacility facility, LockMode mode, Needs& needs) const;

  TatpSpec spec_;
  TatpPopulation population_;
  std::uint32_t first_client_;
  std::vector<View> views_;  // by client from the first
};

std::uint64_t Tatp::row_number(TatpFacility facility, std::uint32_t slot) {
  return (std::uint64_t{facility.subscriber} * kTatpTypes + facility.type - 1) * kTatpSlots + slot;
}

void Tatp::need(LockId lock, LockMode mode, Needs& needs) {
  for (LockNeed& before : needs)
    if (before.lock == lock) {
      if (mode == LockMode::exclusive) before.mode = mode;
      return;
    }
  needs.push_back({lock, mode});
}

void Tatp::next(ClientId client, Transaction& transaction) {
  View& view = views_[client.value - first_client_];
  Needs& needs = transaction.needs;
  needs.clear();
  transaction.type = latchlab::draw_type(view.types, kTatpShares);
  const auto subscriber =
      static_cast<std::uint32_t>(draw_skewed(view.values, skew_of(spec_), 1, spec_.subscribers));
  switch (transaction.type) {
    case kGsd:
      return need(population_.subscriber(subscriber), LockMode::shared, needs);
    case kGnd:
      return get_new_destination(view, subscriber, needs);
    case kGad:
      if (const auto lock = population_.access(subscriber, draw_type(view)))
        need(*lock, LockMode::shared, needs);
      return;
    case kUsd:
      need(population_.subscriber(subscriber), LockMode::exclusive, needs);
      return need_facility({subscriber, draw_type(view)}, LockMode::exclusive, needs);
    case kUl:
      return need(population_.subscriber(subscriber), LockMode::exclusive, needs);
    case kIcf:
      return insert_forwarding(view, subscriber, needs);
    default:
      return delete_forwarding(view, subscriber, needs);
  }
}

void Tatp::get_new_destination(View& view, std::uint32_t subscriber, Needs& needs) {
  const TatpFacility facility{subscriber, draw_type(view)};
  const std::uint32_t last_slot = draw_slot(view);
  const std::uint32_t hour = draw(view, 1, kTatpHours);
  need_facility(facility, LockMode::shared, needs);
  if (!spec_.original && !population_.active(facility)) return;
  for (std::uint32_t slot = 0; slot <= last_slot; ++slot) {
    const std::uint32_t end = end_hour(view, facility, slot);
    if (end != 0 && (spec_.original ? end <= hour : end > hour))
      need(population_.forwarding(facility, slot), LockMode::shared, needs);
  }
}

void Tatp::insert_forwarding(View& view, std::uint32_t subscriber, Needs& needs) {
  need(population_.subscriber(subscriber), LockMode::shared, needs);
  for (std::uint32_t type = 1; type <= kTatpTypes; ++type)
    need_facility({subscriber, type}, LockMode::shared, needs);
  const TatpFacility facility{subscriber, draw_type(view)};
  const std::uint32_t slot = draw_slot(view);
  const std::uint32_t hour = draw(view, 1, kTatpHours);
  if (!population_.facility(facility)) return;
  if ((end_hour(view, facility, slot) != 0) != spec_.original) return;
  need(population_.forwarding(facility, slot), LockMode::exclusive, needs);
  if (!spec_.original) view.end_hours[row_number(facility, slot)] = static_cast<std::uint8_t>(hour);
}

void Tatp::delete_forwarding(View& view, std::uint32_t subscriber, Needs& needs) {
  need(population_.subscriber(subscriber), LockMode::shared, needs);
  const TatpFacility facility{subscriber, draw_type(view)};
  const std::uint32_t slot = draw_slot(view);
  if (end_hour(view, facility, slot) == 0) return;
  need(population_.forwarding(facility, slot), LockMode::exclusive, needs);
  view.end_hours[row_number(facility, slot)] = 0;
}

std::uint32_t Tatp::draw(View& view, std::uint64_t first, std::uint64_t last) const {
  return static_cast<std::uint32_t>(spec_.original
                                        ? draw_skewed(view.values, skew_of(spec_), first, last)
                                        : first + view.values.below(last - first + 1));
}

std::uint32_t Tatp::end_hour(const View& view, TatpFacility facility, std::uint32_t slot) const {
  const std::uint8_t* changed = view.end_hours.find(row_number(facility, slot));
  return changed != nullptr ? *changed : population_.end_hour(facility, slot);
}

void Tatp::need_facility(TatpFacility facility, LockMode mode, Needs& needs) const {
  if (const auto lock = population_.facility(facility)) need(*lock, mode, needs);
}

}  // namespace

std::uint64_t draw_skewed(Rng& rng, std::uint64_t skew, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t count = last - first + 1;
  const std::uint64_t low = rng.below(skew + 1);
  return (low | (first + rng.below(count))) % count + first;
}

Result<std::unique_ptr<TransactionMix>> make_tatp(const TatpSpec& spec, const MixClients& clients) {
  if (spec.subscribers < kFewestSubscribers || spec.subscribers > kMostSubscribers)
    return Error{
        fmt::format("tatp subscribers is {}; expected a number from {} to {}, such as {}",
                    spec.subscribers, kFewestSubscribers, kMostSubscribers, TatpSpec{}.subscribers),
        ""};
  return std::unique_ptr<TransactionMix>(std::make_unique<Tatp>(spec, clients));
}

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
