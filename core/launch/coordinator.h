#pragma once
// The coordinator of a run: the process that gives work to the members, the node processes of the
// run, and collects what they have found. All over TCP; blobs are opaque.
//
// Used by one thread at a time. Nothing happens between calls: there is no thread behind it. Ranks
// are 0 to N-1. A member is *lost* when its connection ends (its process died, its machine became
// unreachable for about 15 s), when it breaks the protocol, or when it misses a deadline; it is
// then told so, where it can be, and its place is free for another.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/address.h"
#include "core/launch/waiting.h"

namespace latchlab::launch {

struct RendezvousOptions {
  Address at;           // this machine only, at any free port, unless said otherwise
  std::string program;  // version and build; members with another one are refused
  std::string token;    // empty: 128 random bits
  // How long a connection may take to say a whole hello.
  std::chrono::milliseconds hello_within{5000};
  // One line for the user: a peer was refused, or went away before its job. May be empty.
  std::function<void(const std::string&)> note;
};

struct Peer {
  std::uint32_t rank = 0;
  std::string host;
  std::int64_t pid = 0;
  std::string address;  // the other end of its connection
  std::string facts;
  bool is_present = false;
};

struct GatherWatch {
  Deadline deadline = kNever;
  StopRequested stop;
  // Called at least every kTick; its error ends the wait (a process that was to join has died).
  std::function<Status()> tick;
};

struct JobWatch {
  Deadline deadline = kNever;  // members that have not finished by then are lost
  StopRequested stop;
  // After a request to stop members may take so long to finish.
  std::chrono::milliseconds stop_grace{10'000};
  std::function<void()> tick;  // called at least every kTick
  // A member broadcast this; the others have been sent it.
  std::function<void(std::uint32_t rank, const std::string& blob)> heard;
  // Names rank, host and reason.
  std::function<void(std::uint32_t rank, const std::string& text)> lost;
};

struct JobReply {
  std::uint32_t rank = 0;
  std::optional<std::string> blob;  // what the member finished with; nullopt: it was lost
  std::string lost;                 // rank, host and reason; empty: it was not
};

struct JobOutcome {
  std::vector<JobReply> replies;  // by rank
  bool stopped = false;           // on request; members may have ended early
  bool complete() const;          // nobody was lost
};

class Connections;

class Coordinator {
 public:
  static Result<Coordinator> listen(const RendezvousOptions& options);
  // Members that were not dismissed notice that the coordinator is gone.
  ~Coordinator();
  Coordinator(Coordinator&&) noexcept;
  Coordinator& operator=(Coordinator&&) noexcept;

  std::uint16_t port() const;
  const std::string& token() const;

  // Waits until `members` are there; they get ranks as they come, or those that they ask for.
  // Called again, with the same number, it fills the places of those that were lost meanwhile.
  Status gather(std::uint32_t members, const GatherWatch& watch);

  // One job: `common` goes to all members, each[r] to that of rank r (or `each` is empty). Returns
  // when everyone has finished or is lost. Members that join meanwhile wait for the next job.
  // Error: the job was not begun (a member is missing; a blob is too long for a frame).
  Result<JobOutcome> run_job(const std::string& common, const std::vector<std::string>& each,
                             const JobWatch& watch);

  // By rank; empty before the first gather().
  std::vector<Peer> peers() const;
  // Of a member of the first gather(): false once it is lost, until another has its place.
  bool is_present(std::uint32_t rank) const;

  // Sends the members home; waits at most two seconds for those that do not listen.
  void dismiss();

 private:
  explicit Coordinator(std::unique_ptr<Connections> connections);
  std::unique_ptr<Connections> connections_;
  std::uint32_t jobs_ = 0;
};

}  // namespace latchlab::launch
