// The phases and tries of drtm's clients, and how long their leases are valid.

#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(drtm, reports_no_takeover_among_writers) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup writers = crowd("drtm");
  writers.shared_percent = 0;
  const Labels found = reached_by_crowd(writers);
  EXPECT_THAT(found, Contains("a writer takes a free word"));
  EXPECT_THAT(found, Not(Contains("a writer takes over a lease")));
}

TEST(drtm, reports_all_retries_as_one_phase) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  EXPECT_THAT(phases_of(crowd("drtm")),
              ElementsAre("acquire IA", "acquire IA RT", "release", "release IA"));
}

TEST(drtm, backs_off_after_the_configured_number_of_tries) {
  Meeting meeting;
  meeting.leaves = false;
  meet("drtm", {{"timeout_tries", number(5)}}, 1, meeting);
  EXPECT_EQ(meeting.reason, AbortReason::too_many);
  EXPECT_EQ(meeting.verbs.one_sided(), 5U);
}

// How long grants are valid, counted from the request and from the grant.
class Validity final : public LoopObserver {
 public:
  Outcome of(RunSetup setup) {
    setup.also = this;
    CaseRun run(setup, 1);
    run_ = &run;
    return run.go();
  }
  void acquire_begins(ClientId client, const Want&) override { asked_ = now(client); }
  void acquired(ClientId client, const Grant& grant) override {
    since_asked.push_back(grant.valid_until - asked_);
    left.push_back(grant.valid_until - now(client));
  }
  std::vector<Duration> since_asked;  // if there is one client
  std::vector<Duration> left;

 private:
  Time now(ClientId client) const {
    return run_->backend().local_now(run_->world().node_of(client));
  }
  CaseRun* run_ = nullptr;
  Time asked_;
};

// A lease minus delta, on the clock of its holder.
TEST(drtm, grants_leases_as_long_as_its_profiles_say) {
  LATCHLAB_NEEDS_EXPLORER("leases of its own length");
  Validity validity;
  for (const char* profile : {"reconstructed", "dslr_paper", "drtm_code"}) {
    RunSetup reader = crowd("drtm", profile);
    reader.client_nodes = 1;
    reader.shared_percent = 100;
    reader.operations = 1;
    EXPECT_EQ(validity.of(reader).end, RunEnd::finished);
  }
  EXPECT_THAT(validity.since_asked,
              ElementsAre(microseconds(950), microseconds(350), microseconds(200)));
}

// The explorer's clock counts steps of a nanosecond each: readers acquire the lock, or have to read
// the word again, after every number of steps.
TEST(drtm, grants_no_expired_lease) {
  LATCHLAB_NEEDS_EXPLORER("ends leases at every step");
  RunSetup readers = crowd("drtm");
  readers.shared_percent = 100;
  readers.impatient = true;
  Validity validity;
  for (int usable = 1; usable <= 60; ++usable) {
    readers.params = {
        {"lease", nanoseconds(200 + usable)}, {"delta", nanoseconds(200)}, {"reserve", Duration{}}};
    EXPECT_EQ(validity.of(readers).end, RunEnd::finished);
  }
  EXPECT_THAT(validity.left, Not(IsEmpty()));
  EXPECT_THAT(validity.left, Each(Gt(Duration{})));
}

#if LATCHLAB_WITH_SIMGRID
// Its first lease would expire 100 us after the writer has released.
TEST(timed, drtm_renews_a_lease_for_a_reader_that_waited_long) {
  Meeting meeting;
  meeting.other = LockMode::shared;
  meet("drtm",
       {{"lease", microseconds(1'100)}, {"delta", microseconds(5)}, {"reserve", microseconds(300)}},
       1, meeting, plain_simulation);
  EXPECT_TRUE(meeting.entered);
  EXPECT_GT(meeting.left, microseconds(300));
}
#endif

}  // namespace
}  // namespace latchlab::testing
