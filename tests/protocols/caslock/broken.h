#pragma once
// Planted bugs of the state machine that caslock and retry_on_fail share.

#include "tests/protocols/planted.h"

namespace latchlab::testing {

constexpr Bug kStaysCounted{"caslock_gives_up_and_stays_counted"};  // a reader that gives up
constexpr Bug kJoinsReaders{"caslock_writer_joins_readers"};        // that hold the lock

inline RunSetup readers_and_writers_of(const char* protocol) {
  RunSetup setup;
  setup.protocol = protocol;
  setup.shared_percent = 50;
  setup.max_steps = 5'000;
  return setup;
}

inline void expect_found_beside_a_reader(Bug bug, explore::Violation violation,
                                         std::uint64_t states, const char* protocol,
                                         std::vector<std::string> sets = {}) {
  explore::Campaign campaign = searched(protocol, {"X", "S"});
  campaign.base.sets = std::move(sets);
  expect_found(bug, violation, states, campaign);
}

}  // namespace latchlab::testing

// A writer that joins readers which hold the lock: in seeded orders, on hardware and in a search.
#define LATCHLAB_TEST_WRITER_THAT_JOINS_READERS(lock)                                              \
  TEST(lock##_planted, a_writer_that_joins_readers) {                                              \
    expect_breaks_exclusion(kJoinsReaders, 20, readers_and_writers_of(#lock));                     \
  }                                                                                                \
  TEST(lock##_planted, a_writer_that_joins_readers_on_hardware) {                                  \
    expect_breaks_exclusion_on_hardware(kJoinsReaders, readers_and_writers_of(#lock));             \
  }                                                                                                \
  TEST(lock##_planted, a_search_finds_a_writer_that_joins_readers) {                               \
    expect_found_beside_a_reader(kJoinsReaders, explore::Violation::mutual_exclusion, 500, #lock); \
  }
