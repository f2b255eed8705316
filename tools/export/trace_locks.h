#pragma once
// The holders of each lock and the number of waiting clients, as tracks of the "process" named
// locks. Holds that overlap (readers, or a broken lock) get separate tracks.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/protocols/lock.h"
#include "tools/export/trace_log.h"

namespace latchlab::exporting {

class TraceLocks {
 public:
  // Before open(), calls update the state and log nothing.
  TraceLocks(TraceLog& log, std::uint32_t pid) : log_(log), pid_(pid) {}

  void asked(Time at, LockId lock);
  void gave_up(Time at, LockId lock);
  // The client's wait ends and its hold begins.
  void granted(Time at, ClientId client, const Grant& grant);
  void upgraded(Time at, ClientId client, const Grant& grant);
  void let_go(Time at, ClientId client, const Grant& grant, const std::string& args);
  void crashed(Time at, ClientId client, const std::string& args);

  // Begin and end of the traced window.
  void open(Time at);
  void close(Time at, const std::string& args);  // allowed without open()
  // Call once, at the end. Ranks the most contended locks first.
  void name_tracks();

 private:
  struct Hold {
    ClientId client;
    GrantId id;
    LockMode mode;
    Extent extent;
    Time since;
    Track track;
  };
  struct Lane {
    Track track;
    bool taken = false;
  };
  struct Lock {
    std::uint64_t waiting = 0;
    std::uint64_t most_waiting = 0;
    std::uint64_t holds = 0;
    std::vector<Hold> held;
    std::vector<Lane> lanes;
  };
  void waits(Time at, LockId id, Lock& lock, std::int64_t change);
  void show(Time at, LockId id, Lock& lock, Hold& hold);
  void hide(Time at, Lock& lock, const Hold& hold, const std::string& args);
  void tell_conflict(Time at, LockId id, const Lock& lock, const Hold& hold);

  TraceLog& log_;
  std::uint32_t pid_;
  std::uint32_t next_tid_ = 3'000'000;
  bool shown_ = false;
  std::map<LockId, Lock> locks_;
};

}  // namespace latchlab::exporting
