#include "core/workload/client_loop.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/checks/guard_words.h"

namespace latchlab {

RemoteAddr OperationSource::object_of(LockId /*lock*/) const {
  LATCHLAB_CHECK(false, "this workload has locks that guard no object");
  return {};
}
RemoteAddr OperationSource::buffer_of(ClientId /*client*/) const {
  LATCHLAB_CHECK(false, "this workload has no memory that WRITEs come from");
  return {};
}

namespace {

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

// What follows an acquisition or upgrade.
enum class Next : std::uint8_t { go_on, start_over, stop };

Next after(AbortReason reason, const Section& section) {
  if (reason == AbortReason::unsupported) return Next::stop;
  if (reason == AbortReason::deadline)
    return section.patience.ps > 0 ? Next::start_over : Next::stop;
  return section.on_abort == OnAbort::retry ? Next::go_on : Next::start_over;
}

// What is locked is used only while all grants are valid.
Duration time_left(const Turn& turn, Duration wanted) {
  const Time until = turn.held.valid_until();
  if (until == kNever) return wanted;
  const Time now = turn.verbs.now();
  return std::min(wanted, until > now ? until - now : Duration{});
}

Task<void> pause(Turn& turn) {
  if (turn.section.pause.ps > 0) co_await turn.verbs.sleep(turn.section.pause);
}

void be_patient(Turn& turn) {
  Section& section = turn.section;
  if (section.patience.ps > 0) section.options.deadline = turn.verbs.now() + section.patience;
}

Task<void> wait_for_arrival(Turn& turn, Time arrival) {
  Time now = turn.verbs.now();
  if (now < arrival) co_await turn.verbs.sleep(arrival - now);
  now = std::max(arrival, turn.verbs.now());
  turn.observer.arrived(turn.me(), now - arrival);
}

// A lock that took a want for update exclusively has no need of it.
bool needs_upgrade(Turn& turn, std::size_t index) {
  return turn.section.wants[index].mode == LockMode::update &&
         turn.held[index].mode != LockMode::exclusive;
}

Task<Next> upgrade(Turn& turn, std::size_t index) {
  Grant& grant = turn.held[index];
  for (;;) {
    turn.observer.upgrade_begins(turn.me(), grant);
    turn.verbs.mark(Phase::other);
    const AcquireResult result = co_await turn.lock.upgrade(grant, turn.section.options);
    if (const Grant* const upgraded = std::get_if<Grant>(&result)) {
      grant = *upgraded;
      turn.observer.upgraded(turn.me(), grant);
      if (turn.guard != nullptr) co_await turn.guard->upgrade(turn.verbs, grant);
      co_return Next::go_on;
    }
    const AbortReason reason = std::get_if<Aborted>(&result)->reason;
    turn.observer.upgrade_aborted(turn.me(), grant, reason);
    const Next next = after(reason, turn.section);
    if (next != Next::go_on) co_return next;
    co_await pause(turn);
  }
}

Task<Next> upgrade_first(Turn& turn) {
  std::uint32_t left = turn.section.upgrades;
  for (std::size_t i = 0; i < turn.held.size() && left > 0; ++i) {
    if (turn.section.wants[i].mode == LockMode::update) --left;
    if (!needs_upgrade(turn, i)) continue;
    const Next next = co_await upgrade(turn, i);
    if (next != Next::go_on) co_return next;
  }
  co_return Next::go_on;
}

// Before work that is longer than a grant.
Task<void> extend_all(Turn& turn) {
  const Duration wanted = turn.section.work.hold + turn.section.work.compute;
  for (std::size_t i = 0; i < turn.held.size(); ++i) {
    Grant& grant = turn.held[i];
    if (grant.valid_until == kNever || grant.valid_until > turn.verbs.now() + wanted) continue;
    const AcquireResult result = co_await turn.lock.extend(grant, wanted);
    const Grant* const longer = std::get_if<Grant>(&result);
    if (longer == nullptr) continue;
    grant = *longer;
    turn.observer.extended(turn.me(), grant);
  }
}

// The last WRITE of a section. A guard looks at the lock's words in between.
bool goes_with_the_release(const Turn& turn) {
  return turn.held.size() == 1 && turn.guard == nullptr && !turn.section.skip_release &&
         turn.lock.frees_with_a_write();
}

Verb verb_on_objects(Turn& turn, VerbKind kind) {
  const Work& work = turn.section.work;
  const bool write = kind == VerbKind::write;
  Verb verb;
  verb.kind = kind;
  verb.bytes = write && work.write_bytes > 0 ? work.write_bytes : work.bytes;
  verb.value.lo = verb.value.hi = turn.me().value;
  if (verb.bytes > (write ? kByValueBytes : kMaxReadBytes))
    verb.local = turn.source.buffer_of(turn.me());
  return verb;
}

Task<void> use_object(Turn& turn, const Verb& verb) {
  if (reads_words(verb)) {
    const ReadWords seen = co_await turn.verbs.read_words(verb.addr, verb.bytes);
  } else {
    co_await turn.verbs.issue(verb);
  }
}

// `times` READs or WRITEs of each object.
Task<void> use_objects(Turn& turn, VerbKind kind, std::uint32_t times) {
  Verb verb = verb_on_objects(turn, kind);
  for (std::size_t held = 0; held < turn.held.size(); ++held) {
    if (kind == VerbKind::write && turn.section.wants[held].mode == LockMode::shared) continue;
    verb.addr = turn.source.object_of(turn.held[held].lock.id);
    for (std::uint32_t i = 0; i < times && time_left(turn, nanoseconds(1)).ps > 0; ++i) {
      if (kind == VerbKind::write && i + 1 == times && goes_with_the_release(turn))
        turn.last = verb;
      else
        co_await use_object(turn, verb);
    }
  }
}

Task<void> look_up(Turn& turn) {
  Verb verb = verb_on_objects(turn, VerbKind::read);
  for (const LockId id : turn.section.lookups) {
    verb.addr = turn.source.object_of(id);
    co_await use_object(turn, verb);
  }
}

bool is_some(const Work& work) {
  return work.hold.ps > 0 || work.compute.ps > 0 || work.reads > 0 || work.writes > 0;
}

Task<void> do_work(Turn& turn) {
  const Work& work = turn.section.work;
  if (turn.section.extend) co_await extend_all(turn);
  if (work.reads > 0) co_await use_objects(turn, VerbKind::read, work.reads);
  const Duration hold = time_left(turn, work.hold);
  if (hold.ps > 0) co_await turn.verbs.sleep(hold);
  const Duration compute = time_left(turn, work.compute);
  if (compute.ps > 0) co_await turn.verbs.compute(compute);
  if (work.writes > 0) co_await use_objects(turn, VerbKind::write, work.writes);
}

// Asks for the next want. Grants have as numbers how many are held before them.
Task<AcquireResult> acquire_next(Turn& turn) {
  Want& want = turn.section.wants[turn.held.size()];
  want.id = GrantId{static_cast<std::uint32_t>(turn.held.size())};
  turn.observer.acquire_begins(turn.me(), want);
  turn.verbs.mark(Phase::other);
  return turn.lock.acquire(want, turn.section.options);
}

// What came of it.
Next take(Turn& turn, const AcquireResult& result) {
  if (const Grant* const grant = std::get_if<Grant>(&result)) {
    turn.held.add(*grant);
    turn.observer.acquired(turn.me(), *grant);
    return Next::go_on;
  }
  const AbortReason reason = std::get_if<Aborted>(&result)->reason;
  turn.observer.acquire_aborted(turn.me(), turn.section.wants[turn.held.size()], reason);
  return after(reason, turn.section);
}

// Asks for the next want, and takes what comes of it from where the lock has put it.
struct Acquiring {
  Turn& turn;
  Task<AcquireResult> task = acquire_next(turn);

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) const {
    return task.start_then(waiter);
  }
  Next await_resume() {
    const AcquireResult result = task.take_result();
    return take(turn, result);
  }
};

void tell_of_transaction(Turn& turn, bool done) {
  if (done)
    turn.observer.transaction_done(turn.me());
  else
    turn.observer.transaction_given_back(turn.me());
}

Task<ReleaseResult> release(Turn& turn, const Grant& grant) {
  if (turn.last) return turn.lock.write_and_release(*turn.last, grant);
  return turn.lock.release(grant);
}

// One turn: from the choice of a section to the release of all that it held. The time to think
// afterwards; none: the source is exhausted. Most sections have one want and no work: theirs is the
// path without further coroutines.
Task<std::optional<Duration>> one_turn(const Client& client) {
  Turn turn(client);
  const Section& section = turn.section;
  if (!turn.source.next(turn.me(), turn.section)) co_return std::nullopt;
  if (section.arrived) co_await wait_for_arrival(turn, *section.arrived);
  for (;;) {
    if (!section.lookups.empty()) co_await look_up(turn);
    be_patient(turn);
    Next next = Next::go_on;
    while (next == Next::go_on && turn.held.size() < section.wants.size()) {
      const std::size_t held = turn.held.size();
      Acquiring acquiring{turn};
      next = co_await acquiring;
      const bool granted = turn.held.size() > held;
      if (granted && turn.guard != nullptr) co_await turn.guard->enter(turn.verbs, turn.held[held]);
      if (!granted && next == Next::go_on) co_await pause(turn);
    }
    if (next == Next::go_on && section.upgrades > 0) next = co_await upgrade_first(turn);
    if (next == Next::go_on && is_some(section.work)) co_await do_work(turn);
    if (section.transaction) tell_of_transaction(turn, next == Next::go_on);
    const bool forget = next == Next::go_on && section.skip_release;
    for (std::size_t left = turn.held.size(); left > 0; --left) {
      const Grant& grant = turn.held[left - 1];
      if (turn.guard != nullptr) co_await turn.guard->leave(turn.verbs, grant);
      if (forget) {
        turn.observer.release_skipped(turn.me(), grant);
      } else {
        turn.observer.release_begins(turn.me(), grant);
        const ReleaseResult released = co_await release(turn, grant);
        turn.observer.released(turn.me(), grant, released);
      }
    }
    if (next != Next::start_over) break;
    turn.held.clear();
    co_await pause(turn);
  }
  co_return section.think;
}

// Its frame is what a thinking client keeps, and so it holds next to nothing.
Task<void> all_turns(Client client) {
  const ClientId me = client.verbs.client();
  client.observer.cycle_begins(me);
  for (;;) {
    const std::optional<Duration> think = co_await one_turn(client);
    if (!think) co_return;
    if (think->ps > 0) co_await client.verbs.sleep(*think);
    client.observer.cycle_begins(me);
  }
}

}  // namespace

Task<void> client_loop(Verbs& verbs, LockClient& client, OperationSource& source,
                       LoopObserver& observer, Guard* guard) {
  return all_turns({verbs, client, source, observer, guard});
}

}  // namespace latchlab
