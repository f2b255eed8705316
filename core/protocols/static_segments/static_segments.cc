#include "core/protocols/static_segments/static_segments.h"

#include "core/protocols/common/entry.h"
#include "core/protocols/dslr/protocol.h"
#include "core/protocols/static_segments/client.h"

namespace latchlab {
namespace {

using static_segments::Options;

constexpr std::uint64_t kMostSegments = std::uint64_t{1} << 31U;

class Segments final : public ProtocolOf<Options, static_segments::Client> {
 public:
  explicit Segments(const Options& options) : ProtocolOf(options), one_(options) {}

  Layout layout(const Shape& shape) const override {
    const std::uint64_t bytes = one_.layout(shape).entry_bytes;
    return {.entry_bytes = bytes * options_.segments(), .entry_align = bytes};
  }
  Limits limits() const override { return one_.limits(); }
  std::vector<Capability> needs() const override { return one_.needs(); }
  bool is_free(RemoteAddr entry, std::span<const std::uint64_t> words) const override {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (!one_.is_free(entry + 8 * i, words.subspan(i, 1))) return false;
    return true;
  }
  // Lists only the segments in use.
  std::string decode(std::span<const std::uint64_t> words) const override {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] != 0)
        text += (text.empty() ? "" : "; ") + std::to_string(i) + ": " +
                one_.decode(words.subspan(i, 1));
    return text.empty() ? "unused" : text;
  }

 private:
  dslr::TicketLock<dslr::Options, dslr::Client> one_;
};

std::string contradiction(const Options& options) {
  if (options.segments() > kMostSegments)
    return "units is " + std::to_string(options.units) + " and segment is " +
           std::to_string(options.segment) + ", which makes " + std::to_string(options.segments()) +
           " segments, more than " + std::to_string(kMostSegments) +
           "; raise segment, or lower units";
  return dslr::late_release_contradiction(options);
}

Claims segment_claims(const Options& options) {
  if (options.lease.ps == 0) return never_recovers();
  Claims claims = recovers_by_leases(options.lease / 2);
  for (const Mishap mishap : {Mishap::client_crash, Mishap::process_crash, Mishap::node_crash,
                              Mishap::forgotten_release, Mishap::long_section, Mishap::long_cut})
    if (options.segments() > 1) claims.loses(mishap, Keeps::progress);
  // The lease begins with the first segment.
  claims.ways_within = slowest(options.lease, 4 * static_cast<std::int64_t>(options.segments()));
  claims.timeouts = static_cast<std::int64_t>(options.segments());  // each may have to be repaired
  return claims;
}

}  // namespace

ProtocolEntry static_segments_entry() {
  return make_entry<Segments>(
      {.name = "static_segments",
       .summary =
           "segments of one size, each with a dslr lock; a range acquires those that it overlaps",
       .source = "CITRON (FAST'23) 2.2 and Table 1, its SS; DSLR (SIGMOD'18)",
       .shared_mode = true,
       .ranges = true,
       .fairness = "first come, first served at each segment; none between ranges",
       .handover = "tickets: waiters poll",
       .survives = "client crashes and stalls",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .shared_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}},
                 .exclusive_after_shared = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}},
       .params = {{"units", &Options::units, 1, std::int64_t{1} << 40U,
                   "units of an object; units beyond belong to the last segment"},
                  {"segment", &Options::segment, 1, std::int64_t{1} << 40U,
                   "units of a segment (CITRON 4.2: as many as a range has, 8 times as many, or an "
                   "eighth)"},
                  {"parts", &Options::parts, 1, 64,
                   "parts of a unit; above 1, `segment` counts parts instead of units: 8, with a "
                   "segment of 1, are 8 locks for each unit"},
                  {"releases", &Options::releases, "together|one_by_one",
                   "whether the segments of a range are released at once (assumed)"},
                  {"ticket_bits", &Options::ticket_bits, 3, 16,
                   "bits of each counter; COUNT_MAX = 2^(bits-1) (DSLR 4.9)"},
                  {"lease", &Options::lease, Duration{}, seconds(60),
                   "longest hold of a segment; 0: failures are not detected (DSLR 4.1)"},
                  {"late_release", &Options::late_release,
                   "suppress|suppress_unless_reset|always|unless_repaired",
                   "a segment that is released after its lease: suppress: stays locked until a "
                   "client repairs it (DSLR 4.8); unless_repaired: is freed by CAS if no client "
                   "has repaired it (assumed)"},
                  {"omega", &Options::omega, Duration{}, milliseconds(1),
                   "pause between READs for each ticket ahead (DSLR 4.6)"},
                  {"backoff_first", &Options::backoff_first, Duration{}, seconds(1),
                   "R: bound of the first random backoff after a failed acquisition; 0: no backoff "
                   "(DSLR A.3)"},
                  {"backoff_bound", &Options::backoff_bound, Duration{}, seconds(10),
                   "L: the longest backoff (DSLR A.3)"}},
       .profiles = {{"citron_baseline", "CITRON (FAST'23) 2.2, with dslr as repaired"},
                    {"suppressed",
                     "CITRON (FAST'23) 2.2, with the release of DSLR (SIGMOD'18) 4.8",
                     {{"late_release", "suppress"}}}},
       .printed = {"late_release=always", "late_release=suppress_unless_reset"},
       .small_model = {{"units", 2},
                       {"segment", 1},
                       {"ticket_bits", 3},
                       {"lease", microseconds(100)},
                       {"omega", microseconds(1)},
                       {"backoff_first", microseconds(1)},
                       {"backoff_bound", microseconds(8)}},
       .claims = segment_claims,
       .longest_timeout = [](const Options& options) { return options.lease * 2; },
       .longest_grant = [](const Options& options) { return options.lease; },
       .contradiction = contradiction});
}

}  // namespace latchlab
