#include "core/measure/window.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/measure/statistics.h"

namespace latchlab {
namespace {

std::uint64_t length_ps(Time from, Time to) {
  return static_cast<std::uint64_t>((to - from).ps);
}

std::uint64_t narrow(Wide value) {
  LATCHLAB_CHECK(value >> 64 == 0, "a sum of times beyond 18 million client-seconds");
  return static_cast<std::uint64_t>(value);
}

}  // namespace

WindowRecorder::WindowRecorder(std::uint32_t clients, Time start, Duration length)
    : start_(start),
      middle_(start + length / 2),
      end_(start + length),
      clients_(clients),
      cycles_by_client_(clients, 0) {
  LATCHLAB_CHECK(length.ps > 0, "an empty window");
}

std::uint64_t WindowRecorder::overlap_ps(Time from, Time to) const {
  const Time first = std::max(from, start_);
  const Time last = std::min(to, end_);
  return first < last ? length_ps(first, last) : 0;
}

void WindowRecorder::begin_cycle(ClientId id, Time date) {
  Client& client = clients_[id.value];
  LATCHLAB_CHECK(!client.open, "a cycle began inside another one");
  LATCHLAB_CHECK(!client.seen || date >= client.since, "a cycle began before the last one ended");
  idle_ps_ += overlap_ps(client.seen ? client.since : start_, date);
  client = {.open = true, .seen = true, .since = date};
}

// A cycle that ends where the window starts counts, and was open there; one that ends where the
// window ends does not count, and was open there.
void WindowRecorder::cycle_ended(ClientId id, Time date) {
  Client& client = clients_[id.value];
  LATCHLAB_CHECK(client.open && date >= client.since, "a cycle ended that had not begun");
  const Time begun = client.since;
  if (begun < start_ && date >= start_) ages_at_start_ps_ += length_ps(begun, start_);
  if (begun < end_ && date >= end_) ages_at_end_ps_.push_back(length_ps(begun, end_));
  if (counts(date)) {
    cycle_.record(date - begun);
    ++cycles_by_client_[id.value];
    ++(date < middle_ ? first_half_ : second_half_);
  }
  client.open = false;
  client.since = date;
}

void WindowRecorder::next_cycle(ClientId id, Time date) {
  if (clients_[id.value].open) cycle_ended(id, date);
  begin_cycle(id, date);
}

void WindowRecorder::acquired(Time date, Duration length, bool shared) {
  if (counts(date)) (shared ? acquire_read_ : acquire_write_).record(length);
}

void WindowRecorder::released(Time date, Duration length) {
  if (counts(date)) release_.record(length);
}

WindowLaw WindowRecorder::law() const {
  Wide at_start = ages_at_start_ps_;
  Wide at_end = 0;
  Wide idle = idle_ps_;
  for (const std::uint64_t age_ps : ages_at_end_ps_) at_end += age_ps;
  for (const Client& client : clients_) {
    if (!client.open) {
      idle += overlap_ps(client.seen ? client.since : start_, end_);
      continue;
    }
    if (client.since < start_) at_start += length_ps(client.since, start_);
    if (client.since < end_) at_end += length_ps(client.since, end_);
  }
  return {.clients = clients_.size(),
          .duration_ps = length_ps(start_, end_),
          .counted_cycles = counted_cycles(),
          .counted_lengths_ps = narrow(cycle_.sum_ps()),
          .ages_at_start_ps = narrow(at_start),
          .ages_at_end_ps = narrow(at_end),
          .idle_ps = narrow(idle)};
}

std::optional<bool> WindowRecorder::check_littles_law() const {
  if (clients_.empty() || counted_cycles() / clients_.size() <= 1000) return std::nullopt;
  const Wide expected = static_cast<Wide>(clients_.size()) * length_ps(start_, end_);
  const Wide found = cycle_.sum_ps();
  return (found > expected ? found - expected : expected - found) <= expected / 100;
}

void WindowRecorder::write_open(RepeatMetrics::Open& open) const {
  std::vector<std::uint64_t> ages_ps = ages_at_end_ps_;
  for (const Client& client : clients_)
    if (client.open && client.since < end_) ages_ps.push_back(length_ps(client.since, end_));
  open.count = ages_ps.size();
  if (ages_ps.empty()) return;
  Wide sum = 0;
  for (const std::uint64_t age_ps : ages_ps) sum += age_ps;
  open.age_mean_ns = static_cast<double>(sum) / static_cast<double>(ages_ps.size()) / 1e3;
  open.age_max_ns = static_cast<double>(*std::max_element(ages_ps.begin(), ages_ps.end())) / 1e3;
}

RepeatMetrics::Real WindowRecorder::stationarity() const {
  if (first_half_ == 0 || middle_ == start_) return std::nullopt;
  const double first = static_cast<double>(first_half_) * (end_ - middle_).seconds();
  const double second = static_cast<double>(second_half_) * (middle_ - start_).seconds();
  return second / first;
}

void WindowRecorder::write_to(RepeatMetrics& metrics) const {
  metrics.goodput_ops_s = static_cast<double>(counted_cycles()) / (end_ - start_).seconds();
  metrics.cycle = cycle_;
  metrics.acquire = acquire_read_;
  metrics.acquire.merge(acquire_write_);
  metrics.acquire_read = acquire_read_;
  metrics.acquire_write = acquire_write_;
  metrics.release = release_;
  write_open(metrics.open);
  metrics.fairness.jain = jain_index(cycles_by_client_);
  metrics.stationary = stationarity();
  metrics.window_law = law();
}

}  // namespace latchlab
