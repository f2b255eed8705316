#include "core/protocols/sherman/sherman.h"

#include "core/protocols/sherman/client.h"

namespace latchlab {

ProtocolEntry sherman_entry() {
  using sherman::Options;
  Description<Options> lock = sherman::describe<Options>();
  lock.name = "sherman";
  lock.summary = "nodes acquire the lock by CAS; clients of a node hand it over in memory";
  lock.source = "Sherman (SIGMOD'22), its hierarchical on-chip lock; reconstructed";
  lock.fairness = "first come, first served within a node; none between nodes";
  lock.handover = "in memory within a node; else by chance";
  lock.params.push_back(
      {"max_handovers", &Options::max_handovers, 0, 1'000'000,
       "handovers within a node before other nodes may acquire the lock (code: 8 holders)"});
  lock.profiles = {
      {"reconstructed", "Sherman (SIGMOD'22), its 16-bit locks"},
      {"repository",
       "code of Sherman's authors: 64-bit locks, 8 holders in a row, posted unlocks",
       {{"lock_width", "64bit"}, {"max_handovers", std::int64_t{7}}, {"unlock_posted", true}}},
      {"packed",
       "Sherman (SIGMOD'22), its table: four 16-bit locks in 8 bytes; freed by FAA (ours)",
       {{"packed", true}, {"unlock_by", "faa"}}}};
  lock.small_model = {{"max_handovers", std::int64_t{1}}};
  return make_entry<sherman::NodeLock<Options, sherman::Sherman>>(lock);
}

}  // namespace latchlab
