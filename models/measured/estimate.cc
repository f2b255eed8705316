#include "models/measured/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "core/scenario/nic_constants.h"
#include "models/measured/benchmarks.h"

namespace latchlab {
namespace {

constexpr double kWorthNaming = 0.05;   // share of a constant's variance that is worth reporting
constexpr std::size_t kWorstNamed = 3;  // residuals that are reported
constexpr double kBitsOfByteNs = 8e9;   // bit/s = this / nanoseconds per byte

// Converts a time per byte into a rate, which swaps the bounds.
FoundConstant as_described(const std::string& key, double value, double half) {
  const bool byte = key == kLinkByte || key == kPcieByte;
  if (!byte) return {key, value, std::max(0.0, value - half), value + half, {}, {}};
  return {key == kLinkByte ? "link.rate" : "pcie.rate",
          kBitsOfByteNs / value,
          kBitsOfByteNs / (value + half),
          kBitsOfByteNs / (value - half),
          {},
          {}};
}

std::vector<std::string> benchmarks_of(const std::vector<Equation>& equations,
                                       const LinearFit::Column& column) {
  std::vector<std::pair<double, std::string>> shares;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const auto same = [&](const auto& each) { return each.second == equations[i].benchmark; };
    const auto found = std::find_if(shares.begin(), shares.end(), same);
    if (found == shares.end())
      shares.emplace_back(column.influence[i], equations[i].benchmark);
    else
      found->first += column.influence[i];
  }
  std::sort(shares.begin(), shares.end(), std::greater<>());
  std::vector<std::string> names;
  for (const auto& [share, name] : shares)
    if (share >= kWorthNaming) names.push_back(name);
  return names;
}

void take_column(const std::vector<Equation>& equations, const LinearFit::Column& column,
                 double errors, bool told, Estimate& to) {
  const FoundConstant as = as_described(column.key, column.value, errors * column.sigma);
  const bool of_nic = column.key != kEventCompletion;
  const auto open = [&](std::string why) {
    if (of_nic)
      to.open.push_back({as.key, std::move(why)});
    else
      to.unused.push_back("events: " + why);
  };
  if (!told) return open("no benchmark that is there for it has run");
  if (!column.determined) return open("what was measured only tells its sum with other constants");
  if (!(errors * column.sigma <= kWidest * column.value))
    return open(fmt::format("{:.1f} ns +- {:.1f} ns: wider than 10 %", column.value,
                            errors * column.sigma));
  FoundConstant& found = of_nic ? to.found.emplace_back(as) : to.event_completion.emplace(as);
  found.by = benchmarks_of(equations, column);
}

// Why the fit is not usable; empty: it is.
std::string why_bad(const std::vector<Equation>& equations, const LinearFit& fit) {
  bool numbers = std::isfinite(fit.reduced_chi2);
  for (const LinearFit::Column& column : fit.columns)
    numbers = numbers && std::isfinite(column.value) && std::isfinite(column.sigma);
  if (numbers && fit.reduced_chi2 <= kWorstChi2) return {};
  std::vector<std::pair<double, std::string>> worst;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const double measured = mean_of(equations[i].values).value;
    const double off = std::abs(measured - fit.predicted[i]) / fit.sigma[i];
    worst.emplace_back(
        std::isfinite(off) ? off : std::numeric_limits<double>::max(),
        fmt::format("{} of benchmark {} ({:.1f} ns measured, {:.1f} ns fitted)", equations[i].name,
                    equations[i].benchmark, measured, fit.predicted[i]));
  }
  std::sort(worst.begin(), worst.end(), std::greater<>());
  std::string text;
  for (std::size_t i = 0; i < std::min(worst.size(), kWorstNamed); ++i)
    text += (i == 0 ? "" : ", ") + worst[i].second;
  return fmt::format(
      "the fit is bad: reduced chi^2 is {:.3g}, and 1 where measurements agree with the model; "
      "worst: {}. Measure again on nodes that do nothing else, with more --repeats, or leave out "
      "benchmarks that contradict the others with --without",
      fit.reduced_chi2, text);
}

