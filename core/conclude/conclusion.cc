#include "core/conclude/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/conclude/caveat.h"
#include "core/conclude/comparison.h"
#include "core/conclude/figure_lines.h"
#include "core/conclude/values.h"
#include "core/measure/statistics.h"
#include "core/run/study.h"

namespace latchlab {

namespace {

constexpr double kHopeless = 0.02;  // share of the best lock's goodput

struct Entry {
  std::string label;
  double goodput;
  std::size_t point;
  Caveat caveat;
};
using Entries = std::vector<Entry>;

bool is_of_protocol(const std::string& path) {
  return path == "protocol" || path.rfind("protocol.", 0) == 0;
}

// "With 240 clients", followed by the other swept values.
std::string configuration(const Scenario& scenario, const Point& point) {
  std::string text = fmt::format("With {} client{}", point.platform.clients(),
                                 point.platform.clients() == 1 ? "" : "s");
  for (const auto& [path, value] : point.axes)
    if (!is_of_protocol(path) && path.rfind("platform.client", 0) != 0 &&
        !is_window_of_locks(scenario, path))
      text += fmt::format(", {}={}", path, value);
  return text;
}

// In descending order of goodput; equal points in the order of the sweep.
Entries ranked(const Scenario& scenario, const StudyOutcome& outcome, bool everywhere) {
  Entries entries;
  const std::vector<std::size_t> first = same_runs(scenario);
  const std::vector<bool> counts = counting_points(scenario, outcome);
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    if (first[i] != i || !counts[i]) continue;
    const Point& point = scenario.points[i];
    const auto goodput = number_at(outcome.points[i].metrics(), "goodput_ops_s");
    const bool here = everywhere || same_configuration(scenario, point, scenario.points.back());
    if (here && goodput && outcome.points[i].sound())
      entries.push_back({lock_name(point), *goodput, i, caveat_of(outcome.points[i])});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(-a.goodput, a.point) < std::pair(-b.goodput, b.point);
  });
  return entries;
}

// "Known of 2 points of 20 (paper): no progress. "; empty: no known problem.
std::string known(const Scenario& scenario, const StudyOutcome& outcome) {
  std::size_t count = 0;
  std::set<std::string> labels, verdicts;
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    if (!why_known(scenario.points[i], outcome.points[i])) continue;
    ++count;
    labels.insert(scenario.points[i].protocol.label);
    verdicts.emplace(name_of(outcome.points[i].status()));
  }
  if (count == 0) return {};
  return fmt::format("Known of {} of {} points ({}): {}. ", count, outcome.points.size(),
                     fmt::join(labels, ", "), fmt::join(verdicts, ", "));
}

// A sentence "WHERE: TEXT."; no sentence if the text is empty.
struct Sentence {
  std::string where, text;
};

// "With 5 clients: CAS-NB violated mutual exclusion: ... (2 of 20 points failed)."
Sentence broken(const Scenario& scenario, const StudyOutcome& outcome) {
  std::size_t count = 0;
  Sentence first;
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const RepeatStatus status = outcome.points[i].status();
    if (why_known(scenario.points[i], outcome.points[i])) continue;
    if (status != RepeatStatus::unsafe && status != RepeatStatus::stuck &&
        status != RepeatStatus::no_progress)
      continue;
    if (count++ > 0) continue;
    const char* what =
        status == RepeatStatus::unsafe
            ? "violated mutual exclusion: two clients held conflicting grants at once"
        : status == RepeatStatus::stuck
            ? "is deadlocked: no client can proceed"
            : "made no progress: no client completed anything in a whole window";
    first = {configuration(scenario, scenario.points[i]),
             fmt::format("{} {}", scenario.points[i].protocol.label, what)};
  }
  if (count > 1)
    first.text += fmt::format(" ({} of {} points failed)", count, outcome.points.size());
  return first;
}

Entries without_caveat(const Entries& all) {
  Entries fine;
  for (const Entry& entry : all)
    if (entry.caveat == Caveat::none) fine.push_back(entry);
  return fine;
}

std::string caveats_of(const Entries& entries, const StudyOutcome& outcome) {
  std::string all;
  for (const Entry& entry : entries)
    all += (all.empty() ? "" : "; ") + caveat_text(entry.label, outcome.points[entry.point]);
  return all;
}

// `equals` are the locks between which it is open.
std::string what_may_decide(const Entries& equals, const StudyOutcome& outcome) {
  const Entry* widest = &equals.front();
  double most = 0;  // half of its interval, as a share of its goodput
  for (const Entry& each : equals) {
    const std::vector<double> repeats = values_of(outcome.points[each.point], kGoodput);
    const double share = half_width_95(repeats).value_or(0) / each.goodput;
    if (share > most) {
      most = share;
      widest = &each;
    }
  }
  const std::size_t made = outcome.points[widest->point].made();
  if (made < 5) return "more repeats may decide it (run.repeats: 5, or run.precision: 1%)";
  return fmt::format(
      "{} varies most, by +-{:.1f}% over {} repeats; a longer run.duration may decide it, or show "
      "that they are equal",
      widest->label, most * 100, made);
}

