// Address vectors of DC verbs, and which peer has which initiator.

#include <fmt/core.h>

#include <span>

#include "tests/hardware/dc.h"

namespace latchlab::ib {
namespace {

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

// The layout of infiniband/mlx5dv.h, written by hand. Fields that only the device sets are left
// out: a rate, a MAC, a flow.
TEST_F(Dc, an_address_vector_has_key_number_and_path_of_its_target) {
  DctAddress target = far_->target.address();
  target.key = 0x0123456789abcdef;
  target.number = 0x00123456;
  if (here_->device->facts().infiniband) target.lid = 0x1234;  // not our own
  const std::string vector = hex(aim(target).vector);
  EXPECT_EQ(vector.substr(0, 16), "0123456789abcdef");
  EXPECT_EQ(vector.substr(16, 8), "80123456");
  if (here_->device->facts().infiniband) {
    EXPECT_EQ(vector.substr(28, 4), fmt::format("{:04x}", target.lid));
  } else {
    EXPECT_EQ(vector.substr(54, 2), "40");  // 64 hops
    EXPECT_EQ(vector.substr(64, 32), hex(std::as_bytes(std::span(target.gid.bytes))));
  }
}

TEST_F(Dc, a_path_is_made_once_for_each_peer) {
  DctAddress other = far_->target.address();
  const DcAim one = aim(other);
  other.number += 1;
  EXPECT_EQ(aim(other).path, one.path);
  EXPECT_EQ(paths_->size(), 1U);
  DctAddress elsewhere = near_->target.address();
  if (here_->device->facts().infiniband) elsewhere.lid += 1;
  if (elsewhere.lid == other.lid && elsewhere.gid == other.gid) return;  // there is one address
  EXPECT_NE(aim(elsewhere).path, one.path);
  EXPECT_EQ(paths_->size(), 2U);
}

TEST_F(Dc, an_initiator_is_leased_again_to_the_peer_that_had_it_last) {
  DciPool pool(*here_->device, here_->cq, QpOptions{}, 2);
  Dci* const one = must(pool.lease(NodeId{1}));
  Dci* const two = must(pool.lease(NodeId{2}));
  ASSERT_NE(one, two);
  EXPECT_FALSE(pool.has_free());
  EXPECT_EQ(must(pool.lease(NodeId{3})), nullptr);
  pool.give_back(*one);
  pool.give_back(*two);
  EXPECT_EQ(must(pool.lease(NodeId{2})), two);
  EXPECT_EQ(must(pool.lease(NodeId{3})), one);  // instead of creating a third
  EXPECT_EQ(pool.size(), 2U);
}

}  // namespace
}  // namespace latchlab::ib
