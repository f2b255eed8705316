// libFuzzer entry: for any bytes the readers of traces return a value or an error, and a trace that
// they accept can be replayed.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "core/workload/cache_trace.h"
#include "core/workload/transactions/trace.h"

namespace latchlab {
namespace {

void check(bool holds, const char* what) {
  LATCHLAB_CHECK(holds, what);
}

void check_place(const Error& error) {
  check(error.where.starts_with("fuzz.csv") && !error.message.empty(),
        "an error must say where and what");
}

void read_locks(const std::string& text, const TraceOptions& options) {
  std::istringstream in(text);
  const auto trace = read_lock_trace(in, "fuzz.csv", options);
  if (!trace) return check_place(trace.error());
  const auto mix = replay_of(trace.value(), {.first = 0, .count = 1}, {0, 1});
  Transaction transaction;
  std::uint64_t requests = 0;
  for (std::uint64_t i = 0; i < trace.value()->transactions(); ++i) {
    mix->next(ClientId{0}, transaction);
    requests += transaction.needs.size();
    check(transaction.type < mix->type_names().size(), "a type must have a name");
    for (const LockNeed& need : transaction.needs)
      check(need.lock.value < mix->locks(), "a lock must have a number below locks()");
  }
  check(requests == trace.value()->requests(), "each request must be replayed once");
}

void read_accesses(const std::string& text, TraceShare by) {
  std::istringstream in(text);
  const auto trace = read_cache_trace(in, "fuzz.csv", {});
  if (!trace) return check_place(trace.error());
  const auto replay = CacheReplay::make(trace.value(), {0, 1}, {0, 1}, by);
  check(replay.ok(), "one client can replay any trace");
  for (std::uint64_t i = 0; i < trace.value()->accesses(); ++i)
    check(replay.value()->next(ClientId{0}) == trace.value()->access(i),
          "one client must replay the trace as it is");
}

}  // namespace
}  // namespace latchlab

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace latchlab;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  for (const TraceFormat format : {TraceFormat::latchlab, TraceFormat::fisslock})
    for (const TraceDuplicates duplicates : {TraceDuplicates::refuse, TraceDuplicates::merge})
      read_locks(text, {format, duplicates});
  for (const TraceShare by : {TraceShare::turn, TraceShare::client}) read_accesses(text, by);
  return 0;
}
