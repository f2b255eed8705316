#pragma once
// The coordinator's connections: an admission for strangers and a place for each member.

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
    // `text` names rank, host and reason. The place is free already.
    std::function<void(std::uint32_t rank, const std::string& text)> lost;
  };

  explicit Connections(Admission admission) : admission_(std::move(admission)) {}

  const Admission& admission() const { return admission_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
  void set_size(std::uint32_t members) { places_.resize(members); }
  std::uint32_t present() const;
  bool is_present(std::uint32_t rank) const { return places_[rank].channel.has_value(); }
  Peer peer(std::uint32_t rank) const;

  // Sends what is queued and waits until something happens, the deadline or a tick passes; then
  // hears the members, and whoever asks for admission.
  void turn(Deadline deadline, const Events& events);

  // Goes out with the next turn, together with what else there is for this member by then. To
  // nobody, when the place is empty.
  void send(std::uint32_t rank, const Bytes& frame);
  std::size_t unsent_bytes(std::uint32_t rank) const;
  // Ends the connection and says why to the member; `events` are told at once.
  void lose(std::uint32_t rank, const std::string& why, const Events& events);
  // Ends it without a word to anybody.
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
