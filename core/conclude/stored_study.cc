#include "core/conclude/stored_study.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/conclude/emulation.h"
#include "core/conclude/figure_lines.h"
#include "core/run/point_files.h"

namespace latchlab {

namespace fs = std::filesystem;

Result<StoredStudy> load_stored_study(const std::string& directory,
                                      const std::vector<ProtocolInfo>& protocols,
                                      const DataDirs& data) {
  std::error_code error;
  const std::string file = directory + "/scenario.yaml";
  if (!fs::is_regular_file(file, error))
    return Error{fmt::format("{} holds no run: there is no scenario.yaml; name a directory that "
                             "'latchlab run' has written",
                             directory),
                 {}};
  auto scenario = load_scenario(file, {}, protocols, data);
  if (!scenario) return scenario.error();
  if (const Status named = name_figures(scenario.value()); !named) return named.error();
  StoredStudy study{std::move(scenario).value(), {}, {}};
  study.outcome.points.resize(study.scenario.points.size());
  for (std::size_t p = 0; p < study.scenario.points.size(); ++p) {
    PointOutcome& point = study.outcome.points[p];
    auto& repeats = point.repeats;
    repeats.resize(study.scenario.points[p].run.repeats);
    for (std::uint32_t r = 0;; ++r) {
      if (r == repeats.size()) {
        if (!point.complete() || !wants_another(study.scenario.points[p], point)) break;
        repeats.emplace_back();
      }
      const std::string path = point_file(directory, p, r);
      if (!fs::exists(path, error)) {
        study.outcome.interrupted = true;
        continue;
      }
      auto stored = read_point_file(path);
      if (!stored) return stored.error();
      study.manifest = std::move(stored.value().manifest);
      repeats[r] = std::move(stored.value().outcome);
      ++study.outcome.stored;
    }
  }
  if (study.outcome.stored == 0)
    return Error{
        fmt::format("{} holds no finished point; let 'latchlab run --resume' finish it", directory),
        {}};
  mark_emulated(study.scenario, study.manifest, study.outcome);
  return study;
}

}  // namespace latchlab
