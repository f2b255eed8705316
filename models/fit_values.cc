// NIC constants as numbers, and the uncertainty of an observation.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/check.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/quantities.h"
#include "models/fit_spec.h"

namespace latchlab {
namespace {

// The NIC's integer for the constant; for a time, picoseconds.
std::int64_t& number_in(NicModel& nic, const std::string& key) {
  const NicConstant* constant = find_nic_constant(key);
  LATCHLAB_CHECK(constant != nullptr && is_number(key), "a fit changes what is not a number");
  if (const auto* time = std::get_if<Duration NicModel::*>(&constant->field))
    return (nic.*(*time)).ps;
  return nic.*std::get<std::int64_t NicModel::*>(constant->field);
}

double applied(const NicChange& change, double value) {
  switch (change.kind) {
    case NicChange::Kind::set:
      return change.amount;
    case NicChange::Kind::scale:
      return value * change.amount;
    case NicChange::Kind::add:
      break;
  }
  return value + change.amount;
}

}  // namespace

double unit_of(const std::string& constant) {
  const NicConstant* found = find_nic_constant(constant);
  if (found == nullptr) return 1;
  if (found->as_key.kind == KeyKind::duration) return kPsPerNs;
  return found->as_key.kind == KeyKind::ratio ? kPpb : 1;
}

bool is_number(const std::string& constant) {
  const NicConstant* found = find_nic_constant(constant);
  return found != nullptr && (std::holds_alternative<Duration NicModel::*>(found->field) ||
                              std::holds_alternative<std::int64_t NicModel::*>(found->field));
}

double constant_of(const NicModel& nic, const std::string& key) {
  NicModel copy = nic;
  return static_cast<double>(number_in(copy, key)) / unit_of(key);
}

NicModel changed(NicModel nic, const NicChanges& changes) {
  for (const NicChange& change : changes) {
    const double unit = unit_of(change.constant);
    std::int64_t& number = number_in(nic, change.constant);
    const double value = applied(change, static_cast<double>(number) / unit);
    number = std::llround(std::max(0.0, value) * unit);
  }
  return nic;
}

std::string constant_text(const std::string& constant, double value) {
  const double unit = unit_of(constant);
  const std::int64_t number = std::llround(value * unit);
  return unit == kPsPerNs ? format_duration({number})
         : unit == kPpb   ? format_decimal(number)
                          : format_count(number);
}

double sigma_of(const Observation& observation) {
  constexpr double kUniform = 1.7320508;  // half-width / standard deviation
  const double rounding = observation.rounding / kUniform / observation.value;
  return std::sqrt(rounding * rounding + observation.reading * observation.reading);
}

std::string runs_of(const FitSpec& spec, const Observation& observation) {
  const std::string& run = spec.runs[observation.run].id;
  return observation.over ? run + " / " + spec.runs[*observation.over].id : run;
}

std::string name_of(const FitSpec& spec, const Observation& observation) {
  return runs_of(spec, observation) + " " + observation.metric;
}

}  // namespace latchlab
