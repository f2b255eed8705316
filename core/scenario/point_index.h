#pragma once
// Finding the one point of a sweep that some values describe.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

// Paths and values. A path is that of a scenario's value ("platform.clients_per_node"), or `label`,
// or `clients` (all of them). Values are compared as quantities: 10M is 10000000.
using Where = std::vector<std::pair<std::string, std::string>>;

class PointIndex {
 public:
  explicit PointIndex(const Scenario& scenario) : scenario_(scenario) {}

  // The point with all these values; none or several throw InputError, which lists the candidates.
  std::size_t find(const Where& where, const Place& place, const std::string& path);

 private:
  using Texts = std::vector<std::string>;
  struct Value {
    Texts texts;  // ways to write it; none: the point has no such value
    Texts forms;  // what they read as, for comparisons
  };

  const std::vector<Value>& values_of(const std::string& path);
  Texts texts_at(std::size_t point, const std::string& path);
  Texts choices(const std::string& path, const std::vector<std::size_t>& points);
  [[noreturn]] void reject_none(const Where& where, std::size_t at,
                                const std::vector<std::size_t>& before, const Place& place,
                                const std::string& path);
  [[noreturn]] void reject_several(const std::vector<std::size_t>& found, const Place& place,
                                   const std::string& path);

  const Scenario& scenario_;
  std::map<std::string, std::vector<Value>> values_;
};

}  // namespace latchlab
