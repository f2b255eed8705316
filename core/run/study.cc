#include "core/run/study.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <utility>

#include "core/protocols/registry.h"
#include "core/run/child.h"
#include "core/run/point_files.h"

namespace latchlab {

namespace {

volatile sig_atomic_t stop_asked = 0;
void ask_to_stop(int) {
  stop_asked = 1;
}

// Installs signal handlers and restores the previous ones. The signals are blocked except during
// wait(), so that none is missed between checking stop_asked and waiting.
class StopSignals {
 public:
  StopSignals() {
    stop_asked = 0;
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &ours, &old_mask_);
    struct sigaction action = {};
    action.sa_handler = ask_to_stop;
    ::sigaction(SIGINT, &action, &old_int_);
    ::sigaction(SIGTERM, &action, &old_term_);
  }
  ~StopSignals() {
    ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);  // first: a late signal is still ours
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGTERM, &old_term_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Also sees blocked, pending signals.
  bool asked() const {
    sigset_t pending;
    ::sigpending(&pending);
    return stop_asked != 0 || sigismember(&pending, SIGINT) == 1 ||
           sigismember(&pending, SIGTERM) == 1;
  }

  // poll() for at most one second; false if a signal came first.
  bool wait(std::vector<pollfd>& polled) const {
    const timespec second = {1, 0};
    return ::ppoll(polled.data(), polled.size(), &second, &old_mask_) >= 0;
  }

 private:
  sigset_t old_mask_ = {};
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
};

struct Work {
  std::size_t point;
  std::uint32_t repeat;
};
struct RunningChild {
  Work work;
  ChildRepeat child;
};

class Pool {
 public:
  Pool(const Scenario& scenario, const StudyOptions& options, const BackendFactory& make_backend)
      : scenario_(scenario), options_(options), make_backend_(make_backend) {
    outcome_.points.resize(scenario.points.size());
    copies_.resize(scenario.points.size());
    const std::vector<std::size_t> first = same_runs(scenario);
    for (std::size_t p = 0; p < scenario.points.size(); ++p) {
      outcome_.points[p].repeats.resize(scenario.points[p].run.repeats);
      if (first[p] != p && !options.hook) copies_[first[p]].push_back(p);
    }
    for (std::size_t p = 0; p < scenario.points.size(); ++p) {
      if (first[p] != p && !options.hook) continue;
      for (std::uint32_t r = 0; r < scenario.points[p].run.repeats; ++r)
        if (!take_stored({p, r})) work_.push_back({p, r});
      add_repeats(p);
    }
    work_ahead_ = 0;
    for (const Work& each : work_) work_ahead_ += amount(each);
  }

  StudyOutcome run() {
    const StopSignals signals;
    const auto started = std::chrono::steady_clock::now();
    tell_progress();
    while (!is_over(signals)) {
      if (options_.runner) {
        run_here(work_[next_++], signals);
        continue;
      }
      while (next_ < work_.size() && running_.size() < options_.jobs) launch(work_[next_++]);
      collect(signals);
    }
    for (RunningChild& each : running_) each.child.kill();
    outcome_.interrupted = done_ < work_.size();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
    outcome_.wall_s = wall.count();
    return std::move(outcome_);
  }

 private:
  bool is_over(const StopSignals& signals) const {
    return signals.asked() || outcome_.cannot_write || (next_ == work_.size() && running_.empty());
  }
  double amount(Work work) const {
    return options_.work ? options_.work(scenario_.points[work.point]) : 1;
  }
  // One at a time, so that the number of repeats does not depend on the order in which they end.
  void add_repeats(std::size_t point) {
    PointOutcome& outcome = outcome_.points[point];
    while (outcome.complete() && wants_another(scenario_.points[point], outcome)) {
      const Work next{point, static_cast<std::uint32_t>(outcome.repeats.size())};
      outcome.repeats.emplace_back();
      if (take_stored(next)) continue;
      work_.push_back(next);
      work_ahead_ += amount(next);
    }
  }

