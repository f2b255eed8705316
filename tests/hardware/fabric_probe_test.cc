// The paths between ports of this machine, and how broken ones are detected.

#include "backends/ibverbs/fabric_probe.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "backends/ibverbs/node_descriptor.h"
#include "tests/hardware/pair.h"

namespace latchlab::ib {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using Ends = WayReport::End;

constexpr ProbeOptions kQuick{.tries = 4, .timeout = 14, .retries = 1};

class FabricProbes : public Errors {
 protected:
  void SetUp() override {
    Errors::SetUp();
    if (IsSkipped()) return;
    one_ = must(FabricProbe::make(here_choice(), NodeId{1}, 3, kQuick));
    two_ = must(FabricProbe::make(there_choice(), NodeId{2}, 3, kQuick));
  }
  // The third node has no port.
  void connect() {
    one_->connect({"", two_->descriptors()[0], ""});
    two_->connect({one_->descriptors()[1], "", ""});
  }
  DeviceChoice here_choice() const { return {"", address_of(*here_)}; }
  DeviceChoice there_choice() const { return {"", address_of(*there_)}; }
  static std::string address_of(const latchlab::ib::End& end) {
    return end.device->facts().infiniband ? "" : text_of(end.device->gid());
  }

  std::unique_ptr<FabricProbe> one_, two_;
};

TEST_F(FabricProbes, report_a_path_as_healthy_if_all_verbs_complete) {
  connect();
  for (const WayReport& way : {one_->try_way(NodeId{2}), two_->try_way(NodeId{1})}) {
    EXPECT_EQ(way.end, Ends::fine) << way.why;
    EXPECT_EQ(way.verbs, 5 * kQuick.tries);
    EXPECT_EQ(way.lost, 0U);
    EXPECT_GT(way.min_ns, 0);
    EXPECT_LE(way.min_ns, way.median_ns);
    EXPECT_LE(way.median_ns, way.max_ns);
  }
}

TEST_F(FabricProbes, do_not_try_a_path_to_a_node_without_a_port) {
  connect();
  const WayReport way = one_->try_way(NodeId{3});
  EXPECT_EQ(way.end, Ends::not_tried);
  EXPECT_EQ(way.why, "node 3 has no port to try");
}

TEST_F(FabricProbes, report_verbs_without_a_response) {
  connect();
  two_.reset();
  const WayReport way = one_->try_way(NodeId{2});
  EXPECT_EQ(way.end, Ends::unreachable);
  EXPECT_EQ(way.why, "a WRITE of 8 bytes is not answered");
  EXPECT_EQ(way.verbs, 0U);
}

TEST_F(FabricProbes, detect_written_data_that_is_not_there) {
  ProbeOptions many = kQuick;
  many.tries = 10'000;  // the concurrent write hits between two verbs sooner or later
  one_ = must(FabricProbe::make(here_choice(), NodeId{1}, 3, many));
  connect();
  const std::string descriptor = two_->descriptors()[0].substr(4 * sizeof(QpAddress));
  constexpr std::uint64_t kShared = 4096;  // where peers write
  auto* const word =
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the descriptor has an address in this process
      reinterpret_cast<std::uint64_t*>(must(read_descriptor(descriptor, NodeId{2})).base + kShared);
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (!over) std::atomic_ref(*word).store(7);
  });
  const WayReport way = one_->try_way(NodeId{2});
  over = true;
  other.join();
  EXPECT_EQ(way.end, Ends::wrong_data);
  EXPECT_THAT(way.why, HasSubstr("brought back what was not there"));
}

TEST_F(FabricProbes, are_not_connected_by_an_invalid_descriptor) {
  const std::string descriptor = two_->descriptors()[0];
  one_->connect({"", descriptor.substr(0, descriptor.size() - 8), ""});
  const WayReport way = one_->try_way(NodeId{2});
  EXPECT_EQ(way.end, Ends::not_tried);
  EXPECT_THAT(way.why, HasSubstr("is it the same build?"));
}

TEST(LossCounters, are_those_that_the_port_has) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "fabric_counters";
  fs::create_directories(folder);
  std::ofstream(folder / "local_ack_timeout_err") << "12\n";
  std::ofstream(folder / "out_of_sequence") << "no number\n";
  std::ofstream(folder / "np_cnp_sent") << "5\n";  // not a loss: it counts congestion notifications
  EXPECT_THAT(loss_counters_in(folder.string()), ElementsAre(Pair("local_ack_timeout_err", 12)));
  EXPECT_TRUE(loss_counters_in((folder / "none").string()).empty());
  fs::remove_all(folder);
}

TEST(LossCounters, that_have_not_grown_are_left_out) {
  EXPECT_THAT(grown({{"out_of_sequence", 5}, {"packet_seq_err", 7}},
                    {{"out_of_sequence", 5}, {"packet_seq_err", 9}, {"rnr_nak_retry_err", 1}}),
              ElementsAre(Pair("packet_seq_err", 2), Pair("rnr_nak_retry_err", 1)));
  EXPECT_TRUE(grown({{"out_of_sequence", 5}}, {{"out_of_sequence", 5}}).empty());
}

}  // namespace
}  // namespace latchlab::ib
