// Tests that catch small faults in the rma_rw lock which no other test detects.

#include "tests/protocols/marks.h"
#include "tests/protocols/recvs.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(rma_rw, reports_no_writers_mode_among_readers) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup readers = crowd("rma_rw");
  readers.shared_percent = 100;
  EXPECT_THAT(reached_by_crowd(readers), Not(Contains("a reader finds writers' mode")));
}

TEST(rma_rw, posts_two_recvs_for_each_lock) {
  expect_two_recvs_for_each_lock("rma_rw");
}

TEST(rma_rw, asks_clients_only_for_the_memory_of_queue_nodes) {
  const ProtocolEntry& entry = *find_protocol("rma_rw");
  ParamSet params = entry.info.resolve("repaired");
  params.set("max_held", number(3));
  EXPECT_EQ(entry.make(params)->layout({}).client_bytes, 0U);
  params.set("notes", text("words"));
  EXPECT_EQ(entry.make(params)->layout({}).client_bytes, 3 * 16U);
}

}  // namespace
}  // namespace latchlab::testing
