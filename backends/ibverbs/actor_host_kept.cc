// A thread's QPs, from one run to the next (connection_cache.h).

#include <array>
#include <cstdint>
#include <utility>

#include "backends/ibverbs/actor_host.h"
#include "core/base/check.h"

namespace latchlab::ib {

// The kept QP, or a new one.
QueuePair ActorHost::queue_pair_for(const Connection& connection) {
  auto kept = queues_.ends.extract({connection.actor->key, connection.to});
  if (!kept.empty() && kept.mapped().options().masked == queue_options().masked)
    return std::move(kept.mapped());
  auto made = QueuePair::make(*node_.device, frames_->cq(), queue_options());
  LATCHLAB_CHECK(made.ok(), made.ok() ? "" : made.error().text());
  return std::move(made).value();
}

bool ActorHost::drain() {
  std::array<Done, 32> done;
  std::size_t count = done.size();
  while (count == done.size()) {
    count = queues_.cq.poll(done);
    for (std::size_t i = 0; i < count; ++i) forget(done[i]);
  }
  return outstanding_ == 0;
}

void ActorHost::forget(const Done& done) {
  const IbOperation* const op = operations_.find(done.id);
  if (op == nullptr || !op->posted) return;
  Connection& to = *op->connection;
  if (done.status != 0) to.state = Connection::State::broken;
  while (op->posted) {  // and those posted before it
    to.posted.front()->posted = false;
    to.posted.pop_front();
    --outstanding_;
  }
}

void ActorHost::give_back(std::map<NodeId, std::string>& confirmed) {
  queues_.ends.clear();  // not used in this run
  for (const auto& actor : actors_) {
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
