// Two processes on one device: the test, and its peer, which is another process of the same
// program.
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/soft_mlx5/rig.h"

namespace soft_mlx5_test {

namespace {

struct Card {
  std::uint32_t qp = 0;
  std::uint32_t key = 0;
  std::uint64_t memory = 0;
};

constexpr const char* kRole = "SOFT_MLX5_TEST_PEER";  // the peer's end of a socket

// Connects `qp` with the QP of the process at the other end.
Card meet(Rig& rig, ibv_qp* qp, int socket) {
  const Card own = {qp->qp_num, rig.mr->rkey, rig.at(0)};
  Card other;
  EXPECT_EQ(::write(socket, &own, sizeof own), static_cast<ssize_t>(sizeof own));
  EXPECT_EQ(::read(socket, &other, sizeof other), static_cast<ssize_t>(sizeof other));
  EXPECT_EQ(rig.to_init(qp), 0);
  EXPECT_EQ(rig.to_rtr(qp, other.qp), 0);
  EXPECT_EQ(rig.to_rts(qp, {.timeout = 12}), 0);
  return other;
}

TEST(Peer, serves_until_it_is_killed) {
  const char* const role = std::getenv(kRole);
  if (role == nullptr) GTEST_SKIP() << "is what Processes starts";
  const int socket = std::atoi(role);
  Rig rig;
  QpWish wish;
  wish.srq = rig.make_srq(8);
  rig.memory[7] = 4711;
  rig.post_receive(wish.srq, 60, 64, 1000);
  meet(rig, rig.make_rc(wish), socket);
  char byte = 0;
  while (::read(socket, &byte, 1) == 1) continue;
}

TEST(Processes, reach_each_other_until_one_is_killed) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ::setenv(kRole, std::to_string(ends[1]).c_str(), 1);
  char program[] = "/proc/self/exe";
  char filter[] = "--gtest_filter=Peer.*";
  char* arguments[] = {program, filter, nullptr};
  pid_t child = 0;
  ASSERT_EQ(::posix_spawn(&child, program, nullptr, nullptr, arguments, environ), 0);
  ::unsetenv(kRole);
  ::close(ends[1]);
  Rig rig;
  ibv_qp* const qp = rig.make_rc();
  const Card peer = meet(rig, qp, ends[0]);
  const std::uint64_t word = peer.memory + 7 * 8;
  ASSERT_EQ(post(rig, qp, Op{.local = 1, .remote = word, .rkey = peer.key}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  EXPECT_EQ(rig.memory[1], 4711U);
  for (std::uint64_t i = 0; i < 12; ++i)  // so that several are in flight
    ASSERT_EQ(post(rig, qp,
                   Op{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
                      .local = 1,
                      .remote = word,
                      .rkey = peer.key,
                      .id = i,
                      .add_or_compare = 2}),
              0);
  for (std::uint64_t i = 0; i < 12; ++i) EXPECT_EQ(rig.next().id, i);
  EXPECT_EQ(rig.memory[1], 4711U + 22);
  ASSERT_EQ(post(rig, qp,
                 Op{.opcode = IBV_WR_RDMA_WRITE,
                    .remote = peer.memory + 8192,
                    .bytes = 16384,
                    .rkey = peer.key}),
            0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  ASSERT_EQ(post(rig, qp, Op{.opcode = IBV_WR_SEND, .local = 1}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  // The key belongs to the other process.
  EXPECT_NE(peer.key, rig.mr->rkey);
  ::kill(child, SIGKILL);
  ASSERT_EQ(post(rig, qp, Op{.local = 1, .remote = word, .rkey = peer.key}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_RETRY_EXC_ERR);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
}

}  // namespace

}  // namespace soft_mlx5_test
