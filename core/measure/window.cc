#include "core/measure/window.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/measure/steady.h"

namespace latchlab {
namespace {

std::uint64_t length_ps(Time from, Time to) {
  return static_cast<std::uint64_t>((to - from).ps);
}

std::uint64_t narrow(Wide value) {
  LATCHLAB_CHECK(value >> 64 == 0, "a sum of times beyond 18 million client-seconds");
  return static_cast<std::uint64_t>(value);
}

std::vector<ClientId> first_clients(std::uint32_t count) {
  std::vector<ClientId> all;
  all.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(ClientId{i});
  return all;
}

}  // namespace

WindowRecorder::WindowRecorder(std::uint32_t clients, Time start, Duration length)
    : WindowRecorder(clients, first_clients(clients), start, length) {}

WindowRecorder::WindowRecorder(std::uint32_t clients, std::vector<ClientId> measured, Time start,
                               Duration length)
    : start_(start),
      middle_(start + length / 2),
      end_(start + length),
      measured_(std::move(measured)),
      clients_(clients),
      cycles_by_client_(clients, 0) {
  LATCHLAB_CHECK(length.ps > 0, "an empty window");
}

void WindowRecorder::open(Time date) {
  const Duration length = end_ - start_;
  start_ = date;
  middle_ = date + length / 2;
  end_ = date + length;
  std::fill(cycles_by_client_.begin(), cycles_by_client_.end(), 0);
  first_half_ = second_half_ = cut_ = ages_at_start_ps_ = idle_ps_ = 0;
  waited_ps_ = 0;
  ages_at_end_ps_.clear();
  batches_.clear();
  for (Histogram* const each :
       {&cycle_, &acquire_read_, &acquire_write_, &release_, &recovery_, &acquire_lock_})
    *each = {};
  std::fill(group_cycles_.begin(), group_cycles_.end(), Histogram());
  std::fill(intervals_.begin(), intervals_.end(), Interval{});
}

std::uint64_t WindowRecorder::overlap_ps(Time from, Time to) const {
  const Time first = std::max(from, start_);
  const Time last = std::min(to, end_);
  return first < last ? length_ps(first, last) : 0;
}

void WindowRecorder::measure_intervals(Duration length) {
  interval_ = length;
  intervals_.resize(((end_ - start_).ps + length.ps - 1) / length.ps);
}

WindowRecorder::Interval* WindowRecorder::interval_at(Time date) {
  return intervals_.empty() ? nullptr : &intervals_[(date - start_).ps / interval_.ps];
}

void WindowRecorder::begin_cycle(ClientId id, Time date) {
  Client& client = clients_[id.value];
  LATCHLAB_CHECK(!client.open, "a cycle began inside another one");
  LATCHLAB_CHECK(!client.seen || date >= client.since, "a cycle began before the last one ended");
  idle_ps_ += overlap_ps(client.seen ? client.since : start_, date);
  client = {.open = true, .seen = true, .cut = false, .since = date, .waited = {}};
}

void WindowRecorder::arrived(ClientId id, Time date, Duration ago) {
  Client& client = clients_[id.value];
  LATCHLAB_CHECK(client.open && date >= client.since, "an arrival outside a cycle");
  const Time arrival = date - ago;
  if (arrival < client.since) {
    client.waited = client.since - arrival;
    return;
  }
  idle_ps_ += overlap_ps(client.since, arrival);
  client.since = arrival;
}

// A cycle that ends exactly at the window's start counts, and so does its age at the start; one
// that ends exactly at the window's end does not count, but its age at the end does.
void WindowRecorder::cycle_ended(ClientId id, Time date) {
  Client& client = clients_[id.value];
  LATCHLAB_CHECK(client.open && date >= client.since, "a cycle ended that had not begun");
  const Time begun = client.since;
  if (begun < start_ && date >= start_) ages_at_start_ps_ += length_ps(begun, start_);
  if (begun < end_ && date >= end_) ages_at_end_ps_.push_back(length_ps(begun, end_));
  if (counts(date)) {
    cycle_.record(date - begun + client.waited);
    if (measures_groups()) group_cycles_[group_of(id)].record(date - begun + client.waited);
    waited_ps_ += static_cast<std::uint64_t>(client.waited.ps);
    if (client.cut) {
      ++cut_;
    } else {
      ++cycles_by_client_[id.value];
      ++(date < middle_ ? first_half_ : second_half_);
      if (Interval* const interval = interval_at(date)) ++interval->cycles;
    }
  }
  ++ended_;
  client.open = false;
  client.since = date;
}

void WindowRecorder::next_cycle(ClientId id, Time date) {
  if (clients_[id.value].open) cycle_ended(id, date);
  begin_cycle(id, date);
}

void WindowRecorder::acquired(Time date, Duration length, bool shared, LockId lock) {
  if (!counts(date)) return;
  (shared ? acquire_read_ : acquire_write_).record(length);
  if (lock_ == lock) acquire_lock_.record(length);
  if (Interval* const interval = interval_at(date)) {
    ++interval->acquisitions;
    interval->acquire_ps += static_cast<std::uint64_t>(length.ps);
  }
}

void WindowRecorder::released(Time date, Duration length) {
  if (counts(date)) release_.record(length);
}

void WindowRecorder::recovered(Time date, Duration length) {
  if (counts(date)) recovery_.record(length);
}

WindowLaw WindowRecorder::law() const {
  Wide at_start = ages_at_start_ps_;
  Wide at_end = 0;
  Wide idle = idle_ps_;
  for (const std::uint64_t age_ps : ages_at_end_ps_) at_end += age_ps;
  for (const ClientId id : measured_) {
    const Client& client = clients_[id.value];
    if (!client.open) {
      idle += overlap_ps(client.seen ? client.since : start_, end_);
      continue;
    }
    if (client.since < start_) at_start += length_ps(client.since, start_);
    if (client.since < end_) at_end += length_ps(client.since, end_);
  }
  return {.clients = measured_.size(),
          .duration_ps = length_ps(start_, end_),
          .counted_cycles = counted_cycles(),
          .counted_lengths_ps = narrow(cycle_.sum_ps() - waited_ps_),
          .ages_at_start_ps = narrow(at_start),
          .ages_at_end_ps = narrow(at_end),
          .idle_ps = narrow(idle)};
}

std::optional<bool> WindowRecorder::check_littles_law() const {
  if (measured_.empty() || counted_cycles() / measured_.size() <= 1000) return std::nullopt;
  const Wide expected = static_cast<Wide>(measured_.size()) * length_ps(start_, end_);
  const Wide found = cycle_.sum_ps();
  return (found > expected ? found - expected : expected - found) <= expected / 100;
}

// Their number and greatest age; the sum of their ages is in the law.
void WindowRecorder::write_open(PartialMetrics& share) const {
  const auto add = [&share](std::uint64_t age_ps) {
    ++share.open_count;
    share.open_age_max_ps = std::max(share.open_age_max_ps, age_ps);
  };
  share.open_count = share.open_age_max_ps = 0;
  for (const std::uint64_t age_ps : ages_at_end_ps_) add(age_ps);
  for (const ClientId id : measured_)
    if (const Client& client = clients_[id.value]; client.open && client.since < end_)
      add(length_ps(client.since, end_));
}

void WindowRecorder::write_to(PartialMetrics& share) const {
  share.clients.clear();
  share.cycles_by_client.clear();
  for (const ClientId id : measured_) {
    share.clients.push_back(id.value);
    share.cycles_by_client.push_back(cycles_by_client_[id.value]);
  }
  share.law = law();
  std::uint64_t before = 0;
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    const bool told = batch + 1 < kBatches && batch < batches_.size();
    const std::uint64_t now = told ? batches_[batch] : done_cycles();
    share.batch_cycles.push_back(now - before);
    before = now;
  }
  share.warmup_ps = static_cast<std::uint64_t>(start_.ps);
  share.first_half = first_half_;
  share.second_half = second_half_;
  share.cut = cut_;
  write_open(share);
  share.cycle = cycle_;
  share.acquire_read = acquire_read_;
  share.acquire_write = acquire_write_;
  share.release = release_;
  share.recovery = recovery_;
  share.measured_lock = lock_.has_value();
  share.acquire_lock = acquire_lock_;
  share.group_cycles = group_cycles_;
  share.interval_ps = static_cast<std::uint64_t>(interval_.ps);
  for (const Interval& interval : intervals_) {
    share.interval_cycles.push_back(interval.cycles);
    share.interval_acquisitions.push_back(interval.acquisitions);
    share.interval_acquire_ps.push_back(interval.acquire_ps);
  }
}

}  // namespace latchlab
