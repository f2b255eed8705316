#include "tools/latchlab/reproduce.h"

#include <fmt/core.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include "core/conclude/values.h"
#include "core/protocols/registry.h"
#include "core/run/files.h"
#include "core/scenario/quick.h"
#include "tools/latchlab/command_line.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/progress.h"
#include "tools/latchlab/sensitivity.h"

namespace latchlab::tool {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
// Estimates are taken as right until experiments of about this length have shown the pace.
constexpr double kPriorSeconds = 60;

constexpr const char* kPapers = "papers/";
constexpr const char* kSummary = "summary.json";
// The estimated time limit of a quick run for one experiment, on one core.
constexpr double kQuickSeconds = 5;

// "shiftlock" selects every experiment of that paper, "shiftlock/table3" one experiment.
Result<std::vector<std::string>> experiments_of(const std::string& what, const DataDirs& data) {
  std::vector<std::string> found;
  std::vector<std::string> all = names_below("scenarios/papers", data);
  for (const std::string& name : all)
    if (what.empty() || name == what || name.starts_with(what + "/")) found.push_back(name);
  if (!found.empty()) return found;
  std::string known;
  for (const std::string& name : all) known += (known.empty() ? "" : ", ") + name;
  return Error{fmt::format("there is no paper and no experiment '{}' below scenarios/papers; "
                           "known: {}",
                           what, known.empty() ? "none" : known),
               {}};
}

Result<Scenario> load_with(const std::vector<std::string>& sets, const std::string& name,
                           const ReproduceArguments& arguments) {
  ScenarioArguments input = arguments.run.input;
  input.scenario = kPapers + name;
  input.sets.insert(input.sets.end(), sets.begin(), sets.end());
  return load(input);
}

Result<Experiment> load_one(const std::string& name, const ReproduceArguments& arguments) {
  auto scenario = load_with({}, name, arguments);
  if (!scenario) return scenario.error();
  Experiment one{name, std::move(scenario).value(), {}, {}, {}};
  if (!arguments.quick) return one;
  const auto look = quick_look(
      one.scenario, protocol_infos(), [](const Point& p) { return estimate_seconds(p); },
      kQuickSeconds);
  if (!look) return look.error();
  one.quick = look.value().cuts;
  for (const Override& each : look.value().overrides)
    one.sets.push_back(each.path + "=" + each.value);
  auto cut = load_with(one.sets, name, arguments);
  if (!cut) return cut.error();
  one.scenario = std::move(cut).value();
  return one;
}

Result<std::vector<Experiment>> load_all(const ReproduceArguments& arguments) {
  const auto names = experiments_of(arguments.what, data_dirs(arguments.run.input.data));
  if (!names) return names.error();
  std::vector<Experiment> experiments;
  for (const std::string& name : names.value()) {
    auto one = load_one(name, arguments);
    if (!one) return one.error();
    experiments.push_back(std::move(one).value());
  }
  return experiments;
}

// A directory never mixes results of quick and full runs.
Result<ResultsDirectory> open_directory(const ReproduceArguments& arguments) {
  if (!arguments.run.resume) return claim_results_directory(arguments.run.out, "reproduce");
  auto directory = reopen_results_directory(arguments.run.out, "reproduce", kSummary);
  if (!directory) return directory;
  const std::string path = directory.value().path + "/" + kSummary;
  if (!fs::exists(path)) return directory;  // a new one
  const auto quick = is_quick_summary(path);
  if (!quick) return quick.error();
  if (quick.value() == arguments.quick) return directory;
  return Error{fmt::format("{} holds {} run: go on with it {} --quick, or give another --out",
                           directory.value().path, quick.value() ? "a quick" : "a full",
                           quick.value() ? "with" : "without"),
               {}};
}

// Progress over all experiments, and the estimated remaining time.
class Course {
 public:
  Course(const std::vector<Experiment>& experiments, const ReproduceArguments& arguments)
      : all_(experiments.size()) {
    const bool on_hardware = arguments.run.backend != "simgrid";
    jobs_ = on_hardware ? 1 : arguments.run.jobs > 0 ? arguments.run.jobs : cores();
    for (const Experiment& each : experiments) {
      points_ += each.scenario.points.size();
      runs_ += repeats_of(each.scenario);
      cut_ += each.quick.empty() ? 0 : 1;
      const double study = seconds(each.scenario, on_hardware);
      const bool asks = !arguments.quick && !on_hardware;
      const double search = asks ? sensitivity_seconds(each.scenario) / jobs_ : 0;
      studies_ += study;
      searches_ += search;
      seconds_.push_back(study + search);
    }
    left_ = studies_ + searches_;
  }

