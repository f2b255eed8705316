// Writers notify each other by SEND to the endpoint that the tail names.

#include "core/base/paths.h"
#include "core/protocols/common/inbox.h"
#include "core/protocols/rma_rw/notes.h"

namespace latchlab::rma_rw {
namespace {

enum MessageType : std::uint16_t { kSuccessor = 1, kTurn = 2 };

class Messages final : public NoteBook {
 public:
  Messages(const Options& options, const ClientEnv& env)
      : options_(options), verbs_(*env.verbs), me_(verbs_.open_endpoint(2 * options.max_held)) {}

  Task<std::uint64_t> open(QueuePlace& place) override {
    place.self = me_.packed();
    place.generation = ++generation_;
    co_return kAlone;
  }

  Task<void> tell_predecessor(const QueuePlace& place, std::uint64_t predecessor) override {
    const Message note = {kSuccessor, place.generation, place.lock.id, {place.self}};
    // The send status is ignored: a dead predecessor means that the queue is dead.
    const VerbStatus told = co_await verbs_.send(EndpointAddr::unpack(predecessor), note);
    if (told != VerbStatus::ok) LATCHLAB_PATH("rma_rw: a Successor cannot be delivered");
  }

  Task<std::uint64_t> await_turn(const QueuePlace& place, std::uint64_t predecessor) override {
    const WaitOutcome woke =
        co_await verbs_.receive(me_, about(place.lock.id, kTurn, place.generation));
    co_await delay_received_from(predecessor, woke.message);
    co_return woke.message.words[0];
  }

  Task<void> look_for_successor(QueuePlace& place) override {
    const WaitOutcome known = co_await poll_inbox(verbs_, me_, about(place.lock.id, kSuccessor));
    if (known.by == Woke::message) co_await take(place, known.message);
  }
  Task<void> await_successor(QueuePlace& place) override {
    const WaitOutcome known = co_await verbs_.receive(me_, about(place.lock.id, kSuccessor));
    co_await take(place, known.message);
  }

  Task<void> tell_successor(const QueuePlace& place, std::uint64_t turn) override {
    const Message note = {kTurn, place.next_generation, place.lock.id, {turn}};
    const VerbStatus told = co_await verbs_.send(EndpointAddr::unpack(place.next), note);
    if (told != VerbStatus::ok) LATCHLAB_PATH("rma_rw: a turn cannot be delivered");
  }

  void close(const QueuePlace& /*place*/) override {}

 private:
  Task<void> take(QueuePlace& place, Message successor) {
    place.next = successor.words[0];
    place.next_generation = successor.generation;
    co_await delay_received_from(place.next, successor);
  }
  Task<void> delay_received_from(std::uint64_t sender, Message message) {
    const bool delayed = co_await delay_received(
        verbs_, EndpointAddr::unpack(sender), message.received_latest, options_.intra_node_delay);
    if (delayed) LATCHLAB_PATH("rma_rw: a message within a node is delayed");
  }

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  EndpointAddr me_;
  std::uint32_t generation_ = 0;  // number of this client's latest acquisition as a writer
};

}  // namespace

std::unique_ptr<NoteBook> make_messages(const Options& options, const ClientEnv& env) {
  return std::make_unique<Messages>(options, env);
}

}  // namespace latchlab::rma_rw
