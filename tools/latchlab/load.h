#pragma once
// What every command starts with: the exit codes, the data directories, and loading the scenario
// that the command line names.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab::tool {

// Exit codes. kBroken: a lock violated a guarantee, a point failed or a required figure was missed.
// kCannot: the backend or this build cannot do it.
inline constexpr int kFine = 0;
inline constexpr int kBroken = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kCannot = 3;
inline constexpr int kInterrupted = 130;

// Prints the error on stderr and returns `code`.
int complain(const Error& error, int code = kBadInput);

// Directories with models/ and scenarios/, in order of precedence: --data, LATCHLAB_DATA, the
// install prefix, the source tree.
DataDirs data_dirs(const std::string& extra);
// Names of the YAML files below `folder` of the data directories, without their extension.
std::vector<std::string> names_below(const std::string& folder, const DataDirs& data);

struct ScenarioArguments {
  std::string scenario;           // a file, a name under scenarios/, or - for stdin
  std::vector<std::string> sets;  // path=value
  std::string data;               // extra data directory
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> repeats;
};
Result<Scenario> load(const ScenarioArguments& arguments);

// The maximum number of locks that a critical section of the point holds at once. Reads each trace
// only once per process. Error: the trace is invalid.
Result<std::uint32_t> locks_held(const Point& point);

}  // namespace latchlab::tool