  void announce() const {
    fmt::print("{}, {}, {}, {} at once: {}\n", counted(all_, "experiment"),
               counted(points_, "point"), counted(runs_, "run"), jobs_, rough_time(studies_));
    if (cut_ > 0)
      fmt::print("A quick run: {} of them have fewer points, shorter windows or fewer repeats\n",
                 cut_);
    if (searches_ >= kWorthSaying)
      fmt::print(
          "Then on which constants of the model each conclusion depends: {} at most, and longer "
          "runs where short ones leave an order open\n",
          rough_time(searches_));
  }

  // Called before each experiment: "(3 of 43, about 12 min left)". One that an earlier run has
  // begun
  // (`resumed`) tells nothing about the pace, because its finished points take no time.
  std::string next(bool resumed) {
    const Clock::time_point now = Clock::now();
    if (paced_) {
      done_ += seconds_[at_ - 1];
      spent_ += std::chrono::duration<double>(now - began_).count();
    }
    if (at_ > 0) left_ -= seconds_[at_ - 1];
    began_ = now;
    paced_ = !resumed;
    const double pace = (spent_ + kPriorSeconds) / (done_ + kPriorSeconds);
    return fmt::format("({} of {}, {} left)", ++at_, all_, rough_time(left_ * pace));
  }

 private:
  double seconds(const Scenario& scenario, bool on_hardware) const {
    double all = 0;
    for (const Point& point : scenario.points)
      all += point.run.repeats * (on_hardware ? run_seconds(point) : estimate_seconds(point));
    return all / jobs_;
  }

  std::size_t all_, at_ = 0, points_ = 0, runs_ = 0, cut_ = 0;
  std::uint32_t jobs_ = 1;
  std::vector<double> seconds_;  // of each
  double studies_ = 0, searches_ = 0, left_ = 0;
  double done_ = 0, spent_ = 0;  // of experiments that began in this run: estimated, and real
  bool paced_ = false;           // the current experiment is one of them
  Clock::time_point began_;      // the current experiment
};

bool began_before(const Experiment& one, const ReproduceArguments& arguments,
                  const std::string& directory) {
  const std::string out = directory + "/" + one.name;
  return arguments.run.resume && fs::exists(out) && !fs::is_empty(out);
}

std::string how_to_go_on(const ReproduceArguments& arguments, const std::string& directory) {
  const std::string predictions =
      arguments.predictions.empty() ? "" : " --predictions " + quoted_word(arguments.predictions);
  return fmt::format("latchlab reproduce{}{}{}{}{} --resume --out {}",
                     arguments.what.empty() ? "" : " ", arguments.what,
                     arguments.quick ? " --quick" : "", predictions, run_options(arguments.run),
                     shell_word(directory));
}

Status write_summary(const std::string& directory, const std::vector<Experiment>& done,
                     bool quick) {
  return write_atomically(directory + "/" + kSummary, summary_json(done, quick));
}

// The more severe of two exit codes: an interruption, then a failure, then other errors.
int worse(int a, int b) {
  if (a == kInterrupted || b == kInterrupted) return kInterrupted;
  if (a == kBroken || b == kBroken) return kBroken;
  return std::max(a, b);
}

void run_experiment(Experiment& one, const ReproduceArguments& arguments,
                    const std::string& directory, const RunBackend& backend) {
  auto again = load_with(one.sets, one.name, arguments);
  if (!again) {
    one.ran.code = complain(again.error());
    return;
  }
  one.scenario.points = std::move(again.value().points);
  ::malloc_trim(0);  // gives back what other points took
  RunArguments run = arguments.run;
  run.input.scenario = kPapers + one.name;
  run.input.sets.insert(run.input.sets.end(), one.sets.begin(), one.sets.end());
  run.out = directory + "/" + one.name;
  run.resume = began_before(one, arguments, directory);
  run.sensitivity = !arguments.quick && run.backend == "simgrid";
  run.quick = one.quick;
  run.part_of = how_to_go_on(arguments, directory);
  one.ran = run_one(run, one.scenario, backend);
  one.scenario.points = {};
}

// Returns a line for each paper. Its page shows all available results, even if experiments failed.
Result<std::string> write_papers(const std::vector<Experiment>& experiments,
                                 const ReproduceArguments& arguments, const std::string& directory,
                                 const std::string& cut_short) {
  std::map<std::string, std::vector<std::string>> papers;
  for (const Experiment& each : experiments)
    papers[each.name.substr(0, each.name.find('/'))].push_back(each.name);
  std::string lines;
  for (auto& [paper, names] : papers) {
    PaperRequest request{directory, paper, std::move(names), {}, arguments.run.input.data,
                         cut_short};
    // The predictions of a single experiment get a file named after that experiment.
    std::string file = arguments.what.empty() ? paper : arguments.what;
    std::replace(file.begin(), file.end(), '/', '-');
    if (!arguments.quick && arguments.run.backend == "simgrid")
      request.predictions =
          (arguments.predictions.empty() ? directory + "/predictions" : arguments.predictions) +
          "/" + file + ".csv";
    const auto line = write_paper_files(request);
    if (!line) return line.error();
    if (!line.value().empty()) lines += line.value() + "\n";
  }
  return lines;
}

}  // namespace

