// Writers tell each other by WRITE to the queue node that the tail names, two words of its owner:
// NEXT, and STATUS, which the owner watches.

#include <vector>

#include "core/base/paths.h"
#include "core/protocols/rma_rw/notes.h"

namespace latchlab::rma_rw {
namespace {

constexpr std::uint64_t kWait = ~0ULL;
constexpr unsigned kNodeShift = 24;  // name: number of the client's node | client + 1
constexpr std::uint64_t kClientMask = (1ULL << kNodeShift) - 1;
constexpr std::uint64_t kStatus = 8;

class QueueNodes final : public NoteBook {
 public:
  QueueNodes(const Options& options, const ClientEnv& env)
      : verbs_(*env.verbs), peers_(*env.peers), taken_(options.max_held) {}

  Task<bool> open(Place& place) override {
    std::uint64_t node = 0;
    while (node < taken_.size() && taken_[node] != 0) ++node;
    if (node == taken_.size()) co_return false;
    taken_[node] = 1;
    place.self = node << kNodeShift | (verbs_.client().value + 1ULL);
    const RemoteAddr words = words_of(place.self);
    co_await verbs_.store(words, 0);
    co_await verbs_.store(words + kStatus, kWait);
    co_return true;
  }

  Task<void> tell_predecessor(const Place& place, std::uint64_t predecessor) override {
    const Completion told = co_await verbs_.write(words_of(predecessor), place.self);
    if (!told.ok()) LATCHLAB_PATH("rma_rw: a NEXT cannot be written");
  }

  Task<std::uint64_t> await_turn(const Place& place, std::uint64_t /*predecessor*/) override {
    WordWait turn;
    turn.word = words_of(place.self) + kStatus;
    turn.until = [](std::uint64_t status) { return status != kWait; };
    const WaitOutcome woke = co_await verbs_.await_local(turn);
    co_return woke.value;
  }

  Task<void> look_for_successor(Place& place) override {
    const std::uint64_t next = co_await verbs_.load(words_of(place.self));
    place.next = next;
  }
  Task<void> await_successor(Place& place) override {
    WordWait next;
    next.word = words_of(place.self);
    next.until = [](std::uint64_t name) { return name != 0; };
    const WaitOutcome woke = co_await verbs_.await_local(next);
    place.next = woke.value;
  }

  Task<void> tell_successor(const Place& place, std::uint64_t turn) override {
    const Completion told = co_await verbs_.write(words_of(place.next) + kStatus, turn);
    if (!told.ok()) LATCHLAB_PATH("rma_rw: a STATUS cannot be written");
  }

  void close(const Place& place) override { taken_[place.self >> kNodeShift] = 0; }

 private:
  RemoteAddr words_of(std::uint64_t name) const {
    const ClientId owner{static_cast<std::uint32_t>(name & kClientMask) - 1};
    return peers_.client_words(owner) + kNodeBytes * (name >> kNodeShift);
  }

  Verbs& verbs_;
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

}  // namespace latchlab::rma_rw
