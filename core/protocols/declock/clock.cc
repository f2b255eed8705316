
#include "core/base/paths.h"
#include "core/protocols/declock/node.h"

namespace latchlab::declock {
namespace {

enum class Agreed : std::uint8_t { yes, not_yet, failed };

// Counts the nodes that have no living client.
std::uint32_t dead_nodes(const Verbs& verbs, const Peers& peers) {
  const Membership members = verbs.membership();
  std::vector<bool> lives(peers.shape().client_nodes, false);
  for (std::uint32_t i = 0; i < peers.shape().clients; ++i)
    if (members.is_alive(ClientId{i}))
      lives[peers.client_node_index(peers.node_of(ClientId{i}))] = true;
  return static_cast<std::uint32_t>(std::count(lives.begin(), lives.end(), false));
}

// Waits until the counter satisfies `until`. If it does not change for the pause between two
// agreements, a node may have died: not_yet.
Task<Agreed> await_counter(Verbs& verbs, RemoteAddr counter, WordPredicate until, Duration pause) {
  RemoteWait wait;
  wait.add(read_verb(counter));
  wait.classify = [until = &until](const ProbeValues& seen) {
    return (*until)(seen[0].lo) ? Verdict::done : Verdict::pending;
  };
  wait.unchanged_for = pause;
  const RemoteWaitResult end = co_await verbs.await_remote(wait);
  if (end.end == WaitEnd::failed) co_return Agreed::failed;
  co_return end.end == WaitEnd::satisfied ? Agreed::yes : Agreed::not_yet;
}

// As printed: the last node to count sets the counter to 0, which the others wait for.
Task<Agreed> agree_by_reset(Verbs& verbs, const Peers& peers, const Options& options) {
  const RemoteAddr counter = peers.server_words(NodeId{1});
  const Completion counted = co_await verbs.fetch_add(counter, 1);
  if (!counted.ok()) co_return Agreed::failed;
  if (counted.value.lo + 1 == peers.shape().client_nodes) {
    const Completion written = co_await verbs.write(counter, 0);
    co_return written.ok() ? Agreed::yes : Agreed::failed;
  }
  const WordPredicate zero = [](std::uint64_t count) { return count == 0; };
  Agreed agreed = Agreed::not_yet;
  while (agreed == Agreed::not_yet)
    agreed = co_await await_counter(verbs, counter, zero, options.clock_sync);
  co_return agreed;
}

// A counter for each number of dead nodes. Living nodes increment it; it is never reset.
struct Rounds {
  std::uint32_t dead = 0;
  ServerLife life = {};       // of the server: the counters are lost with its memory
  std::uint64_t counted = 0;  // increments by this node since so many are dead
};
Task<Agreed> agree_among_the_living(Verbs& verbs, const Peers& peers, const Options& options,
                                    Rounds& rounds) {
  bool counts = true;
  Agreed agreed = Agreed::not_yet;
  while (agreed == Agreed::not_yet) {
    const std::uint32_t dead = dead_nodes(verbs, peers);
    const ServerLife life = verbs.life_of(NodeId{1});
    if (dead != rounds.dead || life != rounds.life) {
      if (dead != rounds.dead) {
        LATCHLAB_PATH("declock: clocks are synchronised without the dead");
      } else {
        LATCHLAB_PATH("declock: clocks are synchronised anew, as the server has failed");
      }
      rounds = {dead, life, 0};
      counts = true;
    }
    const RemoteAddr counter = peers.server_words(NodeId{1}) + 8 * dead;
    if (counts) {
      const Completion counted = co_await verbs.fetch_add(counter, 1);
      if (!counted.ok()) co_return Agreed::failed;
      ++rounds.counted;
      counts = false;
    }
    const std::uint64_t all = rounds.counted * (peers.shape().client_nodes - dead);
    const WordPredicate all_nodes = [all](std::uint64_t count) { return count >= all; };
    agreed = co_await await_counter(verbs, counter, all_nodes, options.clock_sync);
  }
  co_return agreed;
}

}  // namespace

Task<void> keep_synchronised(Verbs& verbs, const Peers& peers, const Options& options, Node& node) {
  Rounds rounds;
  for (;;) {
    Agreed agreed = Agreed::failed;
    if (options.clock_counter == ClockCounter::reset)
      agreed = co_await agree_by_reset(verbs, peers, options);
    else
      agreed = co_await agree_among_the_living(verbs, peers, options, rounds);
    if (agreed == Agreed::failed) {
      LATCHLAB_PATH("declock: the server fails nodes that synchronise their clocks");
    } else {
      LATCHLAB_PATH("declock: clocks are synchronised");
      const auto start = [at = &node, now = verbs.now()] { at->synchronised(now); };
      co_await verbs.on_node(start);
    }
    WaitSet pause;
    pause.deadline = verbs.now() + options.clock_sync;
    co_await verbs.first_of(pause);
  }
}

}  // namespace latchlab::declock
