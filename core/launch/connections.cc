#include "core/launch/connections.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <utility>

namespace latchlab::launch {

std::uint32_t Connections::present() const {
  return static_cast<std::uint32_t>(
      std::count_if(places_.begin(), places_.end(),
                    [](const Place& place) { return place.channel.has_value(); }));
}

Peer Connections::peer(std::uint32_t rank) const {
  Peer peer = places_[rank].peer;
  peer.rank = rank;
  peer.is_present = is_present(rank);
  return peer;
}

void Connections::turn(Deadline deadline, const Events& events) {
  // Members first, because a lost member frees its place for a new peer.
  for (const std::uint32_t rank : wait(deadline)) hear(rank, events);
  admission_.serve(
      [&](const Hello& hello, Channel& channel) { return admit(hello, channel, events); });
}

// Returns the members with events. New peers are served in every turn, because their deadlines
// expire without an event.
std::vector<std::uint32_t> Connections::wait(Deadline deadline) {
  std::vector<pollfd> watched;
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    auto& channel = places_[rank].channel;
    if (!channel) continue;
    channel->flush();
    const int wanted = channel->has_unsent() ? POLLIN | POLLOUT : POLLIN;
    watched.push_back({channel->descriptor(), static_cast<short>(wanted), 0});
    ranks.push_back(rank);
  }
  for (const int descriptor : admission_.descriptors()) watched.push_back({descriptor, POLLIN, 0});
  if (::poll(watched.data(), watched.size(), poll_timeout_ms(deadline)) <= 0) return {};
  std::vector<std::uint32_t> ready;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (watched[i].revents != 0) ready.push_back(ranks[i]);
  return ready;
}

void Connections::hear(std::uint32_t rank, const Events& events) {
  Place& place = places_[rank];
  if (!place.channel) return;
  place.channel->receive();
  while (place.channel) {  // a frame may be the reason to lose it
    const auto frame = place.channel->next();
    if (!frame) break;
    events.frame(rank, *frame);
  }
  if (!place.channel || place.channel->broken().empty()) return;
  const std::string why = place.channel->broken();
  lose(rank, why, events);
}

Result<std::uint32_t> Connections::choose_place(const Hello& hello) const {
  if (hello.rank && *hello.rank >= size())
    return Error{fmt::format("it asks for rank {}, but this run has the ranks 0 to {}", *hello.rank,
                             size() - 1),
                 {}};
  if (hello.rank && is_present(*hello.rank))
    return Error{fmt::format("it asks for rank {}, which {} (pid {}) has", *hello.rank,
                             places_[*hello.rank].peer.host, places_[*hello.rank].peer.pid),
                 {}};
  if (hello.rank) return *hello.rank;
  for (std::uint32_t rank = 0; rank < size(); ++rank)
    if (!is_present(rank)) return rank;
  return Error{fmt::format("this run has its {} members already", size()), {}};
}

Status Connections::admit(const Hello& hello, Channel& channel, const Events& events) {
  // The requested place may belong to a member whose death was not noticed yet.
  if (!choose_place(hello))
    for (std::uint32_t rank = 0; rank < size(); ++rank) hear(rank, events);
  const auto rank = choose_place(hello);
  if (!rank) return rank.error();
  Place& place = places_[rank.value()];
  place.peer.host = hello.host;
  place.peer.pid = hello.pid;
  place.peer.facts = hello.facts;
  place.peer.address = other_end(channel.connection());
  channel.set_limit(kMaxFrameBytes);
  channel.send(encode(FrameKind::welcome, rank.value(), size()));
  place.channel = std::move(channel);
  return fine();
}

void Connections::send(std::uint32_t rank, const Bytes& frame) {
  if (is_present(rank)) places_[rank].channel->queue(frame);
}

std::size_t Connections::unsent_bytes(std::uint32_t rank) const {
  return is_present(rank) ? places_[rank].channel->unsent_bytes() : 0;
}

void Connections::lose(std::uint32_t rank, const std::string& why, const Events& events) {
  Place& place = places_[rank];
  if (!place.channel) return;
  place.channel->send(encode(FrameKind::refused, rank, 0, why));
  place.channel.reset();
  events.lost(rank, fmt::format("member {} on {} (pid {}) was lost: {}", rank, place.peer.host,
                                place.peer.pid, why));
}

}  // namespace latchlab::launch
