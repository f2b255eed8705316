#include "core/workload/micro.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/scenario/file_io.h"
#include "core/workload/timing.h"

namespace latchlab {
namespace {

constexpr std::int64_t kAll = 1'000'000'000;
constexpr std::int64_t kPsPerSecond = 1'000'000'000'000;
constexpr int kTries = 64;  // to draw a lock that the section does not have yet

bool is_there(const Section& section, LockId lock) {
  return std::any_of(section.wants.begin(), section.wants.end(),
                     [lock](const Want& want) { return want.lock.id == lock; });
}

void sort_by_number(Section& section) {
  std::sort(section.wants.begin(), section.wants.end(), [](const Want& one, const Want& other) {
    return one.lock.id.value < other.lock.id.value;
  });
}

// The arrivals of each client by date; arrivals of equal date in the order of the scenario.
std::vector<std::vector<ScriptedArrival>> scripts_of(const ArrivalSpec& spec, std::uint32_t first,
                                                     std::uint32_t clients) {
  const auto earlier = [](const auto& one, const auto& other) { return one.at < other.at; };
  std::vector<std::vector<ScriptedArrival>> scripts(clients);
  for (const ScriptedArrival& arrival : spec.script) {
    if (arrival.client < first || arrival.client - first >= clients) continue;
    std::vector<ScriptedArrival>& own = scripts[arrival.client - first];
    own.insert(std::upper_bound(own.begin(), own.end(), arrival, earlier), arrival);
  }
  return scripts;
}

}  // namespace

Result<std::unique_ptr<MicroWorkload>> MicroWorkload::make(MicroSetup setup) {
  std::unique_ptr<MicroWorkload> made(new MicroWorkload(std::move(setup)));
  const MicroSetup& with = made->setup_;
  auto parts = make_parts({with.spec, with.locks.count, with.first_client, with.clients, with.seed,
                           with.clients_per_machine, with.machines});
  if (!parts) return parts.error();
  made->parts_ = std::move(parts).value();
  if (made->parts_) return made;
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
  WorkloadSpec& spec = setup_.spec;
  if (spec.kind == WorkloadKind::object_store && spec.objects.trace.empty()) {
    spec.remote_ops = 1;
    spec.object_bytes = whole_words(spec.objects.bytes);
  }
  const std::uint64_t seed = setup_.seed;
  streams_.reserve(setup_.clients);
  for (std::uint32_t n = 0; n < setup_.clients; ++n) {
    const std::uint32_t i = setup_.first_client + n;
    streams_.push_back({Rng(seed, i, StreamPurpose::keys), Rng(seed, i, StreamPurpose::modes)});
    if (setup_.spec.think_exponential) timing_.emplace_back(seed, i, StreamPurpose::timing);
    if (setup_.skip_release_ppb > 0) faults_.emplace_back(seed, i, StreamPurpose::faults);
  }
  if (setup_.spec.arrivals.kind != ArrivalKind::none) make_arrivals();
}

// Each client gets its share of the rate.
void MicroWorkload::make_arrivals() {
  const ArrivalSpec& spec = setup_.spec.arrivals;
  const bool poisson = spec.kind == ArrivalKind::poisson;
  const Duration mean =
      poisson ? Duration{kPsPerSecond} * setup_.clients / spec.per_second : Duration{};
  std::vector<std::vector<ScriptedArrival>> scripts =
      scripts_of(spec, setup_.first_client, setup_.clients);
  for (std::uint32_t n = 0; n < setup_.clients; ++n) {
    const ClientId client{setup_.first_client + n};
    ArrivalDates dates =
        poisson ? ArrivalDates(Rng(setup_.seed, client.value, StreamPurpose::arrivals), mean)
                : ArrivalDates(std::move(scripts[n]));
    arrivals_.push_back(
        {ArrivalQueue(std::move(dates), setup_.window_start, setup_.window), std::nullopt});
  }
}

LockId MicroWorkload::draw_lock(ClientId client, Rng& rng) const {
  return local_keys_ ? local_keys_->next(rng, setup_.home(client)) : LockId{keys_->next(rng)};
}

LockId MicroWorkload::hottest() const {
  if (parts_) return LockId{0};
  return local_keys_ ? local_keys_->hottest() : LockId{keys_->hottest()};
}

void MicroWorkload::draw_wants(ClientId client, Section& section) {
  Rng& rng = streams_[place_of(client)].keys;
  if (setup_.spec.locks_per_section == 1) {  // the usual case
    section.wants.resize(1);
    section.wants[0].lock = setup_.find_lock(draw_lock(client, rng));
    return;
  }
  for (std::uint32_t n = 0; n < setup_.spec.locks_per_section; ++n) {
    LockId lock = draw_lock(client, rng);
    for (int tries = 1; tries < kTries && is_there(section, lock); ++tries)
      lock = draw_lock(client, rng);
    while (is_there(section, lock)) lock = LockId{(lock.value + 1) % setup_.locks.count};
    Want want;
    want.lock = setup_.find_lock(lock);
    section.wants.push_back(want);
  }
  if (setup_.spec.locks_sorted) sort_by_number(section);
}

// One mode for all wants. Whether updates become exclusive is drawn only if there are updates, so
// that it changes no other draw.
void MicroWorkload::draw_mode(Streams& streams, Section& section) const {
  const WorkloadSpec& spec = setup_.spec;
  const auto drawn = static_cast<std::int64_t>(streams.modes.below(kAll));
  LockMode mode = LockMode::exclusive;
  if (drawn < spec.read_ratio_ppb)
    mode = LockMode::shared;
  else if (drawn < spec.read_ratio_ppb + spec.update_ratio_ppb)
    mode = LockMode::update;
  for (Want& want : section.wants) want.mode = mode;
  if (mode == LockMode::update && happens(streams.modes, spec.upgrade_ratio_ppb))
    section.upgrades = static_cast<std::uint32_t>(section.wants.size());
}

void MicroWorkload::draw_parts(ClientId client, Section& section) {
  SectionWanted& wanted = wanted_;
  wanted = {};
  parts_->next(client, wanted);
  section.wants.resize(wanted.parts.size());
  bool drawn = false;
  for (std::size_t i = 0; i < wanted.parts.size(); ++i) {
    const PartWanted& part = wanted.parts[i];
    Want& want = section.wants[i];
    want.lock = setup_.find_lock(part.lock);
    want.extent = part.extent;
    want.mode = part.mode.value_or(LockMode::exclusive);
    drawn = drawn || !part.mode;
  }
  if (drawn) draw_mode(streams_[place_of(client)], section);
  section.tables = wanted.tables;
  if (setup_.spec.locks_sorted) {
    sort_by_number(section);
    for (TableWant& table : section.tables) table.before = 0;
  }
  section.lookups = wanted.lookups;
  section.work.reads = wanted.reads;
  section.work.writes = wanted.writes;
  if (wanted.bytes > 0) section.work.bytes = wanted.bytes;
  section.work.write_bytes = wanted.write_bytes;
  section.work.hold = wanted.longer;
  for (const PlacedBytes& place : wanted.places)
    section.places.push_back({setup_.find_data(place.machine), place.bytes});
  section.file_bytes = wanted.file_bytes;
  if (wanted.after > 0) section.after = Section::Turn{setup_.find_counter(client), wanted.after};
  if (wanted.counts) section.counts = setup_.find_counter(client);
}

bool MicroWorkload::take_arrival(ClientId client, Section& section) {
  Arrivals& mine = arrivals_[place_of(client)];
  const Time now = setup_.now(client);
  if (!mine.start) mine.start = now;
  const auto arrival = mine.queue.take(now - *mine.start);
  if (!arrival) return false;
  section.arrived = *mine.start + arrival->at;
  if (!arrival->scripted) return true;
  Want want;
  want.lock = setup_.find_lock(LockId{arrival->scripted->lock});
  want.mode = static_cast<LockMode>(arrival->scripted->mode);
  section.wants.push_back(want);
  return true;
}

// Transactions READ all objects that they lock, and WRITE those that they lock exclusively.
void MicroWorkload::add_work(Section& section) const {
  const WorkloadSpec& spec = setup_.spec;
  if (section.wants.empty() && section.tables.empty()) return;
  section.work.hold = section.work.hold + spec.critical_section;
  section.options.expected_hold = section.work.hold;
  if (spec.remote_ops == 0) return;
  section.work.bytes = spec.object_bytes;
  if (section.transaction) {
    section.work.reads = section.work.writes = spec.remote_ops;
    return;
  }
  const LockMode mode = section.wants[0].mode;
  const bool writes =
      mode == LockMode::exclusive || (mode == LockMode::update && section.upgrades > 0);
  (writes ? section.work.writes : section.work.reads) = spec.remote_ops;
}

bool MicroWorkload::next(ClientId client, Section& section) {
  const WorkloadSpec& spec = setup_.spec;
  const std::size_t place = place_of(client);
  if (spec.until.ps > 0 && setup_.true_now() - Time{} > spec.until) return false;
  if (!arrivals_.empty() && !take_arrival(client, section)) return false;
  section.transaction = makes_transactions(spec.kind);
  if (parts_) {
    draw_parts(client, section);
  } else if (section.wants.empty()) {
    draw_wants(client, section);
    draw_mode(streams_[place], section);
  }
  add_work(section);
  section.on_abort = spec.gives_back ? OnAbort::give_back : OnAbort::retry;
  section.pause = spec.retry_pause;
  section.patience = spec.patience;
  section.think =
      spec.think_exponential ? exponential(timing_[place], spec.think_time) : spec.think_time;
  if (setup_.skip_release_ppb > 0)
    section.skip_release = happens(faults_[place], setup_.skip_release_ppb);
  section.fails = section.skip_release && !setup_.skipping_commits;
  return true;
}

Duration MicroWorkload::start_offset(ClientId client) {
  if (!arrivals_.empty()) return {};
  const Duration spread = kStartSpread + setup_.spec.think_time;
  if (setup_.spec.think_exponential) return uniform_below(timing_[place_of(client)], spread);
  Rng once(setup_.seed, client.value, StreamPurpose::timing);
  return uniform_below(once, spread);
}

void MicroWorkload::window_opens(ClientId client, Time now) {
  if (arrivals_.empty()) return;
  Arrivals& mine = arrivals_[place_of(client)];
  mine.queue.window_opens(mine.start ? now - *mine.start : Duration{});
}

OpenLoopTally MicroWorkload::tally(ClientId client, Time now) const {
  if (arrivals_.empty()) return {};
  const Arrivals& mine = arrivals_[place_of(client)];
  return mine.queue.tally(mine.start ? now - *mine.start : Duration{});
}

ArrivalDates::ArrivalDates(Rng rng, Duration mean) : rng_(rng), mean_(mean) {
  advance();
}

ArrivalDates::ArrivalDates(std::vector<ScriptedArrival> script) : script_(std::move(script)) {}

void ArrivalDates::advance() {
  if (mean_.ps > 0)
    at_ = at_ + exponential(rng_, mean_);
  else
    ++index_;
}

ArrivalQueue::ArrivalQueue(ArrivalDates dates, Duration window_start, Duration window)
    : next_(dates),
      ahead_(std::move(dates)),
      start_(window_start),
      middle_(window_start + window / 2),
      end_(window_start + window) {}

void ArrivalQueue::window_opens(Duration start) {
  const Duration length = end_ - start_;
  start_ = start;
  middle_ = start + length / 2;
  end_ = start + length;
  tally_ = {.backlog_max = tally_.backlog_max};
  if (taken_ > 0 && in_window(last_)) tally_.offered = 1;  // taken before it arrives
}

void ArrivalQueue::wait(OpenLoopTally& tally, const ArrivalQueue& queue, Duration from,
                        Duration to) {
  const auto within = [&](Duration begin, Duration end) {
    const Duration length = std::min(to, end) - std::max(from, begin);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(length.ps, 0));
  };
  tally.waited_first_ps += within(queue.start_, queue.middle_);
  tally.waited_second_ps += within(queue.middle_, queue.end_);
}

