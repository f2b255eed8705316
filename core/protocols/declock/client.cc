#include "core/protocols/declock/client.h"

#include "core/base/paths.h"
#include "core/protocols/common/modes.h"
#include "core/protocols/common/planted.h"

namespace latchlab::declock {

Task<AcquireResult> Client::acquire(Want want, AcquireOptions /*options*/) {
  want.mode = reader_or_writer(want);
  const Node::Joined joined = co_await join(want);
  if (joined.how == LocalQueues::Joined::enters) {
    LATCHLAB_PATH("declock: a reader enters beside readers of its node");
    co_return Grant(want, want.mode);
  }
  if (joined.how == LocalQueues::Joined::waits) {
    const HandoverWord turn = co_await wait_for_turn(want.lock, joined);
    if (turn == kYours) {
      LATCHLAB_PATH("declock: a neighbour hands the lock over");
      co_return Grant(want, want.mode);
    }
  }
  co_return co_await lead(want, joined.since);
}

Task<Node::Joined> Client::join(Want want) {
  Node::Joined joined;
  const auto visit = [this, &want, now = verbs_.now(), &joined] {
    node_->outlives(want.lock.id, verbs_.life_of(want.lock.entry.node));
    joined = node_->join(want.lock.id, verbs_.client(), want.mode, now);
  };
  co_await verbs_.on_node(want.lock.id, visit);
  if (joined.looks) joined = co_await look_and_join(want, joined);
  co_return joined;
}

// Called by a late reader, which might pass a writer of another node that this node does not know.
Task<Node::Joined> Client::look_and_join(Want want, Node::Joined first) {
  LATCHLAB_PATH("declock: a late reader looks for other nodes");
  verbs_.mark(Phase::wait_writers);
  std::uint64_t since = 0;
  {
    const ReadWords seen = co_await verbs_.read_words(want.lock.entry, format_.bytes());
    if (seen.ok())
      since =
          waiting_behind_readers(format_, seen.words(), is_mine(), options_.times(), first.since);
  }
  if (since != 0) LATCHLAB_PATH("declock: a late reader sees that other nodes wait");
  Node::Joined joined;
  const auto visit = [this, &want, &first, since, &joined] {
    node_->outlives(want.lock.id, verbs_.life_of(want.lock.entry.node));
    joined = node_->join_after_look(want.lock.id, verbs_.client(), first, since);
  };
  co_await verbs_.on_node(want.lock.id, visit);
  co_return joined;
}

bool Client::prefetches(const Node::Joined& joined) const {
  if (!options_.looks_for_remote_waiters()) return false;
  switch (options_.prefetch) {
    case Prefetch::waiting:
      return true;
    case Prefetch::unknown:
      return !joined.remote_known;
    case Prefetch::held:
      return joined.held;
    case Prefetch::never:
      break;
  }
  return false;
}

Task<HandoverWord> Client::wait_for_turn(LockRef lock, Node::Joined joined) {
  LATCHLAB_PATH("declock: a client waits for its neighbours");
  verbs_.mark(Phase::wait_pred);
  if (prefetches(joined)) co_await prefetch(lock, joined);
  WordWait turn;
  turn.word = my_turn_;
  turn.until = [](std::uint64_t value) { return value != kWait; };
  const WaitOutcome woke = co_await verbs_.await_local(turn);
  co_await verbs_.store(my_turn_, kWait);  // for the next time
  co_return static_cast<HandoverWord>(woke.value);
}

// READs, for the client that releases the lock, since when other nodes wait.
Task<void> Client::prefetch(LockRef lock, Node::Joined joined) {
  const ReadWords seen = co_await verbs_.read_words(lock.entry, format_.bytes());
  if (!seen.ok() || !joined.held) co_return;
  const std::uint64_t since =
      remote_waiters_since(format_, seen.words(), joined.mode, is_mine(), options_.times());
  if (since == 0) co_return;
  LATCHLAB_PATH("declock: a client sees that other nodes wait");
  Node* const node = node_;
  const auto visit = [node, lock = lock.id, tenure = joined.tenure, since] {
    node->remote_waits(lock, tenure, since);
  };
  co_await verbs_.on_node(lock.id, visit);
}

Task<AcquireResult> Client::lead(Want want, std::uint32_t since) {
  LATCHLAB_PATH("declock: a client leads its node");
  const AcquireResult result = co_await global_.acquire_since(want, since);
  const Grant* const global = std::get_if<Grant>(&result);
  if (global == nullptr) {
    LATCHLAB_PATH("declock: a leader is refused");
    co_await step_down(want.lock.id);
    co_return result;
  }
  Node* const node = node_;
  std::vector<ClientId> enter;
  const auto visit = [node, global, &enter] { enter = node->took(*global); };
  co_await verbs_.on_node(want.lock.id, visit);
  co_await tell_those_who_enter(enter);
  co_return Grant(want, want.mode);
}

Task<ReleaseResult> Client::release(Grant grant) {
  Node::Left left;
  ReleaseResult result = ReleaseResult::released;
  const auto visit = [this, &grant, &left, &result] {
    const ServerLife life = verbs_.life_of(grant.lock.entry.node);
    if (node_->outlives(grant.lock.id, life)) result = ReleaseResult::suppressed;
    left = node_->leave(grant.lock);
  };
  co_await verbs_.on_node(grant.lock.id, visit);
  if (left.how == LocalQueues::Left::others_stay) {
    LATCHLAB_PATH("declock: a reader leaves other readers of its node holding");
    co_return result;
  }
  if (left.how == LocalQueues::Left::handed_on) {
    verbs_.mark(Phase::notify_succ);
    co_await tell_those_who_enter(left.enter);
    co_return result;
  }
  const cql::Client::Notice notice = co_await global_.give_up(left.global);
  co_await step_down(grant.lock.id);
  co_await global_.tell(notice);
  co_return notice.result;
}

Task<void> Client::tell_those_who_enter(const std::vector<ClientId>& enter) {
  if (enter.size() > 1) LATCHLAB_PATH("declock: several readers of a node enter together");
  for (const ClientId each : enter) co_await verbs_.store(peers_.client_words(each), kYours);
}

Task<void> Client::step_down(LockId lock) {
  Node* const node = node_;
  LocalQueues::Next next;
  const auto visit = [node, lock, &next] { next = node->freed(lock); };
  co_await verbs_.on_node(lock, visit);
  if (!next.any) co_return;
  LATCHLAB_PATH("declock: the next of the node leads");
  if (PLANTED(declock_forgets_who_leads_next)) co_return;
  co_await verbs_.store(peers_.client_words(next.waiter.client), kLead);
}

namespace {

// Header and queue, as a READ returned them.
class Seen {
 public:
  Seen(const cql::Format& format, std::span<const std::uint64_t> words)
      : format_(format), header_(format.unpack(words[0])), queue_(words.subspan(1)) {}

