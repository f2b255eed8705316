#include "core/launch/connections.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace latchlab::launch {
namespace {

constexpr std::chrono::milliseconds kTimeToLeave{1000};
// If no connection can be accepted, the listening socket stays readable; it is polled again only
// later.
constexpr std::chrono::milliseconds kRest{200};

std::string seconds_text(std::chrono::milliseconds span) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(span).count());
}

// The text may contain a peer's data: keep whole UTF-8 characters, and limit the length.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 200;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

// The other half is for members and for all other files of the process.
std::size_t half_of_descriptors() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return Admission::kMaxStrangers;
  return static_cast<std::size_t>(limit.rlim_cur / 2);
}

}  // namespace

Admission::Admission(Descriptor listener, AdmissionRules rules)
    : listener_(std::move(listener)),
      rules_(std::move(rules)),
      most_strangers_(std::min(kMaxStrangers, half_of_descriptors())) {}

std::vector<int> Admission::descriptors() const {
  std::vector<int> all;
  if (takes_more()) all.push_back(listener_.number());
  for (const Stranger& stranger : strangers_) all.push_back(stranger.channel.descriptor());
  return all;
}

void Admission::serve(const Admit& admit) {
  take_new();
  for (Stranger& stranger : strangers_) hear(stranger, admit);
  std::erase_if(strangers_, [](const Stranger& stranger) { return stranger.gone; });
}

bool Admission::takes_more() const {
  return strangers_.size() < most_strangers_ && Clock::now() >= rests_until_;
}

void Admission::take_new() {
  while (takes_more()) {
    auto connection = accept_next(listener_);
    trouble_ = connection ? "" : connection.error().message;
    if (!connection) {
      rests_until_ = within(kRest);
      return;
    }
    if (!connection.value().is_open()) break;
    const std::string address = other_end(connection.value());
    SecureStream stream(SecureStream::Side::coordinator, rules_.token);
    strangers_.push_back({Channel(std::move(connection).value(), std::move(stream), kMaxHelloBytes),
                          address, within(rules_.hello_within)});
  }
}

void Admission::hear(Stranger& stranger, const Admit& admit) {
  stranger.channel.receive();
  if (stranger.leaving) {
    while (stranger.channel.next()) {
    }
    stranger.gone = !stranger.channel.is_connected() || Clock::now() >= stranger.until;
    return;
  }
  if (const auto frame = stranger.channel.next()) return hear_hello(stranger, *frame, admit);
  const std::string& distrust = stranger.channel.distrust();
  if (!distrust.empty()) return refuse(stranger, distrust);
  const std::string& broken = stranger.channel.broken();
  if (!broken.empty())
    return refuse(stranger, stranger.channel.is_connected()
                                ? broken + "; it is no latchlab node"
                                : broken + " before it had said who it is");
  if (Clock::now() >= stranger.until)
    refuse(stranger, fmt::format("it did not say who it is within {}; is it a latchlab node?",
                                 seconds_text(rules_.hello_within)));
}

void Admission::hear_hello(Stranger& stranger, const Frame& frame, const Admit& admit) {
  if (frame.kind != FrameKind::hello) return refuse(stranger, "it does not begin with a hello");
  const auto hello = read_hello(frame.payload);
  if (!hello) return refuse(stranger, hello.error().message);
  const Status known = examine(hello.value(), rules_.program);
  if (!known) return refuse(stranger, known.error().message);
  const Status admitted = admit(hello.value(), stranger.channel);
  if (!admitted) return refuse(stranger, admitted.error().message);
  stranger.gone = true;
}

void Admission::refuse(Stranger& stranger, const std::string& reason) {
  const std::string why = shortened(reason);
  last_refusal_ = fmt::format("the peer at {} was refused: {}", stranger.address, why);
  if (rules_.note) rules_.note(last_refusal_);
  stranger.channel.send(encode(FrameKind::refused, 0, 0, why));
  // Closing a connection with unread bytes would reset it, and the peer would not receive the
  // reason.
  stranger.channel.end_of_sending();
  stranger.leaving = true;
  stranger.until = within(kTimeToLeave);
  stranger.gone = !stranger.channel.is_connected();
}

// ---- Connections ----

std::uint32_t Connections::present() const {
  return static_cast<std::uint32_t>(std::count_if(
      seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.channel.has_value(); }));
}

Peer Connections::peer(std::uint32_t rank) const {
  Peer peer = seats_[rank].peer;
  peer.rank = rank;
  peer.is_present = is_present(rank);
  return peer;
}

void Connections::turn(Deadline deadline, const Events& events) {
  // Members first, because a lost member frees its seat for a new peer.
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
    auto& channel = seats_[rank].channel;
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
  Seat& seat = seats_[rank];
  if (!seat.channel) return;
  seat.channel->receive();
  while (seat.channel) {  // a frame may be the reason to lose it
    const auto frame = seat.channel->next();
    if (!frame) break;
    events.frame(rank, *frame);
  }
  if (!seat.channel || seat.channel->broken().empty()) return;
  const std::string why = seat.channel->broken();
  lose(rank, why, events);
}

Result<std::uint32_t> Connections::choose_seat(const Hello& hello) const {
  if (hello.rank && *hello.rank >= size())
    return Error{fmt::format("it asks for rank {}, but this run has the ranks 0 to {}", *hello.rank,
                             size() - 1),
                 {}};
  if (hello.rank && is_present(*hello.rank))
    return Error{fmt::format("it asks for rank {}, which {} (pid {}) has", *hello.rank,
                             seats_[*hello.rank].peer.host, seats_[*hello.rank].peer.pid),
                 {}};
  if (hello.rank) return *hello.rank;
  for (std::uint32_t rank = 0; rank < size(); ++rank)
    if (!is_present(rank)) return rank;
  return Error{fmt::format("this run has its {} members already", size()), {}};
}

Status Connections::admit(const Hello& hello, Channel& channel, const Events& events) {
  // The requested seat may belong to a member whose death was not noticed yet.
  if (!choose_seat(hello))
    for (std::uint32_t rank = 0; rank < size(); ++rank) hear(rank, events);
  const auto rank = choose_seat(hello);
  if (!rank) return rank.error();
  Seat& seat = seats_[rank.value()];
  seat.peer.host = hello.host;
  seat.peer.pid = hello.pid;
  seat.peer.facts = hello.facts;
  seat.peer.address = other_end(channel.connection());
  channel.set_limit(kMaxFrameBytes);
  channel.send(encode(FrameKind::welcome, rank.value(), size()));
  seat.channel = std::move(channel);
  return fine();
}

void Connections::send(std::uint32_t rank, const Bytes& frame) {
  if (is_present(rank)) seats_[rank].channel->queue(frame);
}

std::size_t Connections::unsent_bytes(std::uint32_t rank) const {
  return is_present(rank) ? seats_[rank].channel->unsent_bytes() : 0;
}

void Connections::lose(std::uint32_t rank, const std::string& why, const Events& events) {
  Seat& seat = seats_[rank];
  if (!seat.channel) return;
  seat.channel->send(encode(FrameKind::refused, rank, 0, why));
  seat.channel.reset();
  events.lost(rank, fmt::format("member {} on {} (pid {}) was lost: {}", rank, seat.peer.host,
                                seat.peer.pid, why));
}

}  // namespace latchlab::launch