// Why a comparison names no winner.
std::string why_undecided(const Comparison& of) {
  if (!of.low) return "no confidence interval";
  const std::string interval = fmt::format("95% interval {:.3f} to {:.3f}", *of.low, *of.high);
  if (*of.low <= 1 && *of.high >= 1) return interval + " contains 1";
  if (of.ratio < kWorthNaming && of.ratio > 1 / kWorthNaming)
    return fmt::format("{}, and closer to 1 than {:.0f}%", interval, (kWorthNaming - 1) * 100);
  return interval + ", within these repeats: fewer than three do not show how much seeds differ";
}

// Whether the whole interval is so close to 1 that the two count as equal.
bool equal_for_sure(const Comparison& of) {
  return of.low && !of.few && *of.low > 1 / kWorthNaming && *of.high < kWorthNaming;
}

// The unsettled and starved entries that `best` does not certainly beat. An unsettled entry that is
// behind still counts if its goodput rises and is not hopelessly low. A starved entry counts,
// because a longer run would show whether its clients only wait longer than the window.
Entries rivals(const Entries& all, const Entry& best, const StudyOutcome& outcome) {
  Entries found;
  for (const Entry& entry : all) {
    const Halves halves = halves_of(outcome.points[entry.point]);
    const bool rises = halves.second > halves.first && halves.second > kHopeless * best.goodput;
    const auto lead = compare(outcome.points[best.point], outcome.points[entry.point], kGoodput);
    const bool behind = lead && lead->ahead == 1;
    const bool open = entry.caveat == Caveat::unsettled || entry.caveat == Caveat::starved;
    if (open && (!behind || (rises && entry.caveat == Caveat::unsettled))) found.push_back(entry);
  }
  return found;
}

// A run that begins too early settles no sooner for a longer window.
std::string what_settles(const Scenario& scenario, const Entries& open) {
  for (const Entry& entry : open)
    if (entry.caveat == Caveat::unsettled && scenario.points[entry.point].run.warmup)
      return "run.warmup: auto, or a longer run.duration,";
  return "a longer run.duration";
}

// The conclusion about one lock at several points, given in descending order of goodput.
Sentence of_its_points(const Scenario& scenario, const StudyOutcome& outcome,
                       const Entries& entries) {
  const Entry &best = entries.front(), &least = entries.back();
  const auto lead = compare(outcome.points[best.point], outcome.points[least.point], kGoodput);
  const std::string where = configuration(scenario, scenario.points[best.point]);
  if (lead && lead->ahead == 1)
    return {where, fmt::format("{} has the highest goodput of its {} points, {}; the lowest is {} "
                               "(w{})",
                               best.label, entries.size(), rate(best.goodput), rate(least.goodput),
                               configuration(scenario, scenario.points[least.point]).substr(1))};
  if (lead && equal_for_sure(*lead))
    return {"Everywhere",
            fmt::format("the goodput of {} is the same within {:.0f}% at its {} points ({})",
                        best.label, (kWorthNaming - 1) * 100, entries.size(), rate(best.goodput))};
  return {"Undecided",
          fmt::format("the goodput of {} is {} to {} at its {} points, and these differ by no more "
                      "than chance; {}",
                      best.label, rate(least.goodput), rate(best.goodput), entries.size(),
                      what_may_decide({best, least}, outcome))};
}

// The conclusion for a study with only one lock, or with only one lock that can be compared.
Sentence of_one_lock(const Scenario& scenario, const StudyOutcome& outcome) {
  const Entries all = ranked(scenario, outcome, true);
  const Entries entries = without_caveat(all);
  if (entries.empty()) {
    if (all.empty()) return {};
    return {"No conclusion", caveats_of(all, outcome)};
  }
  const Entry& best = entries.front();
  const std::string where = configuration(scenario, scenario.points[best.point]);
  if (entries.size() > 1) return of_its_points(scenario, outcome, entries);
  const Leaves metrics = outcome.points[best.point].metrics();
  const auto half = number_at(metrics, "acquire_ns.p50");
  const auto most = number_at(metrics, "acquire_ns.p99");
  std::string says = fmt::format("the goodput of {} is {}", best.label, rate(best.goodput));
  if (half && most)
    says += fmt::format("; acquisitions take {:.2f} us at the median and {:.2f} us at p99",
                        *half / 1e3, *most / 1e3);
  return {where, says};
}

