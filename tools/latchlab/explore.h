#pragma once
// `latchlab explore` and `latchlab replay`.

#include <cstdint>
#include <string>
#include <vector>

#include "tools/explore/campaign.h"

namespace latchlab::tool {

struct ExploreArguments {
  explore::Campaign campaign;  // without the fields that the options below set
  std::string placement = "both";
  std::string extents;     // empty: whole locks
  bool as_asked = false;   // a client acquires several locks in the given, not ascending, order
  std::string crash_unit;  // empty: the protocol's default
  std::string strategy = "exhaustive";
  std::string budget;
  std::vector<std::string> latencies;
  std::string hold, patience, horizon;  // empty: derived from the latencies
  std::string pause_length;             // empty: none
  std::string out = "traces";
  bool every_step = false;
  bool every_client = false;
  std::uint32_t jobs = 0;  // 0: as many as there are cores
  bool json = false;
  bool quiet = false;
};
int explore_protocol(const ExploreArguments& arguments);

struct ReplayArguments {
  std::string file;  // a trace that explore wrote
  bool json = false;
  std::string page;  // output page that animates the trace; empty: none
};
int replay(const ReplayArguments& arguments);

}  // namespace latchlab::tool
