// Writes a calibration as a Markdown page.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "models/calibration.h"

namespace latchlab {
namespace {

constexpr double kStrong = 0.9;  // stronger correlations are reported

std::string status_of(const FittedConstant& constant) {
  return constant.fitted ? "fitted" : "assumed";
}

// In the metric's unit; times are in ns.
std::string number(const std::string& metric, double value) {
  if (metric.find("share") != std::string::npos) return fmt::format("{:.2f}%", value * 100);
  if (value >= 1e6) return fmt::format("{:.3f} M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.2f} k", value / 1e3);
  return fmt::format("{:.1f}", value);
}

std::string bounds(const std::string& key, double low, double high) {
  return fmt::format("{} to {}", constant_text(key, low), constant_text(key, high));
}

std::string tenth(const std::string& key, double value) {
  return constant_text(key, std::round(value * 10) / 10);
}

class Page {
 public:
  Page(const FitSpec& spec, const Calibration& calibration) : spec_(spec), all_(calibration) {}

  std::string text() {
    heading();
    constants();
    identifiability();
    repeated("What else would fit as well", "Each line holds one constant and fits the rest again.",
             all_.profiles, true);
    repeated("Other readings of the data", "Each line reads the data otherwise and fits again.",
             all_.readings, false);
    observations(true);
    observations(false);
    sensitivity();
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Arguments>(arguments)...);
    out_ += '\n';
  }

  std::vector<std::string> fitted_names() const {
    std::vector<std::string> names;
    for (const std::size_t column : all_.fitted_columns) names.push_back(spec_.free[column].key);
    return names;
  }

  void heading() {
    line("# Calibration of {}\n", spec_.nic);
    line("Written by `latchlab calibrate {} --out models/fits`; do not edit. {}\n", spec_.name,
         spec_.description);
  }

  void constants() {
    line("## Constants\n");
    line("| constant | start | fitted | interval | bounds | status | moved by |");
    line("|---|---|---|---|---|---|---|");
    for (const FittedConstant& c : all_.constants) {
      std::string moved;
      for (const auto& [run, share] : c.moved_by)
        moved += fmt::format("{}{} {:.0f}%", moved.empty() ? "" : ", ", run, share * 100);
      line("| {} | {} | {} | {} | {} | {} | {} |", c.given.key,
           constant_text(c.given.key, c.given.start), tenth(c.given.key, c.value),
           fmt::format("{} to {}", tenth(c.given.key, c.low), tenth(c.given.key, c.high)),
           bounds(c.given.key, c.given.low, c.given.high), status_of(c),
           c.held ? "nothing: held at its start" : moved);
    }
    line("");
    for (const FittedConstant& c : all_.constants) {
      line("- `{}`: bounds: {}", c.given.key, c.given.source);
      if (!c.held)
        line("  Its own 95% interval is {} to {}; widened by: {}.", tenth(c.given.key, c.alone_low),
             tenth(c.given.key, c.alone_high),
             c.widened_by.empty() ? "nothing" : fmt::format("{}", fmt::join(c.widened_by, ", ")));
    }
    line("\nchi^2 is {:.2f} with {} degrees of freedom.\n", all_.best.chi2, all_.best.degrees);
  }

  void identifiability() {
    line("## What the data can tell\n");
    line("Singular values of the weighted derivatives with respect to the logarithms of all free");
    line("constants, and their directions. A direction is known to about 1/(singular value); one");
    line("whose singular value is near or below 1 is not known at all.\n");
    line("| singular value | {} |", fmt::join(names_of_free(), " | "));
    line("|---|{}", rule(spec_.free.size()));
    for (std::size_t k = 0; k < all_.all_free_says.singular_values.size(); ++k)
      line("| {:.2f} | {:.2f} |", all_.all_free_says.singular_values[k],
           fmt::join(all_.all_free_says.directions[k], " | "));
    line("");
    if (!all_.dropped.empty())
      line("Held at their start because the data do not tell them, in this order: {}.\n",
           fmt::join(all_.dropped, ", "));
    correlation("Correlations with all of them free:", names_of_free(),
                all_.all_free_says.correlation);
    correlation("Correlations of the fit:", fitted_names(), all_.best_says.correlation);
  }

  static std::string rule(std::size_t columns) {
    std::string all;
    for (std::size_t i = 0; i < columns; ++i) all += "---|";
    return all;
  }

  std::vector<std::string> names_of_free() const {
    std::vector<std::string> names;
    for (const FreeConstant& free : spec_.free) names.push_back(free.key);
    return names;
  }

