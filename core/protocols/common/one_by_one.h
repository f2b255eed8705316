#pragma once
// Jobs of a server part that are done one after the other, in the order in which they came, though
// a job may suspend whoever does it: the first to come does those of the others as well.

#include <list>
#include <utility>

namespace latchlab {

template <class Job>
class OneByOne {
 public:
  // False: somebody is at work, and will do it. True: the caller is to, until more() says no.
  bool add(const Job& job) {
    jobs_.push_back(job);
    return !std::exchange(working_, true);
  }
  bool more() { return working_ = !jobs_.empty(); }
  Job take() {
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

 private:
  std::list<Job> jobs_;
  bool working_ = false;
};

}  // namespace latchlab
