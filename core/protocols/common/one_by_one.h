#pragma once
// Executes jobs of a server part one after the other in the order of arrival, although a job may
// suspend the coroutine that executes it: the first coroutine also executes the jobs that arrive
// meanwhile.

#include <list>
#include <optional>
#include <utility>

namespace latchlab {

template <class Job>
class OneByOne {
 public:
  // False: another coroutine is at work, and will execute the job. True: the caller executes it,
  // and then the jobs that `next` returns.
  bool begin(const Job& job) {
    if (!std::exchange(working_, true)) return true;
    jobs_.push_back(job);
    return false;
  }
  // None: no job is left.
  std::optional<Job> next() {
    if (jobs_.empty()) {
      working_ = false;
      return std::nullopt;
    }
    std::optional<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

 private:
  std::list<Job> jobs_;  // that have arrived meanwhile
  bool working_ = false;
};

}  // namespace latchlab
