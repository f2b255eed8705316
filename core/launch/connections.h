#pragma once
// The coordinator's connections: an Admission for new peers, and a seat for each member.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/channel.h"
#include "core/launch/coordinator.h"
#include "core/launch/frame.h"
#include "core/launch/socket.h"
#include "core/launch/waiting.h"

namespace latchlab::launch {

struct AdmissionRules {
  std::string program;
  std::string token;
  std::chrono::milliseconds hello_within{5000};
  std::function<void(const std::string&)> note;  // one line for the user per refusal; may be empty
};

// Admits new connections: peers that have not yet proved that they have the token or sent a
// complete, valid hello.
//
// Peers do not delay each other: each has its own deadline for both steps. A refused peer with the
// right token is told the reason; one that does not close its connection is dropped after a second.
// At most kMaxStrangers peers are served at once, and they use at most half of the process's
// descriptors; further connections wait in the kernel's backlog.
class Admission {
 public:
  static constexpr std::size_t kMaxStrangers = 1024;
  // Takes over the channel if the peer may join; otherwise returns the reason and leaves the
  // channel.
  using Admit = std::function<Status(const Hello&, Channel&)>;

  Admission(Descriptor listener, AdmissionRules rules);

  // Serves new and waiting peers; never blocks.
  void serve(const Admit& admit);

  // Descriptors to poll for reading, in addition to the caller's own connections.
  std::vector<int> descriptors() const;
  std::uint16_t port() const { return port_of(listener_); }
  const AdmissionRules& rules() const { return rules_; }
  // The last refusal; empty: none yet.
  const std::string& last_refusal() const { return last_refusal_; }
  // Why the last attempt to accept a connection failed; empty: it did not.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Stranger {
    Channel channel;
    std::string address;
    Deadline until;
    bool leaving = false;  // refused, and may still read the reason
    bool gone = false;
  };

  bool takes_more() const;
  void take_new();
  void hear(Stranger& stranger, const Admit& admit);
  void hear_hello(Stranger& stranger, const Frame& frame, const Admit& admit);
  void refuse(Stranger& stranger, const std::string& reason);

  Descriptor listener_;
  AdmissionRules rules_;
  std::size_t most_strangers_;
  std::vector<Stranger> strangers_;
  Deadline rests_until_;
  std::string last_refusal_;
  std::string trouble_;
};

class Connections {
 public:
  struct Events {
    std::function<void(std::uint32_t rank, const Frame& frame)> frame;
    // `text` names rank, host and reason. The seat is already free.
    std::function<void(std::uint32_t rank, const std::string& text)> lost;
  };

  explicit Connections(Admission admission) : admission_(std::move(admission)) {}

  const Admission& admission() const { return admission_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(seats_.size()); }
  void set_size(std::uint32_t members) { seats_.resize(members); }
  std::uint32_t present() const;
  bool is_present(std::uint32_t rank) const { return seats_[rank].channel.has_value(); }
  Peer peer(std::uint32_t rank) const;

  // Sends queued frames and waits until an event, the deadline or the end of a tick. Then serves
  // the members and the peers that ask for admission.
  void turn(Deadline deadline, const Events& events);

  // Queues a frame for the next turn(), which sends all queued frames of a member together. Ignored
  // if the seat is empty.
  void send(std::uint32_t rank, const Bytes& frame);
  std::size_t unsent_bytes(std::uint32_t rank) const;
  // Tells the member why, ends the connection and reports the loss to `events` at once.
  void lose(std::uint32_t rank, const std::string& why, const Events& events);
  // Ends the connection without telling the member or reporting a loss.
  void drop(std::uint32_t rank) { seats_[rank].channel.reset(); }

 private:
  struct Seat {
    std::optional<Channel> channel;
    Peer peer;
  };

  std::vector<std::uint32_t> wait(Deadline deadline);
  Status admit(const Hello& hello, Channel& channel, const Events& events);
  Result<std::uint32_t> choose_seat(const Hello& hello) const;
  void hear(std::uint32_t rank, const Events& events);

  Admission admission_;
  std::vector<Seat> seats_;
};

}  // namespace latchlab::launch
