// One run started by MPI's launcher.

#include "core/launch/mpi.h"

#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "core/launch/coordinator.h"
#include "core/launch/local_members.h"
#include "tests/launch_member/roles.h"

namespace {

using namespace latchlab::launch;

constexpr std::chrono::seconds kLongWait{20};

int complain(const latchlab::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

int be_the_coordinator(const std::string& program, std::uint32_t size) {
  RendezvousOptions options;
  options.program = "test 1";
  auto coordinator = Coordinator::listen(options);
  if (!coordinator) return complain(coordinator.error());
  Coordinator& run = coordinator.value();
  mpi_share(std::to_string(run.port()) + " " + run.token());
  LocalMemberOptions local;
  local.argv = {program, std::to_string(run.port())};
  local.token = run.token();
  auto mine = LocalMembers::start(local);
  if (!mine) return complain(mine.error());
  const auto check = [&] { return mine.value().check(); };
  const auto gathered = run.gather(size, {within(kLongWait), {}, check});
  if (!gathered) return complain(gathered.error());
  std::vector<std::string> own;
  for (std::uint32_t rank = 0; rank < size; ++rank) own.push_back("r" + std::to_string(rank));
  JobWatch watch;
  watch.deadline = within(kLongWait);
  const auto outcome = run.run_job("exchange", own, watch);
  if (!outcome) return complain(outcome.error());
  for (const JobReply& reply : outcome.value().replies)
    std::printf("%u: %s\n", reply.rank, reply.blob.value_or(reply.lost).c_str());
  run.dismiss();
  mine.value().end(within(kLongWait));
  return 0;
}

}  // namespace

int run_under_mpi(const std::string& program) {
  const auto place = mpi_rank();
  if (!place) return complain(place.error());
  if (!place.value()) {
    std::printf("alone\n");
    return 0;
  }
  if (place.value()->rank == 0) return be_the_coordinator(program, place.value()->size);
  std::istringstream shared(mpi_share(""));
  std::uint16_t port = 0;
  std::string token;
  shared >> port >> token;
  return be_a_member(port, token, static_cast<int>(place.value()->rank));
}