  bool take_stored(Work work) {
    if (options_.files == nullptr) return false;
    auto stored = options_.files->find(scenario_.points[work.point], work.repeat);
    if (!stored) return false;
    put(work, std::move(*stored));
    ++outcome_.stored;
    return true;
  }

  void put(Work work, RepeatOutcome result) {
    for (const std::size_t copy : copies_[work.point]) {
      auto& repeats = outcome_.points[copy].repeats;
      repeats.resize(std::max<std::size_t>(repeats.size(), work.repeat + 1));
      repeats[work.repeat] = result;
    }
    outcome_.points[work.point].repeats[work.repeat] = std::move(result);
  }

  Status keep(Work work, const RepeatOutcome& result) const {
    std::vector<std::size_t> points = copies_[work.point];
    points.push_back(work.point);
    for (const std::size_t p : points)
      if (Status kept = options_.files->keep(p, scenario_.points[p], work.repeat, result); !kept)
        return kept;
    return fine();
  }

  void launch(Work work) {
    const Point& point = scenario_.points[work.point];
    const ProtocolEntry* entry = find_protocol(point.protocol.name);
    auto child = ChildRepeat::start(point, *entry, work.repeat, make_backend_, options_.hook);
    if (child) {
      running_.push_back({work, std::move(child).value()});
      return;
    }
    RepeatOutcome failed;
    failed.status = RepeatStatus::failed;
    failed.message = child.error().text();
    ended(work, std::move(failed));
  }

  void run_here(Work work, const StopSignals& signals) {
    const auto started = std::chrono::steady_clock::now();
    RepeatOutcome result = options_.runner(scenario_, work.point, work.repeat, [&] {
      tell_progress();
      return signals.asked();
    });
    if (signals.asked()) return;  // the repeat was interrupted
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
    result.wall_s = wall.count();
    ended(work, std::move(result));
  }

  void collect(const StopSignals& signals) {
    if (running_.empty()) return;
    std::vector<pollfd> polled;
    for (const RunningChild& each : running_)
      polled.push_back({each.child.descriptor(), POLLIN, 0});
    if (!signals.wait(polled)) return;
    tell_progress();
    std::size_t i = 0;
    for (auto each = running_.begin(); each != running_.end(); ++i) {
      const bool over = polled[i].revents != 0 && each->child.drain();
      if (!over) {
        ++each;
        continue;
      }
      ended(each->work, each->child.finish());
      each = running_.erase(each);
    }
  }

  void ended(Work work, RepeatOutcome result) {
    result.seed = repeat_seed(scenario_.points[work.point].run.seed, work.repeat);
    if (options_.files != nullptr) {
      const Status kept = keep(work, result);
      if (!kept && !outcome_.cannot_write) outcome_.cannot_write = kept.error();
    }
    put(work, std::move(result));
    ++done_;
    work_done_ += amount(work);
    add_repeats(work.point);
    tell_progress();
  }

  void tell_progress() const {
    if (!options_.progress) return;
    const double share = work_ahead_ > 0 ? work_done_ / work_ahead_ : 1;
    options_.progress(
        {outcome_.stored + done_, outcome_.stored + work_.size(), outcome_.stored, share});
  }

  const Scenario& scenario_;
  const StudyOptions& options_;
  const BackendFactory& make_backend_;
  StudyOutcome outcome_;
  std::vector<std::vector<std::size_t>> copies_;  // by point: other points with the same run
  std::vector<Work> work_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  double work_ahead_ = 0, work_done_ = 0;
  std::list<RunningChild> running_;
};

}  // namespace

StudyOutcome run_study(const Scenario& scenario, const StudyOptions& options,
                       const BackendFactory& make_backend) {
  return Pool(scenario, options, make_backend).run();
}

}  // namespace latchlab
