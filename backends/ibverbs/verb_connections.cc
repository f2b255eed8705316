// Connections of the verb engine: QPs, new or kept from an earlier run (connection_cache.h), and
// with the DC transport the initiators that connections lease while verbs are posted.

#include <array>
#include <utility>

#include "backends/ibverbs/verb_engine.h"
#include "core/base/check.h"

namespace latchlab::ib {

QpOptions VerbEngine::queue_options() const {
  QpOptions options;
  options.depth = Connection::kDepth;
  options.inline_bytes = kByValueBytes;
  options.rd_atomic = 1;  // limits what peers ask of it, and they ask nothing
  options.domain = queues_.domain.get();
  options.masked =
      (context_.directory.atomics & (NativeAtomics::masked_8 | NativeAtomics::masked_16)) != 0;
  return options;
}

Connection& VerbEngine::connection(IbActor& actor, NodeId to) {
  std::unique_ptr<Connection>& made = actor.connections[to];
  if (!made) {
    made = std::make_unique<Connection>();
    made->actor = &actor;
    made->to = to;
  }
  return *made;
}

void VerbEngine::connect(IbActor& actor, NodeId to) {
  Connection& made = connection(actor, to);
  if (context_.directory.dc)
    aim(made);  // if this fails, its verbs will fail too
  else if (made.state == Connection::State::idle)
    ask_for_qp(made);
}

// ---- RC QPs ----

// The kept QP, or a new one.
QueuePair VerbEngine::queue_pair_for(const Connection& connection) {
  auto kept = queues_.ends.extract({connection.actor->key, connection.to});
  if (!kept.empty() && kept.mapped().options().masked == queue_options().masked)
    return std::move(kept.mapped());
  auto made = QueuePair::make(*context_.node.device, queues_.cq, queue_options());
  LATCHLAB_CHECK(made.ok(), made.ok() ? "" : made.error().text());
  return std::move(made).value();
}

void VerbEngine::ask_for_qp(Connection& to) {
  const ThreadId memory_server = context_.directory.memory_server_of(to.to);
  if (!context_.frames.reaches(memory_server)) return fail_waiting(to, VerbStatus::peer_failed);
  to.qp = queue_pair_for(to);
  to.state = Connection::State::asking;
  ConnectBody body;
  body.from = to.actor->key;
  body.address = to.qp.address();
  body.kept = to.qp.peer().number;
  context_.ask(FrameKind::connect, memory_server, nullptr, &to, body);
}

void VerbEngine::connected(Connection& to, const ConnectAnswerBody& answer) {
  to.state = Connection::State::idle;
  const bool kept = to.qp.peer().number != 0;
  // The other end was not kept: asks for a new one.
  if (kept && answer.status != VerbStatus::ok) return ask_for_qp(to);
  if (answer.status != VerbStatus::ok) return fail_waiting(to, answer.status);
  if (!kept && !to.qp.connect(answer.address)) return fail_waiting(to, VerbStatus::peer_failed);
  to.state = Connection::State::ready;
  pump(to);
}

void VerbEngine::reset_when_drained(Connection& to) {
  if (!to.posted.empty()) return;
  to.qp.drop();
  to.state = Connection::State::idle;
  if (to.dci != nullptr) {
    const Status ready = to.dci->recover();
    LATCHLAB_CHECK(ready.ok(), ready.ok() ? "" : ready.error().text());
    give_back_dci(to);
  }
  if (!to.actor->alive) return fail_waiting(to, VerbStatus::flushed);
  pump(to);
}

void VerbEngine::break_off(IbActor& actor) {
  for (auto& [node, made] : actor.connections) {
    if (made->dci == nullptr) {
      made->qp.fail();
    } else if (!made->posted.empty()) {
      made->dci->fail();
      made->state = Connection::State::broken;
    }
  }
}

// ---- DC initiators ----

// Whether there is a path to the connection's node.
bool VerbEngine::aim(Connection& to) {
  if (to.aim) return true;
  const auto found = context_.node.paths->aim_at(context_.directory.of(to.to).dct);
  if (found) to.aim = found.value();
  return found.ok();
}

void VerbEngine::take_dci(Connection& to) {
  if (to.in_line) return;
  if (!context_.frames.reaches(context_.directory.memory_server_of(to.to)) || !aim(to))
    return fail_waiting(to, VerbStatus::peer_failed);
  const auto leased = dcis_.lease(to.to);
  LATCHLAB_CHECK(leased.ok(), leased.ok() ? "" : leased.error().text());
  to.dci = leased.value();
  if (to.dci == nullptr) {
    to.in_line = true;
    return in_line_.push_back(&to);
  }
  to.posts = 0;
  to.state = Connection::State::ready;
  post_ready(to);
  settle(to);
}

// Called when nothing is outstanding on it.
void VerbEngine::give_back_dci(Connection& to) {
  dcis_.give_back(*std::exchange(to.dci, nullptr));
  to.state = Connection::State::idle;
  while (!in_line_.empty() && dcis_.has_free()) {
    Connection& next = *in_line_.front();
    in_line_.pop_front();
    next.in_line = false;
    if (!next.waiting.empty()) take_dci(next);
  }
}

// A connection without outstanding verbs returns its DCI, unless it has more to post and no other
// connection waits for a DCI.
void VerbEngine::settle(Connection& to) {
  if (to.dci == nullptr || to.state != Connection::State::ready || !to.posted.empty()) return;
  if (!to.waiting.empty() && in_line_.empty()) return;
  give_back_dci(to);
  pump(to);
}

// ---- the end of a run ----

bool VerbEngine::drain() {
  std::array<Done, 32> done;
  std::size_t count = done.size();
  while (count == done.size()) {
    count = queues_.cq.poll(done);
    for (std::size_t i = 0; i < count; ++i) forget(done[i]);
  }
  return outstanding_ == 0;
}

void VerbEngine::forget(const Done& done) {
  const IbOperation* const op = context_.operations.find(done.id);
  if (op == nullptr || !op->posted) return;
  Connection& to = *op->connection;
  if (done.status != 0) to.state = Connection::State::broken;
  while (op->posted) {  // and those posted before it
    to.posted.front()->posted = false;
    to.posted.pop_front();
    --outstanding_;
  }
}

void VerbEngine::give_back(std::map<NodeId, std::string>& confirmed) {
  queues_.ends.clear();  // not used in this run
  for (const auto& actor : context_.actors) {
    for (auto& [to, made] : actor->connections) {
      if (!made->posted.empty()) continue;
      const bool broken = made->state == Connection::State::broken;
      if (made->dci != nullptr && (!broken || made->dci->recover()))
        dcis_.give_back(*std::exchange(made->dci, nullptr));
      const bool whole =
          made->state == Connection::State::ready || made->state == Connection::State::looking;
      const std::uint32_t there = made->qp.peer().number;
      if (!actor->alive || !whole || there == 0) continue;
      confirmed[to].append(reinterpret_cast<const char*>(&there), sizeof(there));
      queues_.ends.emplace(EndName{actor->key, to}, std::move(made->qp));
    }
  }
}

}  // namespace latchlab::ib