int reproduce(const ReproduceArguments& arguments) {
  if (const Status usable = check_backend_options(arguments.run); !usable)
    return complain(usable.error());
  auto loaded = load_all(arguments);
  if (!loaded) return complain(loaded.error());
  std::vector<const Scenario*> scenarios;
  for (const Experiment& each : loaded.value()) scenarios.push_back(&each.scenario);
  const auto backend = run_backend(arguments.run, scenarios);
  if (!backend) return complain(backend.error(), kCannot);
  if (backend.value().over) return *backend.value().over;
  if (const auto& refused = backend.value().refused; !refused.empty())
    return complain({refused.front(), {}}, kCannot);
  const auto opened = open_directory(arguments);
  if (!opened) return complain(opened.error());
  const std::string& directory = opened.value().path;
  // Written first, so that the directory is identifiable from the start.
  if (const Status written = write_summary(directory, {}, arguments.quick); !written)
    return complain(written.error(), kCannot);

  Course course(loaded.value(), arguments);
  if (!arguments.run.quiet) course.announce();
  std::vector<Experiment>& all = loaded.value();
  // The points of all papers take hundreds of megabytes, and each run would copy their page tables
  // into its process. So only those of the experiment at hand are kept.
  for (Experiment& each : all) each.scenario.points = {};
  int code = kFine;
  std::size_t done = 0;
  for (Experiment& each : all) {
    const std::string where = course.next(began_before(each, arguments, directory));
    if (!arguments.run.quiet) fmt::print("\n== {} {}\n", each.name, where);
    if (!arguments.run.quiet)
      for (const std::string& cut : each.quick) fmt::print("quick: {}\n", cut);
    std::fflush(stdout);  // otherwise each child process prints the buffered output again
    run_experiment(each, arguments, directory, backend.value());
    code = worse(code, each.ran.code);
    ++done;
    if (code == kInterrupted) break;
  }
  const std::string cut_short = code == kInterrupted ? all[done - 1].name : "";
  const auto papers = write_papers(all, arguments, directory, cut_short);
  if (!papers) return complain(papers.error(), kCannot);
  all.resize(done);
  fmt::print("\n{}", summary_text(all));
  if (const Status written = write_summary(directory, all, arguments.quick); !written)
    return complain(written.error(), kCannot);
  fmt::print("\n{}Results: {}\n", papers.value(), directory);
  return code;
}

}  // namespace latchlab::tool
