// A node process for tests/launch: launch_member PORT; or, started by mpirun, launch_member --mpi,
// a whole run of one job (mpi.cc). A node does what the words of a job's common blob say, in order,
// and finishes with the result.
//   exchange      adds all parts, each followed by a comma
//   hang          polls until a stop is requested or the coordinator is gone
//   say           writes 200 KiB to stderr, its own blob last
//   RANK:die      kills itself there, if it has this rank
//   RANK:refuse   leaves the job at once, with "cannot"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>

#include "core/launch/member.h"
#include "core/launch/rendezvous.h"
#include "tests/launch_member/roles.h"

namespace {

using namespace latchlab::launch;
using std::chrono::milliseconds;

constexpr milliseconds kLong{20'000};

void hang(Member& member, std::string& result) {
  for (;;) {
    for (const Event& event : member.poll()) {
      if (event.kind == Event::Kind::peer_lost) result += "lost " + std::to_string(event.rank);
      if (event.kind == Event::Kind::stop) result += "stopped";
      if (event.kind == Event::Kind::coordinator_lost) return;
    }
    if (member.is_stop_requested()) return;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void say(const std::string& what) {
  const std::string line(1023, '.');
  for (int i = 0; i < 200; ++i) std::fprintf(stderr, "%s\n", line.c_str());
  std::fprintf(stderr, "%s\n", what.c_str());
}

std::string work(Member& member, const Job& job) {
  std::string result;
  std::istringstream words(job.common);
  const std::string me = std::to_string(member.rank());
  for (std::string word; words >> word;) {
    if (word == me + ":die") ::raise(SIGKILL);
    if (word == me + ":refuse") return "cannot";
    if (word == "hang") hang(member, result);
    if (word == "say") say(job.own);
    if (word != "exchange") continue;
    const auto parts = member.exchange(job.own, within(kLong));
    if (!parts) return "failed: " + parts.error().message;
    for (const std::string& part : parts.value()) result += part + ",";
  }
  return result;
}

}  // namespace

int be_a_member(std::uint16_t port, const std::string& token, int rank) {
  MemberOptions options;
  options.program = "test 1";
  options.token = token;
  options.rank = static_cast<std::uint32_t>(rank);
  auto joined = Member::join({"127.0.0.1", port}, options);
  if (!joined) {
    std::fprintf(stderr, "%s\n", joined.error().message.c_str());
    return 1;
  }
  Member& member = joined.value();
  for (;;) {
    const auto job = member.next_job();
    if (!job) return 1;
    if (!job.value()) return 0;
    const auto finished = member.finish(work(member, *job.value()), within(kLong));
    if (!finished) return 1;
  }
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (argv[1] == std::string("--mpi")) return run_under_mpi(argv[0]);
  const char* const rank = std::getenv(kRankVariable);
  return be_a_member(static_cast<std::uint16_t>(std::atoi(argv[1])), find_token("").value(),
                     rank != nullptr ? std::atoi(rank) : 0);
}
