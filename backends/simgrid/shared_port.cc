#include "backends/simgrid/shared_port.h"

#include <algorithm>

namespace latchlab::sim {

namespace {

// Leaves room for 10^5 payloads at once, of which each takes up to a quarter of an hour alone.
constexpr std::int64_t kPerPicosecond = 64;

}  // namespace

void SharedPort::advance(Time now) {
  const auto sharing = static_cast<std::int64_t>(shares_.size());
  if (sharing == 0)
    virtual_ = 0;
  else
    virtual_ += (now - reached_).ps * kPerPicosecond / sharing;
  reached_ = now;
}

void SharedPort::add(Time now, Duration length, SimOperation* payload) {
  advance(now);
  shares_.insert({virtual_ + length.ps * kPerPicosecond, sequence_++, payload});
}

void SharedPort::remove(Time now, const SimOperation* payload) {
  advance(now);
  const auto found = std::find_if(shares_.begin(), shares_.end(),
                                  [&](const Share& share) { return share.payload == payload; });
  if (found != shares_.end()) shares_.erase(found);
}

SimOperation* SharedPort::take_done(Time now) {
  advance(now);
  if (shares_.empty() || shares_.begin()->end > virtual_) return nullptr;
  SimOperation* payload = shares_.begin()->payload;
  shares_.erase(shares_.begin());
  return payload;
}

Time SharedPort::next_done() const {
  if (shares_.empty()) return kNever;
  const auto sharing = static_cast<std::int64_t>(shares_.size());
  const std::int64_t left = std::max<std::int64_t>(shares_.begin()->end - virtual_, 0) * sharing;
  return reached_ + Duration{(left + kPerPicosecond - 1) / kPerPicosecond};
}

}  // namespace latchlab::sim
