#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "tools/export/trace_recorder.h"
#include "tools/export/trace_text.h"

namespace latchlab::exporting {

// A lock gets a counter of waiting clients once two have waited at the same time, because a single
// waiting client is not a queue.
void TraceLocks::waits(Time at, LockId id, Lock& lock, std::int64_t change) {
  if (change < 0 && lock.waiting == 0) return;
  lock.waiting += static_cast<std::uint64_t>(change);
  lock.most_waiting = std::max(lock.most_waiting, shown_ ? lock.waiting : 0);
  if (shown_ && lock.most_waiting >= 2)
    log_.count(pid_, at, fmt::format("waiting for lock {}", id.value), lock.waiting);
}

void TraceLocks::show(Time at, LockId id, Lock& lock, Hold& hold) {
  auto lane = std::find_if(lock.lanes.begin(), lock.lanes.end(),
                           [](const Lane& each) { return !each.taken; });
  if (lane == lock.lanes.end()) {
    lock.lanes.push_back({{pid_, next_tid_++}, false});
    lane = lock.lanes.end() - 1;
  }
  lane->taken = true;
  hold.track = lane->track;
  ++lock.holds;
  Args args;
  args.number("client", hold.client.value).text("mode", name_of(hold.mode));
  args.number("lock", id.value);
  if (!hold.extent.whole())
    args.number("first", hold.extent.first).number("count", hold.extent.count);
  if (hold.since < at) args.text("cut", "began before the window").date("since", hold.since);
  log_.begin(hold.track, at, fmt::format("client {} {}", hold.client.value, name_of(hold.mode)),
             args.str());
}

void TraceLocks::hide(Time at, Lock& lock, const Hold& hold, const std::string& args) {
  log_.end(hold.track, at, args);
  for (Lane& lane : lock.lanes)
    if (lane.track == hold.track) lane.taken = false;
}

void TraceLocks::asked(Time at, LockId lock) {
  waits(at, lock, locks_[lock], 1);
}

void TraceLocks::gave_up(Time at, LockId lock) {
  waits(at, lock, locks_[lock], -1);
}

void TraceLocks::tell_conflict(Time at, LockId id, const Lock& lock, const Hold& hold) {
  const auto in_the_way = [&](const Hold& other) {
    return &other != &hold && conflict(other, hold);
  };
  if (std::none_of(lock.held.begin(), lock.held.end(), in_the_way)) return;
  log_.instant(hold.track, at, "conflicting holds",
               Args().number("lock", id.value).number("client", hold.client.value).str());
}

void TraceLocks::granted(Time at, ClientId client, const Grant& grant) {
  const LockId id = grant.lock.id;
  Lock& lock = locks_[id];
  waits(at, id, lock, -1);
  lock.held.push_back({client, grant.id, grant.mode, grant.extent, at, {}});
  if (!shown_) return;
  show(at, id, lock, lock.held.back());
  tell_conflict(at, id, lock, lock.held.back());
}

// A slice has one mode, so an upgrade ends the slice and begins another.
void TraceLocks::upgraded(Time at, ClientId client, const Grant& grant) {
  Lock& lock = locks_[grant.lock.id];
  for (Hold& hold : lock.held) {
    if (hold.client != client || hold.id != grant.id) continue;
    hold.mode = grant.mode;
    if (!shown_) return;
    hide(at, lock, hold, {});
    hold.since = at;
    show(at, grant.lock.id, lock, hold);
    tell_conflict(at, grant.lock.id, lock, hold);
  }
}

void TraceLocks::let_go(Time at, ClientId client, const Grant& grant, const std::string& args) {
  const auto found = locks_.find(grant.lock.id);
  if (found == locks_.end()) return;
  Lock& lock = found->second;
  const auto hold = std::find_if(lock.held.begin(), lock.held.end(), [&](const Hold& each) {
    return each.client == client && each.id == grant.id;
  });
  if (hold == lock.held.end()) return;
  if (shown_) hide(at, lock, *hold, args);
  lock.held.erase(hold);
  if (!shown_ && lock.held.empty() && lock.waiting == 0) locks_.erase(found);
}

void TraceLocks::crashed(Time at, ClientId client, const std::string& args) {
  for (auto& [id, lock] : locks_)
    std::erase_if(lock.held, [&, &of = lock](const Hold& hold) {
      if (hold.client != client) return false;
      if (shown_) hide(at, of, hold, args);
      return true;
    });
}

void TraceLocks::open(Time at) {
  shown_ = true;
  for (auto& [id, lock] : locks_) {
    for (Hold& hold : lock.held) show(at, id, lock, hold);
    if (lock.waiting >= 2) waits(at, id, lock, 0);
  }
}

void TraceLocks::close(Time at, const std::string& args) {
  if (!shown_) return;
  for (auto& [id, lock] : locks_)
    for (const Hold& hold : lock.held) hide(at, lock, hold, args);
}

void TraceLocks::name_tracks() {
  log_.name_process(pid_, "locks", 0);
  std::vector<std::pair<LockId, const Lock*>> ordered;
  for (const auto& [id, lock] : locks_) ordered.emplace_back(id, &lock);
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.second->most_waiting, a.second->holds, b.first) >
           std::tuple(b.second->most_waiting, b.second->holds, a.first);
  });
  std::int64_t rank = 0;
  for (const auto& [id, lock] : ordered) {
    for (std::size_t i = 0; i < lock->lanes.size(); ++i)
      log_.name_track(lock->lanes[i].track,
                      i == 0 ? fmt::format("lock {}", id.value)
                             : fmt::format("lock {}, holder {}", id.value, i + 1),
                      rank++);
  }
}

}  // namespace latchlab::exporting
