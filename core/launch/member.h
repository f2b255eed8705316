#pragma once
// A member of a run: a node process, which takes jobs from the coordinator, one after the other.
//
//   join -> { next_job -> exchange* -> work, with broadcast and poll -> finish }* -> dismissed
//
// Used by one thread at a time: it may be handed to another (a worker that polls while the first
// one waits for it to end), as long as their calls do not overlap. There is no thread behind it.
// Calls with a deadline block; poll() and broadcast() never do.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/launch/address.h"
#include "core/launch/channel.h"
#include "core/launch/waiting.h"

namespace latchlab::launch {

struct MemberOptions {
  std::string program;  // version and build, as the coordinator's
  std::string token;
  std::string host;                   // empty: this machine's name
  std::string facts;                  // about this machine; JSON or other UTF-8 text, below 60 KiB
  std::optional<std::uint32_t> rank;  // to ask for; nullopt: any
  // Until there is a coordinator that says welcome.
  std::chrono::milliseconds join_within{60'000};
  StopRequested stop;  // ends waits with an error; empty: only the coordinator stops this member
};

struct Job {
  std::uint32_t id = 0;
  std::string common;  // the same for all members
  std::string own;
};

struct Event {
  enum class Kind {
    broadcast,         // `text` is what the member `rank` sent
    peer_lost,         // `text` says which member (`rank`) was lost, on which host, and why
    stop,              // the coordinator wants the job to end early: finish with what there is
    coordinator_lost,  // `text` says why; nobody waits for a result any more
  };
  Kind kind = Kind::broadcast;
  std::uint32_t rank = 0;
  std::string text;
};

class Member {
 public:
  // Finds the coordinator (and waits for it to come up), says hello, and is let in or not.
  static Result<Member> join(const Address& coordinator, const MemberOptions& options);

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }

  // The next job; nullopt: dismissed, there are none left. Events of the last one are forgotten.
  // Error: the coordinator is gone, or has given this member up; the deadline has passed.
  Result<std::optional<Job>> next_job(Deadline deadline = kNever);

  // Gives `mine` to all members of the job, and returns what each gave, by rank. Nobody returns
  // before all have called it, so it is a barrier too. It succeeds at all members or at none of
  // those that outlive it: once a member is lost or has finished, or a stop was requested, this and
  // every later exchange of the job fails, and the error names who. (So does a passed deadline,
  // which the others do not learn of before finish().)
  Result<std::vector<std::string>> exchange(std::string_view mine, Deadline deadline);
  // The same, with a blob for each member, by rank: each returns what the others gave to it. In one
  // exchange some may give to each its own, and others the same to all.
  Result<std::vector<std::string>> exchange_each(const std::vector<std::string>& each,
                                                 Deadline deadline);

  // To all other members that have not finished. Each hears the broadcasts of one member in the
  // order sent, and those of several in one order that all third parties agree on.
  // Outside of a job, or when the coordinator is gone: nothing happens.
  void broadcast(std::string_view blob);

  // What has happened in this job since the last call. Also sends what could not be sent before.
  std::vector<Event> poll();
  // Readable when poll() may have news; for poll(2) and epoll(7). -1: the coordinator is gone.
  int descriptor() const { return channel_.descriptor(); }
  // The coordinator has asked to end this job early. Known after poll() or a failed exchange().
  bool is_stop_requested() const { return stop_requested_; }

  // Ends the job with a result. Returns when the system has taken all of it; go on with next_job(),
  // because a process that exits at once may take the last bytes with it.
  Status finish(std::string_view blob, Deadline deadline);

 private:
  enum class Phase { idle, offered, at_work, dismissed };  // offered: a job that waits for us

  Member(Channel channel, const MemberOptions& options, std::string coordinator);
  Status be_welcomed(Deadline deadline);
  // Hears what there is and waits for more until done() says so.
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
  std::string exchanges_fail_;  // why; empty: they do not
  std::string refused_;         // what the coordinator said last; empty: it let us in
  bool stop_requested_ = false;
  bool told_of_loss_ = false;
};

}  // namespace latchlab::launch
