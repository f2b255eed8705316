#pragma once
// The finished repeats of a run, one file each, under DIR/points. Each file is written when its
// repeat ends, so that a run that was interrupted can resume.
//
// Each file carries the key of its repeat. A repeat is taken from a file only if the keys are
// equal: after a change of the scenario or of the program the repeat runs again.
//
// Each file begins with a checksum of the rest of the file. A wrong checksum is an error, here and
// for all code that reads results. Files of older programs begin with the key: they can be read,
// but a resumed run repeats them.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/run/manifest.h"
#include "core/run/repeat.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// A hash of everything that determines a repeat's result: the resolved point (without the number of
// repeats and the scenario's name), its traces, the repeat's number, and `program`, which
// identifies the code and the hardware, if any. A trace is identified by its size and modification
// time.
std::string repeat_key(const Point& point, std::uint32_t repeat, const std::string& program);

struct StoredRepeat {
  std::string key;
  RunManifest manifest;
  RepeatOutcome outcome;
  bool checked = false;  // it has a valid checksum
};

// DIR/points/0003-1.json: repeat 1 of point 3.
std::string point_file(const std::string& directory, std::size_t point, std::uint32_t repeat);
Result<StoredRepeat> read_point_file(const std::string& path);

class PointFiles {
 public:
  // `manifest` is written into each file, and `program` is part of each key. Creates DIR/points if
  // it is missing.
  static Result<PointFiles> open(const std::string& directory, RunManifest manifest,
                                 std::string program);

  // Reads the existing files. A repeat of the scenario is stored under its number; other files are
  // moved to DIR/points/superseded and are restored if their key is wanted again. Returns an error
  // if there are repeats but none belongs to this scenario and program.
  Status adopt(const Scenario& scenario);
  // Messages about files whose repeats run again although their keys match: damaged files and files
  // without a checksum.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // A finished repeat; no value if it has to run. A repeat whose process failed runs again.
  std::optional<RepeatOutcome> find(const Point& point, std::uint32_t repeat) const;
  // Called after each repeat has been written.
  using Listener =
      std::function<void(std::size_t number, std::uint32_t repeat, const RepeatOutcome& outcome)>;
  void listen(Listener listener) { listener_ = std::move(listener); }
  Status keep(std::size_t number, const Point& point, std::uint32_t repeat,
              const RepeatOutcome& outcome) const;

 private:
  struct Found {
    std::string path;
    StoredRepeat stored;
  };
  PointFiles(std::string directory, RunManifest manifest, std::string program)
      : directory_(std::move(directory)),
        manifest_(std::move(manifest)),
        program_(std::move(program)) {}
  std::vector<Found> read_all(const std::string& folder);
  // Returns the new path.
  Result<std::string> move_to_superseded(const std::string& path) const;

  std::string directory_;
  RunManifest manifest_;
  std::string program_;
  Listener listener_;
  std::map<std::string, RepeatOutcome> known_;  // by key
  std::vector<std::string> warnings_;
};

}  // namespace latchlab
