#pragma once
// Counts conflicts between overlapping ranges: clients that want or hold parts of one object with
// common units, in modes that exclude each other. The client loop feeds it, as it does
// SafetyMonitor, but a part counts from the first call of acquire to the end of release, because
// other clients may wait for it during that time.

#include <map>
#include <vector>

#include "core/base/ids.h"
#include "core/protocols/lock.h"

namespace latchlab {

class FalseConflictCounter {
 public:
  void wants(ClientId client, const Want& want);
  // True if the client has met a conflicting client since it first wanted this part.
  bool met_any_client(ClientId client, LockId lock, GrantId id) const;
  // The client has released the part, or no longer wants it. Ignores parts that were never wanted.
  void leaves(ClientId client, LockId lock, GrantId id);

 private:
  struct Party {
    ClientId client;
    GrantId id;
    Extent extent;
    LockMode mode = LockMode::exclusive;
    bool met = false;
  };
  using Parties = std::vector<Party>;

  std::map<LockId, Parties> parties_;
};

}  // namespace latchlab
