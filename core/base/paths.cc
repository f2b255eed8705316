#include "core/base/paths.h"

#include <algorithm>

namespace latchlab::paths {

namespace {

// Initialised before any constructor runs: labels register themselves in unspecified order.
constinit detail::Path* first = nullptr;

}  // namespace

namespace detail {

Path::Path(std::string_view label) : label_(label), next_(first) {
  first = this;
}

}  // namespace detail

void record(bool on) {
  detail::recording = on;
}

void forget() {
  for (detail::Path* path = first; path != nullptr; path = path->next()) path->forget();
}

void reached_elsewhere(std::string_view label) {
  for (detail::Path* path = first; path != nullptr; path = path->next())
    if (path->state().label == label) path->reach();
}

std::vector<PathState> all(std::string_view prefix) {
  std::vector<PathState> states;
  for (const detail::Path* path = first; path != nullptr; path = path->next())
    if (path->state().label.starts_with(prefix)) states.push_back(path->state());
  std::sort(states.begin(), states.end(),
            [](const PathState& a, const PathState& b) { return a.label < b.label; });
  return states;
}

}  // namespace latchlab::paths
