#include "core/protocols/inode_mutex/inode_mutex.h"

#include <algorithm>
#include <list>

#include "core/protocols/common/planted.h"
#include "core/protocols/common/range_server/manager.h"

namespace latchlab {
namespace {

using range_server::Asked;
using range_server::Asker;

// One holder, and a queue.
class Mutex final : public range_server::ObjectRanges {
 public:
  bool acquire(const Asked& asked, const PendingCall& call) override {
    if (!holder_ || (PLANTED(inode_mutex_looks_at_the_queue_alone) && waiting_.empty())) {
      holder_ = asked.who;
      return true;
    }
    const auto place =
        PLANTED(inode_mutex_serves_the_last_first) ? waiting_.begin() : waiting_.end();
    waiting_.insert(place, {asked.who, call});
    return false;
  }
  void release(const Asker& who, Calls& granted) override {
    if (holder_ != who) return;
    holder_.reset();
    if (waiting_.empty()) return;
    if (PLANTED(inode_mutex_forgets_who_waits)) return;
    holder_ = waiting_.front().who;
    granted.push_back(waiting_.front().call);
    waiting_.pop_front();
  }
  std::optional<PendingCall> withdraw(const Asker& who, Calls& /*granted*/) override {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const Waiter& each) { return each.who == who; });
    if (found == waiting_.end()) return std::nullopt;
    const PendingCall call = found->call;
    waiting_.erase(found);
    return call;
  }
  bool holds(const Asker& who) const override { return holder_ == who; }
  std::uint64_t holders() const override { return holder_ ? 1 : 0; }
  std::uint64_t waiters() const override { return waiting_.size(); }
  std::uint64_t take_steps() override { return 1; }

 private:
  struct Waiter {
    Asker who;
    PendingCall call;
  };
  std::optional<Asker> holder_;
  std::list<Waiter> waiting_;
};

std::unique_ptr<range_server::ObjectRanges> ranges_of_inode_mutex(
    const range_server::Options& /*options*/) {
  return std::make_unique<Mutex>();
}

constexpr range_server::Kind kInodeMutex{.make_ranges = ranges_of_inode_mutex,
                                         .first_come = true,
                                         .whole = true,
                                         .note = LATCHLAB_RANGE_SERVER_PATHS("inode_mutex")};

struct MutexOptions : range_server::Options {
  MutexOptions() {
    kind = &kInodeMutex;
    step = nanoseconds(60);
  }
};

class InodeMutex final : public range_server::Manager {
 public:
  using Options = MutexOptions;
  using Manager::Manager;
};

}  // namespace

ProtocolEntry inode_mutex_entry() {
  Description<MutexOptions> lock = range_server::describe<MutexOptions>(
      "CPU time of a request at the mutex; requests for one object are served one at a time");
  lock.name = "inode_mutex";
  lock.summary = "one mutex for each object, on the server's CPU; ranges are ignored";
  lock.source = "CITRON (FAST'23) Table 2, its Mutex; reconstructed";
  lock.fairness = "first come, first served";
  return make_entry<InodeMutex>(lock);
}

}  // namespace latchlab
