#include "core/protocols/rma_rw/tree.h"

#include "core/base/check.h"

namespace latchlab::rma_rw {
namespace {

constexpr std::uint64_t kElementBytes = 24;  // the queue's tail; the place in the parent's queue
constexpr std::uint64_t kPlace = 8;

constexpr std::uint64_t quotient_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

// Counters on one client node, if all nodes have equally many clients.
std::uint64_t slots_in(const Options& options, const Shape& shape) {
  const std::uint64_t each = quotient_up(shape.clients, shape.client_nodes);
  return quotient_up(each, options.clients_per_counter);
}

std::uint64_t elements_in(const Shape& shape) {
  return shape.levels.empty() ? 0 : shape.levels.size() - 1;
}

// The first client node of the group that `own` belongs to.
std::uint32_t host_in(const Peers& peers, const Level& level, NodeId own) {
  const auto group_of = [&level](NodeId node) { return level.group_of[node.value - 1U]; };
  std::uint32_t host = 0;
  while (group_of(peers.client_node(host)) != group_of(own)) ++host;
  return host;
}

}  // namespace

Tree::Tree(const Options& options, const Peers& peers, NodeId own)
    : peers_(peers),
      clients_per_counter_(options.clients_per_counter),
      counters_(quotient_up(peers.shape().clients, options.clients_per_counter)),
      slots_(slots_in(options, peers.shape())) {
  const std::vector<Level>& levels = peers.shape().levels;
  LATCHLAB_CHECK(levels.size() >= 2, "a platform has nodes, and all of them");
  for (std::size_t i = 0; i + 1 < levels.size(); ++i)
    hosts_.push_back(host_in(peers, levels[i], own));
  for (std::uint64_t i = 0; i < counters_ && by_owner_; ++i)
    by_owner_ = spot_of(i).slot < slots_;  // otherwise that node has no room for it
}

std::uint64_t Tree::bytes(const Options& options, const Shape& shape) {
  return kElementBytes * elements_in(shape) + 8 * slots_in(options, shape);
}

RemoteAddr Tree::tail(LockRef lock, unsigned level) const {
  if (level == root()) return lock.entry;
  return words(lock, hosts_[level]) + kElementBytes * level;
}

RemoteAddr Tree::place(LockRef lock, unsigned level, std::uint64_t name) const {
  return words(lock, name - 1) + (kElementBytes * level + kPlace);
}

RemoteAddr Tree::counter(LockRef lock, std::uint64_t which) const {
  const Spot spot = spot_of(which);
  return words(lock, spot.host) + (kElementBytes * root() + 8 * spot.slot);
}

Tree::Spot Tree::spot_of(std::uint64_t counter) const {
  if (!by_owner_) return {counter / slots_, counter % slots_};
  const std::uint64_t host = host_of(counter);
  std::uint64_t first = counter;
  while (first > 0 && host_of(first - 1) == host) --first;
  return {host, counter - first};
}

std::uint64_t Tree::host_of(std::uint64_t counter) const {
  const ClientId owner{static_cast<std::uint32_t>(counter * clients_per_counter_)};
  return peers_.client_node_index(peers_.node_of(owner));
}

RemoteAddr Tree::words(LockRef lock, std::uint64_t host) const {
  return peers_.node_lock_words(peers_.client_node(static_cast<std::uint32_t>(host)), lock.id);
}

}  // namespace latchlab::rma_rw