  void correlation(const char* title, const std::vector<std::string>& names, const Matrix& rows) {
    line("{}\n", title);
    line("| | {} |", fmt::join(names, " | "));
    line("|---|{}", rule(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i)
      line("| {} | {:.2f} |", names[i], fmt::join(rows[i], " | "));
    std::string strong;
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = i + 1; j < names.size(); ++j)
        if (std::abs(rows[i][j]) > kStrong)
          strong += fmt::format("{}{} with {} ({:.2f})", strong.empty() ? "" : ", ", names[i],
                                names[j], rows[i][j]);
    line("\nBeyond {}: {}.\n", kStrong, strong.empty() ? "none" : strong);
  }

  void repeated(const char* title, const char* about, const std::vector<RepeatedFit>& fits,
                bool comparable) {
    if (fits.empty()) return;
    line("## {}\n\n{}\n", title, about);
    const std::vector<std::string> names = fitted_names();
    line("| with | {} | chi^2 |{}", fmt::join(names, " | "), comparable ? " as good |" : "");
    line("|---|{}---|{}", rule(names.size()), comparable ? "---|" : "");
    for (const RepeatedFit& fit : fits) {
      std::vector<std::string> values;
      for (std::size_t j = 0; j < names.size(); ++j)
        values.push_back(tenth(names[j], fit.values[j]));
      line("| {} | {} | {:.2f} |{}", fit.what, fmt::join(values, " | "), fit.chi2,
           comparable ? (fit.equally_good ? " yes |" : " no |") : "");
    }
    line("");
    std::string said;
    for (const RepeatedFit& fit : fits) {
      const std::string name = fit.what.substr(0, fit.what.find(" = "));
      if (name != said && !fit.because.empty()) line("- `{}`: {}", name, fit.because);
      said = name;
    }
    line("");
  }

  void observations(bool fitted) {
    line("## {}\n", fitted ? "Observations that were fitted" : "Observations compared, not fitted");
    line("Times in ns, rates per second. The error is predicted over published, less one{}.\n",
         fitted ? "; the\nresidual is in standard deviations of the observation" : "");
    line("| run | metric | published | predicted | error |{}", fitted ? " residual |" : "");
    line("|---|---|---|---|---|{}", fitted ? "---|" : "");
    std::string sources;
    std::string last;
    for (std::size_t i = 0; i < spec_.observations.size(); ++i) {
      const Observation& o = spec_.observations[i];
      if (o.fitted != fitted) continue;
      const Predicted& p = all_.predictions[i];
      const auto shown = [&](double value) {
        return o.over ? fmt::format("{:.2f}", value) : number(o.metric, value);
      };
      line("| {} | {} | {} | {} | {:+.1f}% |{}", runs_of(spec_, o), o.metric, shown(o.value),
           shown(p.value), (p.value / o.value - 1) * 100,
           fitted ? fmt::format(" {:+.2f} |", p.residual) : "");
      if (const std::string run = runs_of(spec_, o); run != last)
        sources += fmt::format("- `{}`: {}\n", last = run, o.source);
    }
    line("\n{}", sources);
  }

  void sensitivity() {
    if (all_.sensitivity.empty()) return;
    line("## Sensitivity\n");
    line("What changes if a constant were another and nothing were fitted again: chi^2 of the");
    line("fitted observations, the one among them that moves most, and conclusions that no");
    line("constant was fitted to.\n");
    for (const Conclusion& conclusion : spec_.conclusions)
      line("- `{}`: {}", conclusion.id, conclusion.says);
    std::string ids;
    for (const Conclusion& conclusion : spec_.conclusions) ids += " " + conclusion.id + " |";
    line("\n| with |{} chi^2 | moves most |", ids);
    line("|---|{}---|---|", rule(spec_.conclusions.size()));
    line("| the fit |{} {:.1f} | |", conclusions(all_.conclusions), all_.best.chi2);
    for (const SensitivityResult& row : all_.sensitivity)
      line("| {} |{} {:.1f} | {} |", row.id, conclusions(row.conclusions), row.chi2,
           row.most_moved.empty()
               ? "nothing"
               : fmt::format("{} x{:.3f}", row.most_moved, row.most_moved_ratio));
  }

  std::string conclusions(const std::vector<double>& values) const {
    std::string all;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Conclusion& conclusion = spec_.conclusions[i];
      all += conclusion.over ? fmt::format(" {:.2f} |", values[i])
                             : fmt::format(" {} |", number(conclusion.metric, values[i]));
    }
    return all;
  }

  const FitSpec& spec_;
  const Calibration& all_;
  std::string out_;
};

}  // namespace

std::string calibration_page(const FitSpec& spec, const Calibration& calibration) {
  return Page(spec, calibration).text();
}

}  // namespace latchlab
