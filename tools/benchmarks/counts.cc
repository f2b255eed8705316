#include "tools/benchmarks/counts.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "tools/benchmarks/latchlab_run.h"

namespace latchlab::bench {

namespace {

struct Totals {
  double verbs = 0;
  double instructions = 0;
  double missed_lines = 0;
};

// A temporary directory, which the destructor removes.
class Scratch {
 public:
  Scratch() {
    std::string name =
        (std::filesystem::temp_directory_path() / "latchlab-bench-").string() + std::string(6, 'X');
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

bool runs(const std::string& command) {
  return std::system(command.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe): one thread
}

// One line per counter: "123,,instructions:u,..."
std::optional<Totals> read_perf(const std::string& path) {
  std::ifstream file(path);
  Totals totals;
  for (std::string line; std::getline(file, line);) {
    const double value = std::strtod(line.c_str(), nullptr);
    if (line.find(",instructions") != std::string::npos) totals.instructions = value;
    if (line.find(",cache-misses") != std::string::npos) totals.missed_lines = value;
  }
  if (totals.instructions <= 0) return std::nullopt;
  return totals;
}

// "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw" and "totals:" with as many numbers.
std::optional<Totals> read_callgrind(const std::string& path) {
  std::ifstream file(path);
  Totals totals;
  std::string names;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("events: ", 0) == 0) names = line.substr(8);
    if (line.rfind("totals: ", 0) != 0) continue;
    std::istringstream name_of(names);
    std::istringstream number_of(line.substr(8));
    std::string name;
    for (double value = 0; name_of >> name && number_of >> value;) {
      if (name == "Ir") totals.instructions = value;
      if (name == "D1mr" || name == "D1mw") totals.missed_lines += value;
    }
  }
  if (totals.instructions <= 0) return std::nullopt;
  return totals;
}

struct Counter {
  const char* by;
  const char* command;  // takes the name of its output file
  std::optional<Totals> (*read)(const std::string& path);
};
constexpr Counter kCounters[] = {
    {"perf", "perf stat -x, -e instructions:u,cache-misses:u -o '{}' ", read_perf},
    {"callgrind", "valgrind --tool=callgrind --cache-sim=yes --callgrind-out-file='{}' ",
     read_callgrind}};

std::optional<Totals> measured(const Counter& counter, const std::string& program,
                               const std::string& scenario) {
  const Scratch scratch;
  const std::string found = scratch.file("found");
  const std::string verbs = scratch.file("verbs");
  std::ofstream(scratch.file("scenario")) << scenario;
  const std::string tool = fmt::format(fmt::runtime(counter.command), found);
  if (!runs(fmt::format("{} '{}' count '{}' > '{}' 2> /dev/null", tool, program,
                        scratch.file("scenario"), verbs)))
    return std::nullopt;
  std::optional<Totals> totals = counter.read(found);
  if (totals) std::ifstream(verbs) >> totals->verbs;
  return totals;
}

}  // namespace

VerbCounts count_per_verb(const std::string& program, const std::string& shorter,
                          const std::string& longer) {
  for (const Counter& counter : kCounters) {
    const std::optional<Totals> less = measured(counter, program, shorter);
    if (!less) continue;
    const std::optional<Totals> more = measured(counter, program, longer);
    if (!more || more->verbs <= less->verbs) continue;
    const double verbs = more->verbs - less->verbs;
    return {"", counter.by, (more->instructions - less->instructions) / verbs,
            (more->missed_lines - less->missed_lines) / verbs};
  }
  return {"perf may not read the processor's counters here, and there is no valgrind", "", 0, 0};
}

int count_verbs(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  auto point = point_of(text.str());
  if (!point) return EXIT_FAILURE;
  const Sample sample = measure_latchlab(point.value());
  if (!sample.problem.empty()) return EXIT_FAILURE;
  fmt::print("{:.0f}\n", sample.verbs);
  return EXIT_SUCCESS;
}

}  // namespace latchlab::bench
