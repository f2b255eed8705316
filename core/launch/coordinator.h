#pragma once
// The coordinator of a run: it gives jobs to the members (the node processes of the run) and
// collects their results over TCP. It does not interpret the blobs.
//
// Used by one thread at a time. No background thread runs, so nothing happens between calls. Ranks
// are 0 to N-1. A member is *lost* when its connection ends (its process died, or its machine has
// been unreachable for about 15 s), when it violates the protocol, or when it misses a deadline. If
// possible it is told so, and its seat becomes free for another member.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/rendezvous.h"
#include "core/launch/waiting.h"

namespace latchlab::launch {

struct RendezvousOptions {
  Address at;           // default: only from this machine, at any free port
  std::string program;  // version and build; members with a different one are refused
  std::string token;    // empty: 128 random bits
  // Time limit for a connection to send a complete hello.
  std::chrono::milliseconds hello_within{5000};
  // One line for the user: a peer was refused, or left before its job. May be empty.
  std::function<void(const std::string&)> note;
};

struct Peer {
  std::uint32_t rank = 0;
  std::string host;
  std::int64_t pid = 0;
  std::string address;  // of the member's end of the connection
  std::string facts;
  bool is_present = false;
};

struct GatherWatch {
  Deadline deadline = kNever;
  StopRequested stop;
  // Called at least every kTick; an error ends the wait, for example because a process that was to
  // join has died.
  std::function<Status()> tick;
};

struct JobWatch {
  Deadline deadline = kNever;  // members that have not finished by then are lost
  StopRequested stop;
  // Time that members have to finish after a request to stop.
  std::chrono::milliseconds stop_grace{10'000};
  std::function<void()> tick;  // called at least every kTick
  // Called for a member's broadcast, which is also sent to the other members.
  std::function<void(std::uint32_t rank, const std::string& blob)> heard;
  // `text` names rank, host and reason.
  std::function<void(std::uint32_t rank, const std::string& text)> lost;
};

struct JobReply {
  std::uint32_t rank = 0;
  std::optional<std::string> blob;  // the member's result; nullopt: it was lost
  std::string lost;                 // rank, host and reason; empty: not lost
};

struct JobOutcome {
  std::vector<JobReply> replies;  // by rank
  bool stopped = false;           // on request; members may have ended early
  bool complete() const;          // no member was lost
};

class Connections;

class Coordinator {
 public:
  static Result<Coordinator> listen(const RendezvousOptions& options);
  // Members that were not dismissed notice that the connection has ended.
  ~Coordinator();
  Coordinator(Coordinator&&) noexcept;
  Coordinator& operator=(Coordinator&&) noexcept;

  std::uint16_t port() const;
  const std::string& token() const;

  // Waits until `members` have joined. Members get the ranks that they ask for, else the first free
  // ones. A later call with the same number refills the seats of lost members.
  Status gather(std::uint32_t members, const GatherWatch& watch);

  // Runs one job: all members get `common`, and the member of rank r gets each[r] (or `each` is
  // empty). Returns when every member has finished or is lost. Members that join meanwhile wait for
  // the next job. On error the job was not started: a member is missing, or a blob exceeds a frame.
  Result<JobOutcome> run_job(const std::string& common, const std::vector<std::string>& each,
                             const JobWatch& watch);

  // By rank; empty before the first gather().
  std::vector<Peer> peers() const;
  // For a rank of the first gather(): false after its member is lost, until another one takes its
  // place.
  bool is_present(std::uint32_t rank) const;

  // Dismisses the members; waits at most two seconds for those that do not respond.
  void dismiss();

 private:
  explicit Coordinator(std::unique_ptr<Connections> connections);
  std::unique_ptr<Connections> connections_;
  std::uint32_t jobs_ = 0;
};

}  // namespace latchlab::launch
