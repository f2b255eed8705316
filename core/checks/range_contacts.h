#pragma once
// Who could have stood in whose way: of clients that want or have parts of one object, those who
// ask for units in common in modes that exclude each other. Fed by the client loop like
// SafetyMonitor, but a part is taken from the first call of acquire to the end of release, since
// others may wait for it as long as that.

#include <map>
#include <vector>

#include "core/base/ids.h"
#include "core/protocols/lock.h"

namespace latchlab {

class RangeContacts {
 public:
  void wants(ClientId client, const Want& want);
  // Has the client, since it first wanted this, met anybody who could stand in its way?
  bool met_anybody(ClientId client, LockId lock, GrantId id) const;
  // It has given it back, or wants it no more. What was never wanted is passed over.
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
