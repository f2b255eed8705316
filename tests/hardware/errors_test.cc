// Transport errors and how they are reported.

#include <cstring>
#include <set>

#include "tests/hardware/pair.h"

namespace latchlab::ib {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(Errors, of_a_burst_of_sends_one_finds_a_recv_and_the_rest_fail) {
  there_->recvs = must(RecvPool::make(*there_->device, 1, 64));
  QpOptions hasty;
  hasty.rnr_retries = 0;
  QpOptions receiver;
  receiver.recvs = there_->recvs.get();
  connect(hasty, receiver);
  here_->words[0] = 42;
  std::vector<WorkRequest> burst;
  for (std::uint64_t id = 1; id <= 4; ++id)
    burst.push_back(here_->request(WorkRequest::Kind::send, id));
  ASSERT_EQ(here_->qp.post(burst), 0);
  EXPECT_THAT(outcomes(4), ElementsAre(VerbStatus::ok, VerbStatus::receiver_not_ready,
                                       VerbStatus::flushed, VerbStatus::flushed));
  const std::vector<Done> received = there_->completions(1);
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].bytes, 8U);
  std::uint64_t word = 0;
  std::memcpy(&word, there_->recvs->slot(0), sizeof(word));
  EXPECT_EQ(word, 42U);
}

TEST_F(Errors, packet_sequence_numbers_are_unpredictable) {
  std::set<std::uint32_t> steps;
  std::uint32_t before = 0;
  for (int i = 0; i < 8; ++i) {
    here_->make_qp({});
    const std::uint32_t psn = here_->qp.address().psn;
    if (i > 0) steps.insert((psn - before) & 0xff'ffff);
    before = psn;
  }
  EXPECT_THAT(steps, SizeIs(7));
}

TEST_F(Errors, a_sender_with_patience_waits_for_the_recv) {
  there_->recvs = must(RecvPool::make(*there_->device, 1, 64));
  QpOptions receiver;
  receiver.recvs = there_->recvs.get();
  connect({}, receiver);
  const std::vector<WorkRequest> both = {here_->request(WorkRequest::Kind::send, 1),
                                         here_->request(WorkRequest::Kind::send, 2)};
  ASSERT_EQ(here_->qp.post(both), 0);
  ASSERT_THAT(there_->completions(1), SizeIs(1));
  there_->recvs->post(0);
  EXPECT_THAT(outcomes(2), ElementsAre(VerbStatus::ok, VerbStatus::ok));
}

TEST_F(Errors, a_wrong_key_is_an_access_error_and_a_new_pair_works) {
  there_->words[0] = 7;
  connect();
  std::vector<WorkRequest> requests = {read(1), read(2, 1), read(3)};
  ASSERT_EQ(here_->qp.post(requests), 0);
  EXPECT_THAT(outcomes(3),
              ElementsAre(VerbStatus::ok, VerbStatus::access_error, VerbStatus::flushed));
  // The QP stays in the error state.
  requests = {read(4)};
  ASSERT_EQ(here_->qp.post(requests), 0);
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::flushed));
  here_->words[0] = 0;
  connect();
  requests = {read(5)};
  ASSERT_EQ(here_->qp.post(requests), 0);
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::ok));
  EXPECT_EQ(here_->words[0], 7U);
}

// SENDs for which the receiver has no RECV stay outstanding as long as the test needs.
TEST_F(Errors, failing_a_qp_flushes_what_is_outstanding) {
  there_->recvs = must(RecvPool::make(*there_->device, 1, 64));
  QpOptions receiver;
  receiver.recvs = there_->recvs.get();
  connect({}, receiver);
  std::vector<WorkRequest> burst;
  for (std::uint64_t id = 1; id <= 9; ++id)
    burst.push_back(here_->request(WorkRequest::Kind::send, id));
  ASSERT_EQ(here_->qp.post(burst), 0);
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::ok));
  here_->qp.fail();
  const std::vector<VerbStatus> rest = outcomes(8);
  EXPECT_THAT(rest, SizeIs(8));
  EXPECT_THAT(rest, Each(VerbStatus::flushed));
}

TEST_F(Errors, an_address_that_no_port_has_is_named) {
  const auto device = Device::open({"", "192.0.2.1"});
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().text(), HasSubstr("192.0.2.1"));
  const auto unknown = Device::open({"no_such_device", ""});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().text(), HasSubstr("no_such_device"));
}

TEST_F(Errors, a_partition_or_a_service_level_that_no_port_has_is_named) {
  DeviceChoice choice;
  choice.path.pkey = 0x8123;
  const auto other = Device::open(choice);
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().text(), HasSubstr("is in no partition 0x8123; it has: "));
  choice.path.pkey = here_->device->path().pkey & 0x7fff;  // for either kind of membership
  const auto same = must(Device::open(choice));
  EXPECT_EQ(same->path().pkey, here_->device->path().pkey);
  choice.path.sl = 16;
  EXPECT_THAT(Device::open(choice).error().text(), HasSubstr("service level 16"));
}

TEST_F(Errors, a_service_level_and_a_traffic_class_can_be_set) {
  DeviceChoice choice;
  const std::vector<std::string> addresses = must(list_devices()).front().ipv4_addresses();
  if (!addresses.empty()) choice.address = addresses.front();
  choice.path.sl = 3;
  if (!here_->device->facts().infiniband) choice.path.traffic_class = 96;
  here_ = std::make_unique<End>(choice);
  there_->words[0] = 5;
  connect();
  const std::vector<WorkRequest> requests = {read(1)};
  ASSERT_EQ(here_->qp.post(requests), 0);
  EXPECT_THAT(outcomes(1), ElementsAre(VerbStatus::ok));
  EXPECT_EQ(here_->words[0], 5U);
}

}  // namespace
}  // namespace latchlab::ib
