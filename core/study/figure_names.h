#pragma once
// The words of `report.figures`: swept and other paths of a scenario, columns of the tables of
// points, metrics.

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Puts "label", "clients", a path or a metric's path in place of each word; a word that names
// nothing is an error with its place.
Status name_figures(Scenario& scenario);

}  // namespace latchlab
