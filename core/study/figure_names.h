#pragma once
// Resolves the words of `report.figures`: paths of a scenario, columns of the point tables, and
// metrics.

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Replaces each word by "label", "clients", a path or a metric's path. An unknown word is an error
// with its place.
Status name_figures(Scenario& scenario);

}  // namespace latchlab
