#pragma once
// What ran a scenario: program, backend, devices. Stored with each repeat and written to
// results.json.

#include <string>
#include <utility>
#include <vector>

namespace latchlab {

struct RunManifest {
  std::string version;  // of Latchlab
  std::string backend;  // simgrid
  // "masked_atomics_16: agent (mcs)": the capability, how it was emulated, and the label of the
  // points; without a label, all points.
  std::vector<std::string> emulated;
  std::vector<std::string> software;  // software devices: "rxe0 is soft-RoCE"
  // Locks from plug-ins: file names and hashes of their contents.
  std::vector<std::pair<std::string, std::string>> plugins;
  // What a quick run reduced, one line each; empty: the run is not quick.
  std::vector<std::string> quick;
};

}  // namespace latchlab