  const cql::Header& header() const { return header_; }
  bool tells() const { return header_.reset == 0 && header_.size <= format_.capacity(); }
  cql::Entry entry(std::uint32_t place) const {
    return cql::Format::unpack_entry(queue_[format_.slot(header_.head + place)]);
  }
  bool written(std::uint32_t place) const {
    return entry(place).version == format_.version(header_.head + place);
  }
  bool writer(std::uint32_t place) const { return written(place) && entry(place).writes; }
  std::uint64_t earliest(std::uint32_t from, cql::TimeOrder times) const {
    times.notified = cql::Notified::earliest;
    return cql::earliest(format_, {header_.head, header_.size, header_.writers}, from, queue_,
                         times);
  }

 private:
  const cql::Format& format_;
  cql::Header header_;
  std::span<const std::uint64_t> queue_;
};

}  // namespace

std::uint64_t remote_waiters_since(const cql::Format& format, std::span<const std::uint64_t> words,
                                   LockMode mode, const IsMine& mine, const cql::TimeOrder& times) {
  const Seen seen(format, words);
  if (!seen.tells()) return 0;
  const std::uint32_t size = seen.header().size;
  // A writer that held the lock at once has the first place, and no entry.
  std::uint32_t from = mode == LockMode::exclusive ? 1 : 0;
  for (std::uint32_t i = 0; i < size; ++i)
    if (seen.written(i) && mine(seen.entry(i).owner)) from = i + 1;
  if (mode == LockMode::shared)
    while (from < size && !seen.writer(from)) ++from;
  return seen.earliest(from, times);
}

std::uint64_t waiting_behind_readers(const cql::Format& format,
                                     std::span<const std::uint64_t> words, const IsMine& mine,
                                     const cql::TimeOrder& times, std::uint32_t began) {
  const Seen seen(format, words);
  if (!seen.tells()) return 0;
  const std::uint64_t since = remote_waiters_since(format, words, LockMode::shared, mine, times);
  std::uint32_t written = 0;
  for (std::uint32_t i = 0; i < seen.header().size; ++i)
    if (seen.writer(i)) ++written;
  if (written >= seen.header().writers) return since;
  const bool earlier = since != 0 && times.earlier(static_cast<std::uint32_t>(since - 1), began);
  return earlier ? since : 1ULL + began;
}

}  // namespace latchlab::declock
