#include "core/conclude/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/base/json.h"
#include "core/conclude/caveat.h"

namespace latchlab {
namespace {

// The metrics of a point; zero if not measured.
class Counts {
 public:
  explicit Counts(const PointOutcome& outcome) : metrics_(outcome.metrics()) {}
  const Leaves& metrics() const { return metrics_; }
  std::uint64_t operator[](const char* path) const {
    return static_cast<std::uint64_t>(number_at(metrics_, path).value_or(0));
  }

 private:
  Leaves metrics_;
};

// What a point has of a kind of remark; empty: nothing worth reporting.
using Find = std::string (*)(const Point&, const Counts&);

std::string cut_sections(const Point& /*point*/, const Counts& counts) {
  if (share_cut(counts.metrics()) <= kMostCut) return {};
  return fmt::format("{} of {} sections", counts["cut_sections"], counts["cycle_ns.count"]);
}

std::string expired_holds(const Point& /*point*/, const Counts& counts) {
  const std::uint64_t found = counts["safety.expired_holds"];
  return found == 0 ? "" : fmt::format("{} in {} grants", found, counts["safety.checks"]);
}

std::string late_effects(const Point& /*point*/, const Counts& counts) {
  const std::uint64_t found = counts["safety.late_effects"];
  return found == 0 ? "" : fmt::format("{} in {} grants", found, counts["safety.checks"]);
}

std::string aborted_tries(const Point& /*point*/, const Counts& counts) {
  const std::uint64_t aborted = counts["aborted_acquisitions"];
  const std::uint64_t acquired = counts["acquire_ns.count"];
  if (static_cast<double>(aborted) <= kManyAborts * static_cast<double>(acquired)) return {};
  return fmt::format("{} beside {} acquisitions", aborted, acquired);
}

std::string recoveries(const Point& point, const Counts& counts) {
  const std::uint64_t found = counts["recoveries"];
  const std::uint64_t acquired = counts["acquire_ns.count"];
  if (!point.faults.empty()) return {};
  if (static_cast<double>(found) <= kManyRecoveries * static_cast<double>(acquired)) return {};
  return fmt::format("{} beside {} acquisitions", found, acquired);
}

struct Kind {
  const char* word;
  const char* says;
  Find find;
};
constexpr std::array<Kind, 5> kKinds = {{
    {"cut sections",
     "A section is cut where a grant ends before its work is done. It counts in no goodput, and "
     "these points are compared with no other. Use a longer lease, or shorter sections",
     cut_sections},
    {"expired holds",
     "A lock was granted while a client whose own grant had ended still used it: two clients used "
     "the lock at once. The lock kept its promise, the holder did not keep to its grant: only "
     "fencing protects what the lock guards",
     expired_holds},
    {"late effects",
     "A release, an upgrade or an extension of a grant that had ended was carried out after the "
     "lock had been given to another client",
     late_effects},
    {"aborted tries",
     "Tries of an acquisition ended without the lock and were repeated, or what was held was given "
     "back. Acquisition times and bypasses include the repeated tries",
     aborted_tries},
    {"recoveries",
     "Clients recovered locks although no client failed: a timeout is too short for the sections, "
     "the queue or the retries of the RNICs, or a counter of the lock overflows",
     recoveries},
}};

}  // namespace

std::vector<Remark> remarks(const Scenario& scenario, const StudyOutcome& outcome) {
  std::vector<Remark> all;
  for (const Kind& kind : kKinds) all.push_back({kind.word, kind.says, {}});
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const Counts counts(outcome.points[i]);
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
      if (std::string found = kKinds[kind].find(scenario.points[i], counts); !found.empty())
        all[kind].points.push_back({i, std::move(found)});
  }
  std::erase_if(all, [](const Remark& remark) { return remark.points.empty(); });
  return all;
}

std::string remarks_json(const Scenario& scenario, const StudyOutcome& outcome) {
  Json all = Json::array();
  for (const Remark& remark : remarks(scenario, outcome)) {
    Json points = Json::array();
    for (const Remark::At& at : remark.points) points.push_back({at.point, at.found});
    all.push_back({{"word", remark.word}, {"says", remark.says}, {"points", std::move(points)}});
  }
  return dump_json(all);
}

}  // namespace latchlab
