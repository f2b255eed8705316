#include "core/protocols/rma_rw/words.h"

#include <vector>

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"

namespace latchlab::rma_rw {

Task<void> WordNotes::tell_predecessor(const QueuePlace& place, std::uint64_t predecessor) {
  const bool told = co_await put(words_of(place.lock, predecessor), place.self);
  if (!told) LATCHLAB_PATH("rma_rw: a NEXT cannot be written");
}

Task<std::uint64_t> WordNotes::await_turn(const QueuePlace& place, std::uint64_t /*predecessor*/) {
  const std::uint64_t turn =
      co_await await_change(words_of(place.lock, place.self) + kStatus, kWait);
  co_return turn;
}

Task<void> WordNotes::look_for_successor(QueuePlace& place) {
  const RemoteAddr words = words_of(place.lock, place.self);
  std::uint64_t next = 0;
  if (at_home(words)) {
    next = co_await verbs_.load(words);
  } else {
    const Completion read = co_await verbs_.read(words);
    if (read.ok()) next = read.value.lo;
  }
  place.next = next;
}

Task<void> WordNotes::await_successor(QueuePlace& place) {
  const std::uint64_t next = co_await await_change(words_of(place.lock, place.self), 0);
  place.next = next == kFailed ? 0 : next;
}

Task<void> WordNotes::tell_successor(const QueuePlace& place, std::uint64_t turn) {
  const bool told = co_await put(words_of(place.lock, place.next) + kStatus, turn);
  if (!told) LATCHLAB_PATH("rma_rw: a STATUS cannot be written");
}

Task<bool> WordNotes::put(RemoteAddr word, std::uint64_t value) {
  if (by_cpu_ && at_home(word)) {
    co_await verbs_.store(word, value);
    co_return true;
  }
  const Completion written = co_await verbs_.write(word, value);
  co_return written.ok();
}

Task<std::uint64_t> WordNotes::await_change(RemoteAddr word, std::uint64_t from) {
  if (at_home(word)) {
    WordWait wait;
    wait.word = word;
    wait.until = [from](std::uint64_t now) { return now != from; };
    const WaitOutcome woke = co_await verbs_.await_local(wait);
    co_return woke.value;
  }
  RemoteWait wait;
  wait.add(read_verb(word));
  wait.classify = [from](const ProbeValues& values) {
    return values[0].lo != from ? Verdict::done : Verdict::pending;
  };
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  co_return end.end == WaitEnd::satisfied ? end.values[0].lo : kFailed;
}

namespace {

constexpr unsigned kNodeShift = 24;  // a name: index of the queue node | client + 1
constexpr std::uint64_t kClientMask = field_mask(0, kNodeShift);

// Queue nodes of clients, in their own registered words.
class QueueNodes final : public WordNotes {
 public:
  QueueNodes(const Options& options, const ClientEnv& env)
      : WordNotes(*env.verbs, options.form == Form::tree),
        peers_(*env.peers),
        taken_(options.max_held) {}

  Task<std::uint64_t> open(QueuePlace& place) override {
    std::uint64_t node = 0;
    while (node < taken_.size() && taken_[node] != 0) ++node;
    if (node == taken_.size()) co_return kNoNode;
    taken_[node] = 1;
    place.self = node << kNodeShift | (verbs().client().value + 1ULL);
    const RemoteAddr words = words_of(place.lock, place.self);
    if (!PLANTED(rma_rw_keeps_its_next)) co_await verbs().store(words, 0);
    co_await verbs().store(words + kStatus, kWait);
    co_return kAlone;
  }

  void close(const QueuePlace& place) override { taken_[place.self >> kNodeShift] = 0; }

 private:
  RemoteAddr words_of(LockRef /*lock*/, std::uint64_t name) const override {
    const ClientId owner{static_cast<std::uint32_t>(name & kClientMask) - 1};
    return peers_.client_words(owner) + kNodeBytes * (name >> kNodeShift);
  }

  const Peers& peers_;
  std::vector<std::uint8_t> taken_;  // by queue node
};

}  // namespace

std::unique_ptr<NoteBook> make_words(const Options& options, const ClientEnv& env) {
  return std::make_unique<QueueNodes>(options, env);
}

std::string describe_node(std::uint64_t name) {
  return "client " + std::to_string((name & kClientMask) - 1) + " node " +
         std::to_string(name >> kNodeShift);
}

Task<std::uint64_t> ElementNotes::open(QueuePlace& place) {
  place.self = tree_.element(level_);
  const RemoteAddr words = words_of(place.lock, place.self);
  if (at_home(words)) {
    co_await verbs().store(words, 0);
    co_await verbs().store(words + kStatus, kWait);
    co_return kAlone;
  }
  LATCHLAB_PATH("rma_rw: an element's place is on another node");
  const Completion reset = co_await verbs().write(words, Words{0, kWait});
  co_return reset.ok() ? kAlone : kFailed;
}

Task<bool> ElementNotes::start(const QueuePlace& place) {
  const bool put_there = co_await put(words_of(place.lock, place.self) + kStatus, 0);
  co_return put_there;
}

Task<bool> ElementNotes::find_out(QueuePlace& place) {
  place.self = tree_.element(level_);
  const RemoteAddr words = words_of(place.lock, place.self);
  Words seen;
  if (at_home(words)) {
    seen.lo = co_await verbs().load(words);
    seen.hi = co_await verbs().load(words + kStatus);
  } else {
    const Completion read = co_await verbs().read(words, kNodeBytes);
    if (!read.ok()) co_return false;
    seen = read.value;
  }
  place.next = seen.lo;
  place.turns = seen.hi;
  co_return true;
}

}  // namespace latchlab::rma_rw
