#pragma once
// The finished repeats of a run, a file each, under DIR/points: written as they end, so that
// whatever happens to the program they are there, and a run goes on where it was cut short.
//
// Each file carries the key of what it is the result of. A repeat is taken from a file with its key
// and never from another: a scenario that was changed, or another program, runs it again.
//
// Each file begins with a checksum over all bytes behind it. A file whose checksum does not fit is
// an error, here and for all that read results. Files of programs that wrote none begin with their
// key: they can be read, and a run that goes on runs their repeats again.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/study/output.h"
#include "core/study/repeat.h"

namespace latchlab {

// One hash of all that decides a repeat's result: the resolved point (without how often it is
// repeated, and its scenario's name), the traces that it names, which repeat, and `program`, which
// stands for the code and for the hardware, if there is any.
std::string repeat_key(const Point& point, std::uint32_t repeat, const std::string& program);

struct StoredRepeat {
  std::string key;
  RunManifest manifest;
  RepeatOutcome outcome;
  bool checked = false;  // it has a checksum, which fits
};

// DIR/points/0003-1.json: repeat 1 of point 3.
std::string point_file(const std::string& directory, std::size_t point, std::uint32_t repeat);
Result<StoredRepeat> read_point_file(const std::string& path);

class PointFiles {
 public:
  // `manifest` goes into each file; `program` into each key. Creates DIR/points where it is
  // missing.
  static Result<PointFiles> open(const std::string& directory, RunManifest manifest,
                                 std::string program);

  // Reads what is there. What has a key of the scenario will be found under its number; all else is
  // moved to DIR/points/superseded, from where it is taken again should its key come back. Refuses
  // when there are repeats, but none is of this scenario and program.
  Status adopt(const Scenario& scenario);
  // Files whose repeats run again although they have the keys of the scenario: damaged ones and
  // those without a checksum; complete lines for people.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // A finished repeat; none: to be run. One whose process failed is run again.
  std::optional<RepeatOutcome> find(const Point& point, std::uint32_t repeat) const;
  // Hears of each repeat once it has been written.
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
  // Where it is then.
  Result<std::string> move_to_superseded(const std::string& path) const;

  std::string directory_;
  RunManifest manifest_;
  std::string program_;
  Listener listener_;
  std::map<std::string, RepeatOutcome> known_;  // by key
  std::vector<std::string> warnings_;
};

}  // namespace latchlab
