#pragma once
// Admits new connections: peers that have not yet proved that they have the token or sent a
// complete, valid hello.
//
// Peers do not delay each other: each has its own deadline for both steps. A refused peer with the
// right token is told the reason; one that does not close its connection is dropped after a second.
// At most kMaxStrangers peers are served at once, and they use at most half of the process's
// descriptors; further connections wait in the kernel's backlog.
// have; others wait in the system's queue until one has gone.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/channel.h"
#include "core/launch/hello.h"
#include "core/launch/socket.h"
#include "core/launch/waiting.h"

namespace latchlab::launch {

struct AdmissionRules {
  std::string program;
  std::string token;
  std::chrono::milliseconds hello_within{5000};
  std::function<void(const std::string&)> note;  // one line for the user per refusal; may be empty
};

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

}  // namespace latchlab::launch
