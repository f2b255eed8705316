#pragma once
// A member of a run: a node process that receives jobs from the coordinator, one after the other.
//
//   join -> { next_job -> exchange* -> work, with broadcast and poll -> finish }* -> dismissed
//
// Used by one thread at a time: it may be handed to another thread (a worker that polls while the
// first thread waits for it), as long as calls do not overlap. No background thread runs. Calls
// with a deadline block; poll() and broadcast() never do.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/launch/channel.h"
#include "core/launch/rendezvous.h"
#include "core/launch/waiting.h"

namespace latchlab::launch {

struct MemberOptions {
  std::string program;  // version and build, as the coordinator's
  std::string token;
  std::string host;                   // empty: this machine's name
  std::string facts;                  // about this machine; JSON or other UTF-8 text, below 60 KiB
  std::optional<std::uint32_t> rank;  // rank to request; nullopt: any
  // Time limit until a coordinator has admitted this member.
  std::chrono::milliseconds join_within{60'000};
  StopRequested stop;  // ends waits with an error; empty: only the coordinator stops this member
};

struct Job {
  std::uint32_t id = 0;
  std::string common;  // identical for all members
  std::string own;
};

struct Event {
  enum class Kind {
    broadcast,         // `text` is the blob that member `rank` sent
    peer_lost,         // `text` names the lost member (`rank`), its host and the reason
    stop,              // the coordinator asks to end the job early; finish with partial results
    coordinator_lost,  // `text` gives the reason; no process waits for a result any more
  };
  Kind kind = Kind::broadcast;
  std::uint32_t rank = 0;
  std::string text;
};

class Member {
 public:
  // Connects to the coordinator (waiting until it listens), says hello and waits to be admitted.
  static Result<Member> join(const Address& coordinator, const MemberOptions& options);

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }

  // The next job; nullopt: dismissed, there are no more jobs. Events of the previous job are
  // discarded. Error: the coordinator is gone or considers this member lost, or the deadline has
  // passed.
  Result<std::optional<Job>> next_job(Deadline deadline = kNever);

  // Gives `mine` to all members of the job, and returns each member's blob, by rank. No member
  // returns before all have called it, so it is also a barrier.
  //
  // It succeeds at all members that survive it or at none of them. After a member is lost or has
  // finished, or a stop was requested, this and every later exchange of the job fails, and the
  // error names the cause. A passed deadline has the same effect at this member only; the other
  // members learn of it at finish().
  Result<std::vector<std::string>> exchange(std::string_view mine, Deadline deadline);
  // The same with one blob for each member, by rank: each member returns what the others gave to
  // it. In one exchange, some members may give individual blobs and others the same blob to all.
  Result<std::vector<std::string>> exchange_each(const std::vector<std::string>& each,
                                                 Deadline deadline);

  // Sends a blob to all other members that have not finished. A member receives the broadcasts of
  // one sender in the order sent, and those of several senders in one order that all members except
  // the senders agree on. Does nothing outside of a job or if the coordinator is gone.
  void broadcast(std::string_view blob);

  // The events of this job since the last call. Also sends queued data.
  std::vector<Event> poll();
  // For poll(2) and epoll(7): readable if poll() may have events. -1: the coordinator is gone.
  int descriptor() const { return channel_.descriptor(); }
  // True if the coordinator has asked to end this job early; updated by poll() and a failed
  // exchange().
  bool is_stop_requested() const { return stop_requested_; }

  // Ends the job with a result. Returns when the system has accepted all of it. Continue with
  // next_job(): if the process exits at once, the last bytes may be lost.
  Status finish(std::string_view blob, Deadline deadline);

 private:
  enum class Phase { idle, offered, at_work, dismissed };  // offered: a job has arrived

  Member(Channel channel, const MemberOptions& options, std::string coordinator);
  Status be_welcomed(Deadline deadline);
  // Processes received frames and waits for more until done() returns true.
  template <class Done>
  Status wait_until(const Done& done, Deadline deadline, const char* what);
  void hear();
  void take(Frame frame);
  void take_of_job(Frame frame);
  void take_part(Frame frame);
  Result<std::vector<std::string>> exchange_as(FrameKind kind, std::string_view mine,
                                               Deadline deadline);
  void fail_exchanges(const std::string& why);
  void begin_job(Frame frame);
  std::string why_gone() const;

  Channel channel_;
  StopRequested stop_;
  std::string coordinator_;  // its address, for messages
  std::uint32_t rank_ = 0;
  std::uint32_t size_ = 0;
  Phase phase_ = Phase::idle;
  Job job_;
  std::vector<Event> events_;
  std::vector<std::optional<std::string>> parts_;
  std::uint32_t parts_there_ = 0;
  std::uint32_t exchange_ = 0;
  std::string exchanges_fail_;  // why; empty: they do not fail
  std::string refused_;         // the coordinator's refusal; empty: admitted
  bool stop_requested_ = false;
  bool told_of_loss_ = false;
};

}  // namespace latchlab::launch
