#pragma once
// A coordinator, and members as threads of this process or as processes of their own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/launch/coordinator.h"
#include "core/launch/local_members.h"
#include "core/launch/member.h"
#include "tests/paths.h"

namespace latchlab::launch {

using std::chrono::milliseconds;

// For waits that end much earlier; a test that reaches it has failed.
inline constexpr milliseconds kLong{20'000};

inline const std::string kToken = "a token for tests";

inline MemberOptions member_options() {
  MemberOptions options;
  options.program = "test 1";
  options.token = kToken;
  options.host = "here";
  options.join_within = kLong;
  return options;
}

class Launch : public testing::Test {
 protected:
  using Life = std::function<void(Member&)>;

  Launch() { options.program = "test 1", options.token = kToken; }
  ~Launch() override {
    coordinator_.clear();  // members that are still connected notice
    join_threads();
  }

  Coordinator& coordinator() {
    if (coordinator_.empty()) {
      options.note = [this](const std::string& note) { notes.push_back(note); };
      auto listening = Coordinator::listen(options);
      if (!listening) ADD_FAILURE() << listening.error().message;
      coordinator_.push_back(std::move(listening).value());
    }
    return coordinator_.front();
  }
  Address address() { return {"127.0.0.1", coordinator().port()}; }

  // Starts threads that join and then run `life`.
  void start_members(std::uint32_t count, const Life& life) {
    const Address at = address();
    for (std::uint32_t i = 0; i < count; ++i)
      threads_.emplace_back([at, life] {
        auto member = Member::join(at, member_options());
        if (!member) ADD_FAILURE() << member.error().message;
        if (member) life(member.value());
      });
  }
  // Another thread of the test; it ends when the operation that it waits for does.
  void start_thread(const std::function<void()>& body) { threads_.emplace_back(body); }

  void join_threads() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  // Processes of tests/launch_member.
  Result<LocalMembers> start_processes(std::uint32_t count) {
    LocalMemberOptions local;
    local.argv = {LATCHLAB_LAUNCH_MEMBER, std::to_string(coordinator().port())};
    local.count = count;
    local.token = options.token;
    return LocalMembers::start(local);
  }

  Status gather(std::uint32_t members) {
    return coordinator().gather(members, {within(kLong), {}, {}});
  }
  void gather_all(std::uint32_t members) {
    const Status gathered = gather(members);
    ASSERT_TRUE(gathered.ok()) << gathered.error().message;
  }
  JobOutcome run_job(const std::string& common, const std::vector<std::string>& each,
                     JobWatch watch = {}) {
    if (watch.deadline == kNever) watch.deadline = within(kLong);
    auto outcome = coordinator().run_job(common, each, watch);
    if (!outcome) ADD_FAILURE() << outcome.error().message;
    return outcome ? std::move(outcome).value() : JobOutcome();
  }

  RendezvousOptions options;  // changed before coordinator() is first called
  std::vector<std::string> notes;

 private:
  std::vector<Coordinator> coordinator_;  // at most one
  std::vector<std::thread> threads_;
};

// A member that runs `work` for each job until it is dismissed.
inline void do_jobs(Member& member, const std::function<std::string(Member&, const Job&)>& work) {
  for (;;) {
    const auto job = member.next_job(within(kLong));
    ASSERT_TRUE(job.ok()) << job.error().message;
    if (!job.value()) return;
    const Status finished = member.finish(work(member, *job.value()), within(kLong));
    ASSERT_TRUE(finished.ok()) << finished.error().message;
  }
}

inline std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part + ",";
  return all;
}

// All parts, each followed by a comma; or the reason why there are none.
inline std::string exchanged(Member& member, const std::string& mine) {
  const auto parts = member.exchange(mine, within(kLong));
  return parts ? joined(parts.value()) : "failed: " + parts.error().message;
}

// By rank: the result of each member; or how it was lost.
inline std::vector<std::string> blobs(const JobOutcome& outcome) {
  std::vector<std::string> all;
  for (const JobReply& reply : outcome.replies) all.push_back(reply.blob.value_or(reply.lost));
  return all;
}

// Polls until `count` events have come.
inline std::vector<Event> events(Member& member, std::size_t count) {
  std::vector<Event> all;
  const Deadline deadline = within(kLong);
  while (all.size() < count && Clock::now() < deadline) {
    for (Event& event : member.poll()) all.push_back(std::move(event));
    std::this_thread::sleep_for(milliseconds(1));
  }
  return all;
}

}  // namespace latchlab::launch
