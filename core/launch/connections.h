#pragma once
// The coordinator's connections: an Admission for new peers, and a place for each member.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/launch/admission.h"
#include "core/launch/channel.h"
#include "core/launch/coordinator.h"

namespace latchlab::launch {

class Connections {
 public:
  struct Events {
    std::function<void(std::uint32_t rank, const Frame& frame)> frame;
    // `text` names rank, host and reason. The place is already free.
    std::function<void(std::uint32_t rank, const std::string& text)> lost;
  };

  explicit Connections(Admission admission) : admission_(std::move(admission)) {}

  const Admission& admission() const { return admission_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
  void set_size(std::uint32_t members) { places_.resize(members); }
  std::uint32_t present() const;
  bool is_present(std::uint32_t rank) const { return places_[rank].channel.has_value(); }
  Peer peer(std::uint32_t rank) const;

  // Sends queued frames and waits until an event, the deadline or the end of a tick. Then serves
  // the members and the peers that ask for admission.
  void turn(Deadline deadline, const Events& events);

  // Queues a frame for the next turn(), which sends all queued frames of a member together. Ignored
  // if the place is empty.
  void send(std::uint32_t rank, const Bytes& frame);
  std::size_t unsent_bytes(std::uint32_t rank) const;
  // Tells the member why, ends the connection and reports the loss to `events` at once.
  void lose(std::uint32_t rank, const std::string& why, const Events& events);
  // Ends the connection without telling the member or reporting a loss.
  void drop(std::uint32_t rank) { places_[rank].channel.reset(); }

 private:
  struct Place {
    std::optional<Channel> channel;
    Peer peer;
  };

  std::vector<std::uint32_t> wait(Deadline deadline);
  Status admit(const Hello& hello, Channel& channel, const Events& events);
  Result<std::uint32_t> choose_place(const Hello& hello) const;
  void hear(std::uint32_t rank, const Events& events);

  Admission admission_;
  std::vector<Place> places_;
};

}  // namespace latchlab::launch
