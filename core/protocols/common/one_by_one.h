#pragma once
// Jobs of a server part that are done one after the other, in the order in which they came, though
// a job may suspend whoever does it: the first to come does those of the others as well.

#include <list>
#include <optional>
#include <utility>

namespace latchlab {

template <class Job>
class OneByOne {
 public:
  // False: somebody is at work, and will do it. True: the caller is to, and then what `next` gives.
  bool begin(const Job& job) {
    if (!std::exchange(working_, true)) return true;
    jobs_.push_back(job);
    return false;
  }
  // None: the work is done.
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
  std::list<Job> jobs_;  // that have come meanwhile
  bool working_ = false;
};

}  // namespace latchlab