// Adds the predictions for measurements that were not fitted.
void compare(const std::vector<Equation>& equations, const LinearFit& fit, Estimate& to) {
  for (const Equation& equation : equations) {
    const Mean mean = mean_of(equation.values);
    const double of_mean = mean.relative_variance / static_cast<double>(mean.repeats);
    Residual residual{equation.name,
                      equation.benchmark,
                      mean.value,
                      0,
                      sigma_of_mean(of_mean, mean.value, equation.resolution),
                      true};
    bool known = true;
    for (const auto& [key, factor] : equation.sum) {
      const auto same = [&, name = key](const LinearFit::Column& each) { return each.key == name; };
      const auto column = std::find_if(fit.columns.begin(), fit.columns.end(), same);
      known = known && column != fit.columns.end();
      if (known) residual.predicted += factor * column->value;
    }
    if (!known) residual.predicted = 0;
    to.residuals.push_back(std::move(residual));
  }
}

std::size_t place_of(const std::string& key) {
  const auto& all = nic_constants();
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const NicConstant& c) { return c.key() == key; }) -
      all.begin());
}

// Makes every constant of a description either found or open, exactly once, in its order.
void complete(Estimate& estimate) {
  for (const NicConstant& constant : nic_constants()) {
    const std::string key = constant.key();
    const auto same = [&](const OpenConstant& each) { return each.key == key; };
    if (estimate.find(key) == nullptr &&
        std::none_of(estimate.open.begin(), estimate.open.end(), same))
      estimate.open.push_back({key, "not measured"});
  }
  const auto in_order = [](const auto& a, const auto& b) {
    return std::pair(place_of(a.key), a.key) < std::pair(place_of(b.key), b.key);
  };
  std::sort(estimate.found.begin(), estimate.found.end(), in_order);
  std::sort(estimate.open.begin(), estimate.open.end(), in_order);
}

}  // namespace

const FoundConstant* Estimate::find(const std::string& key) const {
  const auto found_at = std::find_if(found.begin(), found.end(),
                                     [&](const FoundConstant& each) { return each.key == key; });
  return found_at == found.end() ? nullptr : &*found_at;
}

Result<Estimate> estimate(const Measurements& measurements, const NicModel& packets) {
  Estimate result;
  Equations equations = equations_of(measurements, packets);
  std::erase_if(equations.all, [&](const Equation& equation) {
    const bool few = equation.values.size() < kLeastRepeats;
    if (few)
      equations.unused.push_back(fmt::format("{}: only {} repeats, and it takes {}", equation.name,
                                             equation.values.size(), kLeastRepeats));
    return few;
  });
  result.unused = equations.unused;
  const auto tells_nothing = [](const Equation& equation) { return equation.tells.empty(); };
  std::vector<Equation> compared;
  std::copy_if(equations.all.begin(), equations.all.end(), std::back_inserter(compared),
               tells_nothing);
  std::erase_if(equations.all, tells_nothing);
  if (equations.all.empty())
    return Error{
        fmt::format("nothing was measured that a constant could be fitted to{}{}",
                    equations.unused.empty() ? "" : "; ", fmt::join(equations.unused, "; ")),
        {}};
  const LinearFit fit = fit_equations(equations.all);
  if (std::string bad = why_bad(equations.all, fit); !bad.empty()) return Error{std::move(bad), {}};
  result.reduced_chi2 = fit.reduced_chi2;
  const double errors =
      student_interval((1 - kConfidence) / static_cast<double>(fit.columns.size()), fit.degrees);
  result.repeats = ~std::size_t{0};
  std::set<std::string> told;
  for (std::size_t i = 0; i < equations.all.size(); ++i) {
    const Equation& equation = equations.all[i];
    told.insert(equation.tells.begin(), equation.tells.end());
    result.repeats = std::min(result.repeats, equation.values.size());
    result.residuals.push_back({equation.name, equation.benchmark, mean_of(equation.values).value,
                                fit.predicted[i], fit.sigma[i], false});
  }
  compare(compared, fit, result);
  for (const LinearFit::Column& column : fit.columns)
    take_column(equations.all, column, errors, told.count(column.key) > 0, result);
  find_counts(measurements, packets.mtu, errors, result);
  complete(result);
  return result;
}

}  // namespace latchlab
