#include "core/protocols/drtm/drtm.h"

#include "core/protocols/common/entry.h"
#include "core/protocols/drtm/client.h"

namespace latchlab {
namespace {

class Drtm final : public ProtocolOf<drtm::Options, drtm::Client> {
 public:
  using ProtocolOf::ProtocolOf;
  Limits limits() const override {
    return {.abortable = true, .released_by_time = true, .clients_alike = true};
  }
  std::vector<Capability> needs() const override {
    return {Capability::timing, Capability::synchronised_clock};
  }
  // The word does not show whether the readers of a lease have finished.
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    return !drtm::is_locked(words[0]);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return drtm::decoded(options_, words[0]);
  }
};

std::string drtm_contradiction(const drtm::Options& options) {
  if (options.lease <= options.delta)
    return "lease is not longer than delta: its readers could never use it; raise lease or lower "
           "delta";
  if (options.reserve >= options.lease - options.delta)
    return "reserve is no less than lease - delta: no lease could ever be shared; lower reserve or "
           "raise lease";
  if (options.timeout_tries == 1)
    return "timeout_tries is 1: an acquisition ends when it has found an expired lease, and none "
           "ever takes it over; use 0 (never), or at least 2";
  return backoff_order_contradiction(options.backoff_first, options.backoff_bound);
}

// A round trip must be shorter than what is left of a lease, or readers never acquire.
Claims drtm_claims(const drtm::Options& options) {
  constexpr unsigned kHours = 42;  // 2^42 ns: longer than any run
  if (options.epoch == drtm::Epoch::start && options.lease_bits < kHours)
    return claims_nothing("lease_bits is so small that leases soon end later than they can say");
  Claims claims = never_recovers();
  claims.ways_within = slowest(options.lease - options.delta * 2 - options.reserve, 2);
  return claims.loses(Mishap::clock_jump, Keeps::exclusion, Keeps::fencing, Keeps::progress);
}

}  // namespace

ProtocolEntry drtm_entry() {
  using drtm::Options;
  return make_entry<Drtm>(
      {.name = "drtm",
       .summary = "CAS writes an owner, or a lease that readers share and do not release",
       .source = "DrTM (SOSP'15) as ShiftLock (FAST'25) 4.1 and DSLR (SIGMOD'18) 6.1 have it",
       .shared_mode = true,
       .fairness = "none",
       .handover = "by chance: the first CAS to arrive",
       .survives = "crashes of readers",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {0, 0, 0, 0}},
                 .shared_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .exclusive_after_shared = {{2, 0, 0, 4, true}, {0, 0, 0, 0}}},
       .params = {{"lease", &Options::lease, nanoseconds(100), seconds(60),
                   "length of a read lease (ShiftLock artifact; DrTM's code, read-only: 1 ms)"},
                  {"delta", &Options::delta, Duration{}, seconds(1),
                   "bound on the error of the synchronised clock (ShiftLock 4.1: 50 us)"},
                  {"reserve", &Options::reserve, Duration{}, seconds(60),
                   "a reader shares a lease only if at least so much of it is left (ShiftLock "
                   "artifact: 0.5 ms)"},
                  {"lease_bits", &Options::lease_bits, 8, 55,
                   "bits of the lease's end, in ns (ShiftLock artifact: 55)"},
                  {"epoch", &Options::epoch, "start|unix_truncated",
                   "what the ends of leases count from: the start of the run, or 1970, truncated "
                   "to lease_bits (artifact)"},
                  {"short_lease", &Options::short_lease, "extend|wait",
                   "what a reader does if less than `reserve` is left: extend the lease (DrTM's "
                   "code), or wait (ShiftLock artifact)"},
                  {"takeover", &Options::takeover, "expired|not_valid",
                   "when a writer takes over a lease: delta after its end, or delta before (DrTM's "
                   "code)"},
                  {"release", &Options::release_by_write, "cas|write",
                   "verb that frees the word (ShiftLock artifact: CAS)"},
                  {"timeout_tries", &Options::timeout_tries, 0, 1'000'000,
                   "after so many failed CASes an acquisition backs off; 0: never (DSLR 6.1)"},
                  {"backoff_first", &Options::backoff_first, Duration{}, seconds(1),
                   "R: bound of the first random backoff; 0: no backoff (DSLR A.3)"},
                  {"backoff_bound", &Options::backoff_bound, Duration{}, seconds(10),
                   "L: the longest backoff (DSLR A.3)"}},
       .profiles = {{"reconstructed", "from the sources that drtm.h names, without their defects"},
                    {"shiftlock_artifact",
                     "ShiftLock artifact, its DrTM baseline: ends of leases are truncated",
                     {{"epoch", "unix_truncated"}, {"short_lease", "wait"}}},
                    {"dslr_paper",
                     "DSLR (SIGMOD'18) 6.1: DrTM with DSLR's timeout",
                     {{"lease", microseconds(400)},
                      {"reserve", Duration{}},
                      {"short_lease", "wait"},
                      {"timeout_tries", 16}}},
                    {"drtm_code",
                     "DrTM's published code: writers take over leases before their end",
                     {{"lease", microseconds(400)},
                      {"delta", microseconds(200)},
                      {"reserve", Duration{}},
                      {"takeover", "not_valid"}}}},
       .printed = {"epoch=unix_truncated", "takeover=not_valid"},
       .small_model = {{"lease", microseconds(20)},
                       {"delta", nanoseconds(500)},
                       {"reserve", microseconds(5)},
                       {"backoff_first", microseconds(1)},
                       {"backoff_bound", microseconds(8)}},
       .claims = drtm_claims,
       .longest_timeout = [](const Options& options) { return options.lease + options.delta * 2; },
       .longest_shared_grant = [](const Options& options) { return options.lease; },
       .contradiction = drtm_contradiction});
}

}  // namespace latchlab