std::optional<ArrivalQueue::Arrival> ArrivalQueue::take(Duration now) {
  if (next_.over()) return std::nullopt;
  Arrival arrival{next_.at(), std::nullopt};
  if (next_.scripted() != nullptr) arrival.scripted = *next_.scripted();
  for (; !ahead_.over() && ahead_.at() <= now; ahead_.advance()) ++arrived_;
  if (arrived_ > taken_) tally_.backlog_max = std::max(tally_.backlog_max, arrived_ - taken_);
  last_ = arrival.at;
  if (in_window(arrival.at)) ++tally_.offered;
  wait(tally_, *this, arrival.at, std::max(arrival.at, now));
  next_.advance();
  ++taken_;
  if (taken_ > arrived_) {  // taken before it arrives
    ahead_.advance();
    arrived_ = taken_;
  }
  return arrival;
}

OpenLoopTally ArrivalQueue::tally(Duration now) const {
  OpenLoopTally all = tally_;
  std::uint64_t waiting = 0;
  for (ArrivalDates left = next_; !left.over() && left.at() <= now; left.advance()) {
    ++waiting;
    if (in_window(left.at())) ++all.offered;
    wait(all, *this, left.at(), now);
  }
  all.backlog_max = std::max(all.backlog_max, waiting);
  return all;
}

