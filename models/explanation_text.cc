// Writes an explanation of errors as sentences and as JSON.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "models/explanation.h"
#include "models/measured/benchmarks.h"

namespace latchlab {
namespace {
constexpr std::size_t kMostKeys = 12;

std::string keys_text(const std::vector<std::string>& keys) {
  std::string text;
  for (std::size_t i = 0; i < std::min(keys.size(), kMostKeys); ++i)
    text += (text.empty() ? "" : ", ") + keys[i];
  if (keys.size() > kMostKeys) text += fmt::format(" and {} more", keys.size() - kMostKeys);
  return text;
}

std::string factor_text(const FactorOf& by) {
  return fmt::format("{} x {:.3g} ({:.3g} to {:.3g}), {} in place of {}", by.constant, by.factor,
                     by.low, by.high, by.becomes, by.value);
}

// Root mean square, in standard errors.
double size_of(double chi2, const Explanation& found) {
  return std::sqrt(chi2 / static_cast<double>(found.numbers));
}

std::string what_is_left(const ExplainedBy& by, const Explanation& found) {
  return fmt::format("they shrink from {:.2g} to {:.2g} times what chance makes{}",
                     size_of(found.chi2, found), size_of(by.chi2, found),
                     by.all_but_chance ? "" : ", and more than chance is left");
}

// Those that explain the errors, each once.
std::vector<std::string> constants_of(const Explanation& found) {
  std::vector<std::string> all;
  const auto add = [&](const ExplainedBy& explained) {
    for (const FactorOf& each : explained.by)
      if (std::find(all.begin(), all.end(), each.constant) == all.end())
        all.push_back(each.constant);
  };
  for (const ExplainedBy& each : found.alone) add(each);
  if (found.together) add(*found.together);
  return all;
}

// What measures them on the RNIC itself; empty: nothing to measure.
std::string settled_by(const std::vector<std::string>& constants) {
  std::string measured, open;
  for (const std::string& constant : constants) {
    const std::vector<std::string> by = benchmarks_for(constant);
    std::string& text = by.empty() ? open : measured;
    text += (text.empty() ? "" : ", ") + constant;
    if (!by.empty())
      text += fmt::format(" (benchmark{} {})", by.size() > 1 ? "s" : "", fmt::join(by, ", "));
  }
  if (!measured.empty()) measured = "latchlab calibrate --backend ibverbs measures " + measured;
  if (!open.empty()) open = "no benchmark of latchlab calibrate measures " + open;
  return measured + (measured.empty() || open.empty() ? "" : "; ") + open;
}

Json explained_json(const ExplainedBy& explained) {
  Json json = {{"chi2", explained.chi2}, {"all_but_chance", explained.all_but_chance}};
  Json& by = json["by"] = Json::array();
  for (const FactorOf& each : explained.by)
    by.push_back({{"nic", each.nic},
                  {"constant", each.constant},
                  {"factor", each.factor},
                  {"low", each.low},
                  {"high", each.high},
                  {"value", each.value},
                  {"becomes", each.becomes}});
  return json;
}

}  // namespace

std::vector<std::string> sentences(const Explanation& found) {
  std::vector<std::string> all;
  const std::string numbers =
      fmt::format("the errors of {} numbers at {} points", found.numbers, found.points);
  if (found.within_chance) {
    all.push_back(numbers + " are within chance: there is nothing to explain");
  } else if (found.alone.empty()) {
    all.push_back("no constant of the model alone explains " + numbers);
  } else {
    const ExplainedBy& best = found.alone.front();
    all.push_back(fmt::format("of all constants, {} explains {} best: {}", factor_text(best.by[0]),
                              numbers, what_is_left(best, found)));
    for (std::size_t i = 1; i < found.alone.size(); ++i)
      all.push_back(fmt::format("it cannot be told apart here from {}, which explains them as well",
                                factor_text(found.alone[i].by[0])));
  }
  if (found.together)
    all.push_back(
        fmt::format("two together explain more: {} and {}: {}", factor_text(found.together->by[0]),
                    factor_text(found.together->by[1]), what_is_left(*found.together, found)));
  if (const std::string how = settled_by(constants_of(found)); !how.empty()) all.push_back(how);
  if (!found.inert.empty())
    all.push_back("undetermined, for they change no event here: " + keys_text(found.inert));
  if (!found.weak.empty())
    all.push_back(
        fmt::format("undetermined, for nothing moves beyond chance when they are {} times "
                    "as great: {}",
                    kExplainLeap, keys_text(found.weak)));
  if (!found.fixed.empty())
    all.push_back(
        "not asked, for no factor moves what is 0, a size, a curve or a small whole "
        "number: " +
        keys_text(found.fixed));
  return all;
}

std::string explanation_json(const Explanation& found) {
  Json json = {{"points", found.points},
               {"numbers", found.numbers},
               {"chi2", found.chi2},
               {"within_chance", found.within_chance}};
  Json& alone = json["alone"] = Json::array();
  for (const ExplainedBy& each : found.alone) alone.push_back(explained_json(each));
  json["together"] = found.together ? explained_json(*found.together) : Json();
  Json& measured = json["measured_by"] = Json::object();
  for (const std::string& constant : constants_of(found))
    measured[constant] = benchmarks_for(constant);
  json["undetermined"] = {{"inert", found.inert}, {"weak", found.weak}, {"fixed", found.fixed}};
  json["says"] = sentences(found);
  return dump_json(json, 1) + "\n";
}

}  // namespace latchlab
