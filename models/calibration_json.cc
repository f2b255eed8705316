// Writes a calibration as JSON: times in ns, rates per second.

#include "core/base/json.h"
#include "models/calibration.h"

namespace latchlab {
namespace {
Json constants_json(const Calibration& calibration) {
  Json all = Json::array();
  for (const FittedConstant& c : calibration.constants) {
    Json moved = Json::object();
    for (const auto& [run, share] : c.moved_by) moved[run] = share;
    all.push_back({{"constant", c.given.key},
                   {"start", c.given.start},
                   {"bounds", {c.given.low, c.given.high}},
                   {"value", c.value},
                   {"interval", {c.low, c.high}},
                   {"interval_alone", {c.alone_low, c.alone_high}},
                   {"widened_by", c.widened_by},
                   {"held", c.held},
                   {"status", c.fitted ? "fitted" : "assumed"},
                   {"moved_by", moved}});
  }
  return all;
}

Json observations_json(const FitSpec& spec, const Calibration& calibration) {
  Json all = Json::array();
  for (std::size_t i = 0; i < spec.observations.size(); ++i) {
    const Observation& o = spec.observations[i];
    const double sigma = sigma_of(o);
    all.push_back({{"run", spec.runs[o.run].id},
                   {"over", o.over ? Json(spec.runs[*o.over].id) : Json()},
                   {"metric", o.metric},
                   {"published", o.value},
                   {"predicted", calibration.predictions[i].value},
                   {"sigma", sigma},
                   {"residual", calibration.predictions[i].residual},
                   {"fitted", o.fitted},
                   {"source", o.source}});
  }
  return all;
}

Json repeated_json(const std::vector<RepeatedFit>& fits) {
  Json all = Json::array();
  for (const RepeatedFit& fit : fits)
    all.push_back({{"with", fit.what},
                   {"values", fit.values},
                   {"chi2", fit.chi2},
                   {"as_good", fit.equally_good}});
  return all;
}

Json sensitivity_json(const Calibration& calibration) {
  Json all = Json::array();
  for (const SensitivityResult& row : calibration.sensitivity)
    all.push_back({{"with", row.id},
                   {"chi2", row.chi2},
                   {"most_moved", row.most_moved},
                   {"most_moved_ratio", row.most_moved_ratio},
                   {"conclusions", row.conclusions}});
  return all;
}

}  // namespace

std::string calibration_json(const FitSpec& spec, const Calibration& calibration) {
  Json free = Json::array();
  for (const FreeConstant& constant : spec.free) free.push_back(constant.key);
  Json fitted = Json::array();
  for (const std::size_t column : calibration.fitted_columns) fitted.push_back(free[column]);
  Json conclusions = Json::array();
  for (std::size_t i = 0; i < spec.conclusions.size(); ++i)
    conclusions.push_back({{"id", spec.conclusions[i].id}, {"value", calibration.conclusions[i]}});
  const Json document = {{"schema", 1},
                         {"fit", spec.name},
                         {"nic", spec.nic},
                         {"chi2", calibration.best.chi2},
                         {"degrees", calibration.best.degrees},
                         {"constants", constants_json(calibration)},
                         {"free", free},
                         {"fitted", fitted},
                         {"dropped", calibration.dropped},
                         {"singular_values", calibration.all_free_says.singular_values},
                         {"directions", calibration.all_free_says.directions},
                         {"correlation_all_free", calibration.all_free_says.correlation},
                         {"correlation", calibration.best_says.correlation},
                         {"profiles", repeated_json(calibration.profiles)},
                         {"readings", repeated_json(calibration.readings)},
                         {"observations", observations_json(spec, calibration)},
                         {"conclusions", conclusions},
                         {"sensitivity", sensitivity_json(calibration)}};
  return dump_json(document, 1) + "\n";
}

}  // namespace latchlab
