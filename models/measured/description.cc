#include "models/measured/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "core/scenario/fields.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/quantities.h"
#include "models/fit_spec.h"
#include "models/measured/benchmarks.h"

namespace latchlab {
namespace {

enum class End { low, value, high };

// Rounded to four digits; bounds of an interval are rounded outwards.
std::int64_t rounded(double number, End end) {
  const double step =
      std::max(1.0, std::pow(10, std::floor(std::log10(std::max(1.0, number))) - 3));
  const double steps = number / step;
  return std::llround(step * (end == End::low    ? std::floor(steps)
                              : end == End::high ? std::ceil(steps)
                                                 : std::round(steps)));
}

// "341.2ns", "107.2Gbps", "72", "0.66": a number in a description; for a curve, its end.
YamlNode number_text(const NicConstant& constant, double value, End end) {
  switch (constant.as_key.kind) {
    case KeyKind::curve:
      return write_number(rate_share(), std::llround(value * kPpb));
    case KeyKind::duration:
      return write_number(constant.as_key, rounded(value * kPsPerNs, end));
    case KeyKind::bit_rate:
      return write_number(constant.as_key, rounded(value, end));
    default:
      return write_number(constant.as_key, std::llround(value));
  }
}

YamlNode value_of(const NicConstant& constant, const FoundConstant& found) {
  if (constant.as_key.kind != KeyKind::curve) return number_text(constant, found.value, End::value);
  YamlNode curve = yaml_sequence();
  for (const RatePoint& point : found.curve) {
    YamlNode pair = yaml_sequence();
    pair.items = {yaml_text(std::to_string(point.qps)), write_number(rate_share(), point.rate_ppb)};
    curve.items.push_back(std::move(pair));
  }
  return curve;
}

YamlNode constant_node(const NicConstant& constant, const FoundConstant& found,
                       const Estimate& estimate, const MeasuredWhere& where) {
  YamlNode node = yaml_map();
  node.set("value", value_of(constant, found));
  node.set("status", yaml_text(name_of(ConstantStatus::fitted)));
  YamlNode range = yaml_sequence();
  range.items = {number_text(constant, found.low, End::low),
                 number_text(constant, found.high, End::high)};
  node.set("range", std::move(range));
  node.set("source",
           yaml_text(fmt::format("measured{}, {}, benchmark{} {}, {} repeats",
                                 where.software ? " on a device that is software" : "",
                                 where.date.substr(0, 10), found.by.size() == 1 ? "" : "s",
                                 fmt::join(found.by, ", "), estimate.repeats)));
  return node;
}

// A file for models/cpu/stacks; empty: it was not measured.
std::string event_software(const Estimate& estimate, const MeasuredWhere& where) {
  if (!estimate.event_completion) return {};
  YamlNode stack = yaml_map();
  stack.set("name", yaml_text(where.name + "-events"));
  stack.set("says", yaml_text("clients that sleep until a completion raises an event"));
  stack.set("completions", yaml_text("event"));
  stack.set("latency", yaml_map())
      .set("completion", constant_node(*find_nic_constant("latency.completion"),
                                       *estimate.event_completion, estimate, where));
  return emit_yaml(stack);
}

std::string what_it_is(const MeasuredWhere& where) {
  std::string text;
  if (where.software)
    text +=
        "The device is software. The numbers say how fast this machine's CPU plays an RNIC, and "
        "nothing of any RNIC.\n";
  if (where.one_machine)
    text +=
        "All nodes were on one machine, whose RNIC looped verbs back and served both ends: rates "
        "are lower than between machines, and nothing is said of the network.\n";
  return text;
}

// Wraps prose at 98 characters; tables keep their lines.
std::string commented(const std::string& text, bool prose) {
  constexpr std::size_t kColumns = 98;
  std::string lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    while (prose && line.size() > kColumns) {
      const std::size_t at = line.rfind(' ', kColumns);
      lines += "# " + line.substr(0, at) + "\n";
      line.erase(0, at + 1);
    }
    lines += line.empty() ? "#\n" : "# " + line + "\n";
  }
  return lines;
}

std::string open_table(const Estimate& estimate) {
  std::string text;
  for (const OpenConstant& each : estimate.open)
    text += fmt::format("{:36} {}\n", each.key, each.why);
  return text;
}

std::string residual_table(const Estimate& estimate,
                           const std::map<std::string, double>& perftest) {
  std::string text = fmt::format("{:24} {:>12} {:>12} {:>7}{}\n", "ns", "measured", "model",
                                 "sigmas", perftest.empty() ? "" : "     perftest");
  for (const Residual& each : estimate.residuals) {
    text += fmt::format("{:24} {:>12.2f} ", each.name, each.measured);
    if (each.predicted > 0)
      text += fmt::format("{:>12.2f} {:>+7.1f}", each.predicted,
                          (each.measured - each.predicted) / each.sigma);
    else
      text += fmt::format("{:>12} {:>7}", "-", "-");
    const auto beside = perftest.find(each.name);
    if (!perftest.empty())
      text += beside == perftest.end() ? fmt::format(" {:>12}", "-")
                                       : fmt::format(" {:>12.2f}", beside->second);
    text += each.compared ? "  compared only\n" : "\n";
  }
  return text + fmt::format("reduced chi^2 {:.2f}\n", estimate.reduced_chi2);
}

}  // namespace

