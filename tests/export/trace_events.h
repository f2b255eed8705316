#pragma once
// A trace as a viewer reads it. A violation of the format fails the test.

#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"

namespace latchlab::exporting {

struct ShownSlice {
  std::string name;
  std::uint64_t pid = 0, tid = 0;
  double from = 0, to = 0;  // us
  Json args;
};

class TraceEvents {
 public:
  explicit TraceEvents(const std::string& text);

  const std::vector<ShownSlice>& slices() const { return slices_; }  // by begin
  // Holds of one lock that overlap in time and units, in modes that exclude each other: one line
  // each.
  std::vector<std::string> conflicts() const;
  std::vector<Json> instants(const std::string& name) const;
  // Begins and ends of arrows that have both.
  std::vector<std::pair<double, double>> arrows() const;
  // The thread of this name; 0: it does not exist.
  std::uint64_t track_named(const std::string& name) const;
  const Json& other_data() const { return trace_["otherData"]; }

 private:
  void read_slices();

  Json trace_;
  std::vector<ShownSlice> slices_;
};

}  // namespace latchlab::exporting