// "mcs and CAS-B", "mcs, CAS-B and dslr".
std::string listed(const Entries& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i)
    text += (i == 0 ? "" : i + 1 == entries.size() ? " and " : ", ") + entries[i].label;
  return text;
}

// `against`: the first of them, compared with each of the rest.
std::string undecided(const Entries& equals, const std::vector<Comparison>& against,
                      const StudyOutcome& outcome) {
  if (std::all_of(against.begin(), against.end(), equal_for_sure))
    return fmt::format("the goodput of {} is the same within {:.0f}% ({})", listed(equals),
                       (kWorthNaming - 1) * 100, rate(equals.front().goodput));
  std::string pairs;
  for (std::size_t i = 0; i < against.size(); ++i)
    pairs += fmt::format("{}{:.3f}x {} ({})", i == 0 ? "" : ", ", against[i].ratio,
                         equals[i + 1].label, why_undecided(against[i]));
  return fmt::format("undecided between {}: {} has {}; {}", listed(equals), equals.front().label,
                     pairs, what_may_decide(equals, outcome));
}

std::string of_several(const StudyOutcome& outcome, const Entries& entries) {
  const Entry& best = entries.front();
  const auto against = [&](const Entry& other) {
    return *compare(outcome.points[best.point], outcome.points[other.point], kGoodput);
  };
  Entries equals = {best};
  std::vector<Comparison> comparisons;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (against(entries[i]).ahead == 1) continue;
    equals.push_back(entries[i]);
    comparisons.push_back(against(entries[i]));
  }
  if (equals.size() > 1) return undecided(equals, comparisons, outcome);
  return fmt::format("{} has the highest goodput, {}, {:.2f}x the runner-up ({}, {})", best.label,
                     rate(best.goodput), against(entries[1]).ratio, entries[1].label,
                     rate(entries[1].goodput));
}

}  // namespace

bool same_configuration(const Scenario& scenario, const Point& a, const Point& b) {
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const std::string& axis = a.axes[i].first;
    if (a.axes[i].second != b.axes[i].second && !is_of_protocol(axis) &&
        !is_window_of_locks(scenario, axis))
      return false;
  }
  return true;
}

std::vector<std::size_t> compared_points(const Scenario& scenario, const StudyOutcome& outcome) {
  std::vector<std::size_t> compared;
  std::set<std::string> seen;
  for (const Entry& entry : without_caveat(ranked(scenario, outcome, false)))
    if (entry.goodput > 0 && seen.insert(scenario.points[entry.point].protocol.label).second)
      compared.push_back(entry.point);
  return compared;
}

namespace {

Sentence of_the_best(const Scenario& scenario, const StudyOutcome& outcome) {
  if (!outcome.software.empty())
    return {"This validates behaviour, never speed",
            fmt::format("{}, so no lock is named", outcome.software)};
  const Entries all = ranked(scenario, outcome, false);
  const Entries entries = without_caveat(all);
  if (all.size() < 2) return of_one_lock(scenario, outcome);
  const std::string where = configuration(scenario, scenario.points.back());
  if (entries.empty()) return {where, "undecided: " + caveats_of(all, outcome)};
  const Entries open = rivals(all, entries.front(), outcome);
  Entries left_out;
  for (const Entry& entry : all)
    if (entry.caveat != Caveat::none &&
        std::none_of(open.begin(), open.end(),
                     [&](const Entry& rival) { return rival.point == entry.point; }))
      left_out.push_back(entry);
  std::string says;
  if (entries.size() > 1)
    says = of_several(outcome, entries);
  else if (open.empty())
    says =
        fmt::format("{} has the highest goodput, {}", entries[0].label, rate(entries[0].goodput));
  else
    says = fmt::format("only {} can be compared, {}", entries[0].label, rate(entries[0].goodput));
  if (!open.empty())
    says = fmt::format("undecided: {}; {} may decide it. Of the other locks, {}",
                       caveats_of(open, outcome), what_settles(scenario, open), says);
  if (!left_out.empty()) says += ". Left out: " + caveats_of(left_out, outcome);
  return {where, says};
}

}  // namespace

std::string conclusion(const Scenario& scenario, const StudyOutcome& outcome) {
  if (outcome.interrupted) return {};
  const Sentence wrong = broken(scenario, outcome);
  const Sentence best = of_the_best(scenario, outcome);
  std::string says = known(scenario, outcome);
  if (!wrong.text.empty()) says += fmt::format("{}: {}.", wrong.where, wrong.text);
  if (best.text.empty()) return says;
  if (!wrong.text.empty() && wrong.where == best.where)
    return fmt::format("{} Of the other locks, {}.", says, best.text);
  return fmt::format("{}{}{}: {}.", says, wrong.text.empty() ? "" : " ", best.where, best.text);
}

}  // namespace latchlab
