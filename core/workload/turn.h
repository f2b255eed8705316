#pragma once
// One section of a client, on its way through the client loop: what it holds, and the work that it
// does meanwhile.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/workload/client_loop.h"

namespace latchlab::loop {

struct Client {
  Verbs& verbs;
  LockClient& lock;
  OperationSource& source;
  LoopObserver& observer;
  Guard* guard;
};

// In the order of the wants. Most often one, which costs nothing but itself.
class Held {
 public:
  std::size_t size() const { return size_; }
  Grant& operator[](std::size_t index) { return index == 0 ? first_ : more_[index - 1]; }
  void add(const Grant& grant) {
    if (size_++ == 0)
      first_ = grant;
    else
      more_.push_back(grant);
  }
  void clear() {
    more_.clear();
    size_ = 0;
  }
  Time valid_until() const {
    Time until = first_.valid_until;
    for (const Grant& grant : more_) until = std::min(until, grant.valid_until);
    return until;
  }

 private:
  Grant first_;
  std::vector<Grant> more_;
  std::size_t size_ = 0;
};

// One section of a client, and what it holds.
struct Turn : Client {
  explicit Turn(const Client& client) : Client(client) {}
  Section section;
  Held held;
  std::optional<Verb> last;  // a WRITE that is left to the release

  ClientId me() const { return verbs.client(); }
};

bool is_some(const Work& work);
// True while no grant has expired.
bool has_kept_all(const Turn& turn);
// What is locked is used only while all grants are valid. False: one ended before all was done.
Task<bool> do_work(Turn& turn);
// Reads the section's lookups.
Task<void> look_up(Turn& turn);

}  // namespace latchlab::loop
