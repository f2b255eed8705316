#pragma once
// One section of a client on its way through the client loop: its grants, and the work that is done
// while it has them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// Grants in the order of the wants. The first one needs no allocation, since most sections have
// one.
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

// One section of a client, and its grants.
struct SectionRun : Client {
  explicit SectionRun(const Client& client) : Client(client) {}
  Section section;
  Held held;
  std::size_t tables_held = 0;    // of section.tables
  std::uint32_t table_tries = 0;  // failed tries to take a table, of all starts of the section
  std::optional<Verb> last;       // a WRITE that is posted with the release

  ClientId me() const { return verbs.client(); }
};

bool is_some(const Work& work);
// True while no grant has expired.
bool has_kept_all(const SectionRun& run);
// Uses the locked objects only while all grants are valid. False: one expired before the work was
// done.
Task<bool> do_work(SectionRun& run);
// Reads the section's lookups.
Task<void> look_up(SectionRun& run);

}  // namespace latchlab::loop