Result<LocalKeys> LocalKeys::make(const DistributionSpec& spec, const LockTableSpec& locks,
                                  std::uint32_t servers, std::int64_t locality_ppb,
                                  std::uint64_t seed) {
  LATCHLAB_CHECK(locks.placement != PlacementKind::node && locks.count >= servers,
                 "locality where a server has no lock");
  LATCHLAB_CHECK(servers > 1 || locality_ppb >= 1'000'000'000, "locality without other servers");
  LocalKeys keys(locks, servers, locality_ppb);
  keys.fewest_ = locks.count / servers;
  auto fewest = KeyChooser::make(spec, keys.fewest_, seed);
  if (!fewest) return fewest.error();
  keys.among_fewest_ = std::move(fewest).value();
  if (locks.count % servers == 0) return keys;
  auto one_more = KeyChooser::make(spec, keys.fewest_ + 1, seed);
  if (!one_more) return one_more.error();
  keys.among_one_more_ = std::move(one_more).value();
  return keys;
}

LockId LocalKeys::next(Rng& rng, std::uint32_t home) const {
  std::uint64_t server = home;
  if (!happens(rng, locality_ppb_)) {
    server = rng.below(servers_ - 1);
    if (server >= home) ++server;
  }
  const bool few = placement_.locks_on(server) == fewest_;
  return placement_.lock_at({server, (few ? among_fewest_ : among_one_more_)->next(rng)});
}

LockId LocalKeys::hottest() const {
  const bool few = placement_.locks_on(0) == fewest_;
  return placement_.lock_at({0, (few ? among_fewest_ : among_one_more_)->hottest()});
}

}  // namespace latchlab