void leave_the_network_open(Estimate& estimate) {
  for (const char* key : {"latency.one_way", "link.rate", "link.overhead"}) {
    const auto is = [&](const FoundConstant& each) { return each.key == key; };
    if (std::erase_if(estimate.found, is) > 0)
      estimate.open.push_back({key, "all nodes were on one machine"});
  }
}

std::string nic_description(const Estimate& estimate, const MeasuredWhere& where) {
  YamlNode description = yaml_map();
  description.set("name", yaml_text(where.name));
  description.set("device", yaml_text(where.device));
  if (!where.base.empty()) description.set("base", yaml_text(where.base));
  for (const NicConstant& constant : nic_constants()) {
    const FoundConstant* const found = estimate.find(constant.key());
    if (found == nullptr) continue;
    YamlNode* section = description.find(constant.section);
    if (section == nullptr) section = &description.set(constant.section, yaml_map());
    section->set(constant.name, constant_node(constant, *found, estimate, where));
  }
  std::string head = fmt::format("{}: measured by latchlab calibrate on {}.\n{}\n{}", where.name,
                                 where.device, where.date, what_it_is(where));
  head +=
      "\nIntervals are of 95 %, for all constants together. What was not determined is left out: a "
      "scenario that uses this file needs a line 'base: NAME' in it, from which the rest comes, as "
      "assumed.\n\nLeft open:\n";
  std::string text = commented(head, true) + commented(open_table(estimate), false) +
                     "#\n# Residuals:\n" + commented(residual_table(estimate, {}), false);
  if (const std::string software = event_software(estimate, where); !software.empty())
    text +=
        "#\n# Software that learns of completions by event, a file for models/cpu/stacks:\n#\n" +
        commented(software, false);
  return text + "\n" + emit_yaml(description);
}

std::string measured_report(const Estimate& estimate, const MeasuredWhere& where,
                            const std::map<std::string, double>& perftest) {
  std::string text =
      fmt::format("{}: {}, {}\n{}\n", where.name, where.device, where.date, what_it_is(where));
  text +=
      fmt::format("{:34} {:>12}  {:26} {}\n", "constant", "value", "95 % interval", "benchmarks");
  const auto add_line = [&text](const NicConstant& constant, const std::string& name,
                                const FoundConstant& each) {
    const std::string interval = number_text(constant, each.low, End::low).text + " to " +
                                 number_text(constant, each.high, End::high).text;
    text += fmt::format("{:34} {:>12}  {:26} {}\n", name,
                        number_text(constant, each.value, End::value).text, interval,
                        fmt::join(each.by, ", "));
  };
  for (const FoundConstant& each : estimate.found)
    add_line(*find_nic_constant(each.key), each.key, each);
  if (estimate.event_completion)
    add_line(*find_nic_constant("latency.completion"), "latency.completion, by event",
             *estimate.event_completion);
  text += "\nLeft open\n" + open_table(estimate);
  for (const std::string& why : estimate.unused) text += "not used: " + why + "\n";
  return text + "\nMeasured, and what the constants give\n" + residual_table(estimate, perftest);
}

Result<std::map<std::string, double>> read_perftest(const std::string& text,
                                                    const std::string& file) {
  std::map<std::string, double> all;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::size_t comma = line.find(',');
    const std::string label = line.substr(0, std::min(comma, line.find_last_not_of(" \t\r") + 1));
    char* end = nullptr;
    const double ns = comma == std::string::npos ? 0 : std::strtod(line.c_str() + comma + 1, &end);
    if (!(ns > 0) || benchmark_of(label) == nullptr)
      return Error{fmt::format("{}:{}: '{}': expected a point of a benchmark and nanoseconds, such "
                               "as read_8, 1790",
                               file, number, line),
                   {}};
    all[label] = ns;
  }
  return all;
}

}  // namespace latchlab
