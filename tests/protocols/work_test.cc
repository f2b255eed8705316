// The work of a section: verbs on the objects of its locks.

#include "core/workload/forwarding_observer.h"
#include "tests/protocols/sections.h"
#if LATCHLAB_WITH_SIMGRID
#include "tests/conformance/simulation.h"
#endif

namespace latchlab::testing {
namespace {

RunSetup working(std::uint32_t bytes) {
  RunSetup setup = repeated("cas", 1, [=](ClientId, const World& world, Section& section) {
    want(world, section, 0);
    want(world, section, 1);
    section.work.reads = 3;
    section.work.writes = 2;
    section.work.bytes = bytes;
    section.work.compute = nanoseconds(5);
  });
  setup.object_bytes = bytes;
  return alone(setup);
}

TEST(Work, reads_and_writes_each_object_with_verbs_that_are_counted) {
  const Outcome outcome = run(working(8), 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.tally.reads(), 2U * 3);
  EXPECT_EQ(outcome.tally.writes(), 2U * 2);
  EXPECT_EQ(run(working(16), 1).tally.reads(), 2U * 3);
}

// Client i, which is the only user of lock i.
RunSetup writing(std::uint32_t bytes) {
  RunSetup setup = repeated("cas", 2, [=](ClientId client, const World& world, Section& section) {
    want(world, section, client.value);
    section.work.writes = 1;
    section.work.bytes = bytes;
  });
  setup.object_bytes = bytes;
  return setup;
}
void expect_own_buffers(const Outcome& outcome, std::uint32_t bytes) {
  ASSERT_EQ(outcome.end, RunEnd::finished);
  ASSERT_EQ(outcome.objects.size(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::vector<std::uint64_t> buffer;
    for (std::uint64_t w = 0; w < bytes / 8; ++w) buffer.push_back(buffer_word(ClientId{i}, w));
    EXPECT_EQ(outcome.objects[i], buffer) << "client " << i;
  }
}

TEST(Work, writes_objects_whole_from_the_clients_own_buffer) {
  for (const std::uint32_t bytes : {24U, 64U, 200U})
    for (std::uint64_t seed = 1; seed <= seeds(5); ++seed)
      expect_own_buffers(run(writing(bytes), seed), bytes);
}

#if LATCHLAB_WITH_SIMGRID
// One client with leases of 10 us, so that a section may exceed its grant. A process runs one
// simulation, so that each section is a test of its own.
struct CutCase {
  const char* name;
  std::uint64_t wants;  // locks of a section
  bool cut;
  void (*fill)(Section&);
};

class Cut : public ::testing::TestWithParam<CutCase> {};

TEST_P(Cut, reports_a_grant_that_ends_before_the_work_is_done) {
  const CutCase& each = GetParam();
  RunSetup setup = repeated(kReferenceLock, 4, [=](ClientId, const World& world, Section& section) {
    for (std::uint64_t lock = 0; lock < each.wants; ++lock) want(world, section, lock);
    section.work.bytes = 8;
    each.fill(section);
  });
  setup.locks = 6;
  setup.params = {{"lease", microseconds(10)}};
  setup.object_bytes = 8;
  setup.make = plain_simulation;
  const Outcome outcome = run(alone(setup), 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.acquired, 4 * each.wants);
  EXPECT_EQ(outcome.cut, each.cut ? 4U : 0U);
}

// The first of several locks is held while the client asks for the other locks. A section of
// several locks without work only holds all of them at once.
constexpr CutCase kCutCases[] = {
    {"nothing", 1, false, [](Section&) {}},
    {"short_hold", 1, false, [](Section& section) { section.work.hold = microseconds(2); }},
    {"long_hold", 1, true, [](Section& section) { section.work.hold = microseconds(12); }},
    {"compute", 1, true, [](Section& section) { section.work.compute = microseconds(12); }},
    {"one_read", 1, false, [](Section& section) { section.work.reads = 1; }},
    {"many_reads", 1, true, [](Section& section) { section.work.reads = 30; }},
    {"many_writes", 1, true, [](Section& section) { section.work.writes = 30; }},
    {"transaction", 1, true,
     [](Section& section) {
       section.work.hold = microseconds(12);
       section.transaction = true;
     }},
    {"hold_under_one_lock", 1, false,
     [](Section& section) { section.work.hold = microseconds(5); }},
    {"hold_under_four_locks", 4, true,
     [](Section& section) { section.work.hold = microseconds(5); }},
    {"two_locks_without_work", 2, false, [](Section&) {}},
    {"six_locks_without_work", 6, true, [](Section&) {}}};
INSTANTIATE_TEST_SUITE_P(timed, Cut, ::testing::ValuesIn(kCutCases),
                         [](const auto& each) { return std::string(each.param.name); });

class Counting final : public LoopObserver {
 public:
  void section_cut(ClientId) override { ++cut; }
  void transaction_done(ClientId) override { ++done; }
  void transaction_given_back(ClientId) override { ++given_back; }
  int cut = 0, done = 0, given_back = 0;
};
class Wrapping final : public ForwardingObserver {
 public:
  explicit Wrapping(LoopObserver& inner) : inner_(inner) {}

 private:
  LoopObserver& inner(ClientId) override { return inner_; }
  LoopObserver& inner_;
};
TEST(Forwarding, forwards_the_outcomes_of_sections_and_transactions) {
  Counting seen;
  Wrapping wrapper(seen);
  LoopObserver& front = wrapper;
  front.section_cut(ClientId{0});
  front.transaction_done(ClientId{0});
  front.transaction_given_back(ClientId{0});
  EXPECT_EQ(seen.cut, 1);
  EXPECT_EQ(seen.done, 1);
  EXPECT_EQ(seen.given_back, 1);
}

TEST(timed, work_writes_objects_whole_from_the_clients_own_buffer) {
  RunSetup setup = writing(200);
  setup.make = plain_simulation;
  expect_own_buffers(run(setup, 1), 200);
}

// The second word of each object, which was zero before it was read and written: it comes from the
// client's buffer, or from a long READ into that buffer.
void expect_second_words(std::uint32_t bytes, bool read_into_buffer) {
  RunSetup setup = repeated("cas", 1, [=](ClientId client, const World& world, Section& section) {
    want(world, section, client.value);
    section.work.reads = section.work.writes = 1;
    section.work.bytes = bytes;
  });
  setup.object_bytes = bytes;
  setup.make = plain_simulation;
  const Outcome outcome = run(setup, 1);
  ASSERT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.tally.reads(), 4U);
  EXPECT_EQ(outcome.tally.writes(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(outcome.objects[i][1], read_into_buffer ? 0 : buffer_word(ClientId{i}, 1));
}

TEST(timed, work_reads_long_objects_into_the_buffer) {
  expect_second_words(47'008, true);
}
TEST(timed, work_reads_short_objects_without_a_buffer) {
  expect_second_words(16'384, false);
}
#endif

}  // namespace
}  // namespace latchlab::testing
