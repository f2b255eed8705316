#pragma once
// The parts of static_segments.h: which segments a range needs, and the client that acquires them.

#include <cstdint>
#include <vector>

#include "core/protocols/common/per_grant.h"
#include "core/protocols/dslr/client.h"

namespace latchlab::static_segments {

enum class Releases : std::uint8_t { together, one_by_one };

struct Options : dslr::Options {
  Options() { late_release = dslr::LateRelease::unless_repaired; }

  std::uint64_t units = 4096;
  std::uint64_t segment = 1024;
  std::uint64_t parts = 1;  // of a unit: segments are so many of them
  Releases releases = Releases::together;

  std::uint64_t segments() const { return (units * parts + segment - 1) / segment; }
};

// Segments [first, last] contain the units of a range.
struct Span {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
Span span_of(const Options& options, const Extent& range);

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options), verbs_(*env.verbs), one_(options, env) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;
  std::uint64_t recoveries() const override { return one_.recoveries(); }

 private:
  LockRef lock_of(LockRef range, std::uint64_t segment) const;
  Task<bool> give_back(std::vector<Grant>& taken);  // false: one release was suppressed

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  dslr::Client one_;
  PerGrant<std::vector<Grant>> taken_;
};

}  // namespace latchlab::static_segments
