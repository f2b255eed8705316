#include "core/checks/false_conflict_counter.h"

#include <algorithm>

namespace latchlab {

void FalseConflictCounter::wants(ClientId client, const Want& want) {
  Party mine{client, want.id, want.extent, want.mode};
  Parties& all = parties_[want.lock.id];
  for (Party& other : all) {
    if (other.client == client || !conflict(other, mine)) continue;
    other.met = mine.met = true;
  }
  all.push_back(mine);
}

bool FalseConflictCounter::met_any_client(ClientId client, LockId lock, GrantId id) const {
  const auto parties = parties_.find(lock);
  if (parties == parties_.end()) return false;
  return std::any_of(parties->second.begin(), parties->second.end(), [&](const Party& each) {
    return each.client == client && each.id == id && each.met;
  });
}

void FalseConflictCounter::leaves(ClientId client, LockId lock, GrantId id) {
  const auto parties = parties_.find(lock);
  if (parties == parties_.end()) return;
  Parties& all = parties->second;
  const auto gone = std::find_if(all.begin(), all.end(), [&](const Party& each) {
    return each.client == client && each.id == id;
  });
  if (gone == all.end()) return;
  *gone = all.back();
  all.pop_back();
}

}  // namespace latchlab
