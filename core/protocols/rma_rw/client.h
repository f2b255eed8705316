#pragma once
// RMA-RW's client part. Readers are in readers.cc, writers in writers.cc.

#include <cstdint>
#include <memory>
#include <optional>

#include "core/protocols/lock.h"
#include "core/protocols/rma_rw/counters.h"
#include "core/protocols/rma_rw/notes.h"
#include "core/protocols/rma_rw/options.h"

namespace latchlab::rma_rw {

inline constexpr std::uint64_t kEntryBytes = 16;
inline constexpr RemoteAddr counters_of(RemoteAddr entry) {
  return entry + 8;
}

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options), verbs_(*env.verbs), notes_(make_notes(options, env)) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override {
    if (want.mode == LockMode::shared) return acquire_shared(want, options);
    return acquire_exclusive(want);
  }
  Task<ReleaseResult> release(Grant grant) override {
    return grant.mode == LockMode::shared ? release_shared(grant) : release_exclusive(grant);
  }

 private:
  // ---- readers.cc ----
  enum class Step : std::uint8_t { entered, again, failed };
  Task<AcquireResult> acquire_shared(Want want, AcquireOptions options);
  // One try. `wait`: whether the next one has to wait for the barrier first.
  Task<Step> arrive(RemoteAddr entry, bool& wait);
  Task<RemoteWaitResult> wait_at_barrier(RemoteAddr entry, Time deadline);
  // Makes room below the threshold; how much, nothing if the server fails.
  Task<std::optional<std::uint64_t>> make_room(RemoteAddr counters);
  Task<ReleaseResult> release_shared(Grant grant);

  // ---- writers.cc ----
  Task<AcquireResult> acquire_exclusive(Want want);
  // From readers' mode to writers'; false: the server fails.
  Task<bool> keep_readers_out(RemoteAddr entry);
  Task<bool> wait_for_readers(RemoteAddr entry);
  Task<ReleaseResult> release_exclusive(Grant grant);

  // Sets the counters back to readers' mode: how many departures it took away, nothing if the
  // server fails.
  Task<std::optional<std::uint64_t>> reset(RemoteAddr counters);

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  std::unique_ptr<NoteBook> notes_;
};

}  // namespace latchlab::rma_rw
