#pragma once
// Where strangers knock: connections that have yet to show that they have the token, and to say a
// whole, proper hello.
//
// Nobody waits here for anybody: each stranger has its own time for both, a refused one is told
// why if it has the token, and one that does not go is dropped a second later. At most
// kMaxStrangers are heard at once, and no more than half of the descriptors that the process may
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
  // Takes the channel when the member may come in; else leaves it and says why not.
  using Admit = std::function<Status(const Hello&, Channel&)>;

  Admission(Descriptor listener, AdmissionRules rules);

  // Hears whoever is there; never blocks.
  void serve(const Admit& admit);

  // What to watch for reading besides the caller's own connections.
  std::vector<int> descriptors() const;
  std::uint16_t port() const { return port_of(listener_); }
  const AdmissionRules& rules() const { return rules_; }
  // Empty: nobody was refused yet.
  const std::string& last_refusal() const { return last_refusal_; }
  // Why no further connection could be taken when one was last looked for; empty: they could.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Stranger {
    Channel channel;
    std::string address;
    Deadline until;
    bool leaving = false;  // refused, and may read why
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
