// Which bytes of which files the sections of `kind: file_io` read and write.
#include "core/workload/files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/scenario/file_io.h"
#include "core/workload/micro.h"
#include "tests/non_empty.h"
#include "tests/workload/wanted.h"

namespace latchlab {
namespace {

WorkloadSpec spec_of(FilePattern pattern) {
  WorkloadSpec spec;
  spec.kind = WorkloadKind::file_io;
  spec.file.pattern = pattern;
  if (pattern == FilePattern::oltp) spec.file.access_bytes = 8192;
  return spec;
}

std::unique_ptr<AccessPattern> pattern_of(const WorkloadSpec& spec, std::uint32_t clients,
                                          std::uint64_t locks = 1) {
  return make_pattern({spec, locks, 0, clients, 1});
}

// The accesses of a client in one step of a grid.
std::uint64_t accesses_in_step(std::uint32_t grid, std::uint32_t clients, std::uint32_t client) {
  const std::uint32_t side = side_of(clients);
  std::uint64_t rows = 0;
  for (std::uint32_t layer = 0; layer < side; ++layer)
    rows += std::uint64_t{part_of_edge(grid, side, layer)} *
            part_of_edge(grid, side, (client / side + side - layer) % side);
  return rows;
}

class BtIo : public ::testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t>> {};
INSTANTIATE_TEST_SUITE_P(GridsAndClients, BtIo,
                         ::testing::Combine(::testing::Values(12U, 13U, 23U),
                                            ::testing::Values(1U, 4U, 9U, 16U)));

TEST_P(BtIo, writes_each_byte_of_each_step_once_and_then_restarts) {
  const auto [grid, clients] = GetParam();
  WorkloadSpec spec = spec_of(FilePattern::bt_io);
  spec.file.grid = grid;
  const auto pattern = pattern_of(spec, clients);
  const std::uint64_t step_bytes = std::uint64_t{grid} * grid * grid * kCellBytes;
  for (std::uint32_t step = 0; step < 2 * kTimeSteps; ++step) {
    std::map<std::uint64_t, std::uint64_t> written;  // end by begin
    for (std::uint32_t client = 0; client < clients; ++client)
      for (std::uint64_t i = accesses_in_step(grid, clients, client); i > 0; --i) {
        const FileAccess access = pattern->next(client);
        EXPECT_EQ(access.file, 0U);
        EXPECT_TRUE(access.writes);
        EXPECT_LE(access.bytes, largest_access(spec.file, clients));
        EXPECT_TRUE(written.emplace(access.offset, access.offset + access.bytes).second);
      }
    std::uint64_t at = step % kTimeSteps * step_bytes;
    for (const auto& [from, to] : non_empty(written)) {
      ASSERT_EQ(from, at) << "step " << step;
      at = to;
    }
    EXPECT_EQ(at, (step % kTimeSteps + 1) * step_bytes) << "step " << step;
  }
}

TEST(BtIo, reads_each_run_between_its_write_and_the_next_one_on_request) {
  WorkloadSpec spec = spec_of(FilePattern::bt_io);
  spec.file.grid = 12;
  const auto writes = pattern_of(spec, 4);
  spec.file.reads = true;
  const auto both = pattern_of(spec, 4);
  for (std::uint64_t i = accesses_in_step(12, 4, 1) * 2; i > 0; --i) {
    FileAccess access = writes->next(1);
    EXPECT_EQ(both->next(1), access);
    access.writes = false;
    EXPECT_EQ(both->next(1), access);
  }
}

// In units, too, no part of the file is left out, and only units at the ends of runs are requested
// twice.
TEST(BtIo, requests_all_units_of_a_step) {
  for (const std::uint32_t clients : {1U, 4U, 16U}) {
    WorkloadSpec spec = spec_of(FilePattern::bt_io);
    spec.file.grid = 16;
    spec.file.unit_bytes = 64;
    const auto parts = std::move(make_parts({spec, 1, 0, clients, 1})).value();
    std::set<std::uint64_t> units;
    for (std::uint32_t client = 0; client < clients; ++client)
      for (std::uint64_t i = accesses_in_step(16, clients, client); i > 0; --i) {
        const PartWanted part = part_of(*parts, ClientId{client});
        EXPECT_EQ(part.mode, LockMode::exclusive);
        for (std::uint64_t n = 0; n < part.extent.count; ++n) units.insert(part.extent.first + n);
      }
    EXPECT_EQ(*units.begin(), 0U);
    EXPECT_EQ(units.size(), 16ULL * 16 * 16 * kCellBytes / 64);
    EXPECT_EQ(*units.rbegin(), units.size() - 1);
  }
}

// CITRON 4.3: 135.8 GB, by runs of 2040 to 16320 bytes.
TEST(BtIo, of_class_d_has_the_published_size) {
  const FileSpec file = spec_of(FilePattern::bt_io).file;
  EXPECT_EQ(largest_access(file, 1), 16'320U);
  EXPECT_EQ(largest_access(file, 16), 4'080U);
  EXPECT_EQ(largest_access(file, 64), 2'040U);
  EXPECT_NEAR(std::pow(file.grid, 3) * kCellBytes * kTimeSteps, 135.8e9, 0.05e9);
}

// Multi-partition: in each direction in which the cube is cut, each client has one block in each
// layer.
TEST(BtIo, gives_a_client_one_block_in_each_layer_of_each_direction) {
  WorkloadSpec spec = spec_of(FilePattern::bt_io);
  spec.file.grid = 4;
  const auto pattern = pattern_of(spec, 16);
  for (std::uint32_t client = 0; client < 16; ++client) {
    std::set<std::uint64_t> x, y, z;
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t cell = pattern->next(client).offset / kCellBytes;
      x.insert(cell % 4);
      y.insert(cell / 4 % 4);
      z.insert(cell / 16);
    }
    EXPECT_EQ(x.size(), 4U);
    EXPECT_EQ(y.size(), 4U);
    EXPECT_EQ(z.size(), 4U);
  }
}

TEST(HardWrite, covers_the_file_in_turn_without_gaps) {
  constexpr std::uint32_t kClients = 5;
  const WorkloadSpec spec = spec_of(FilePattern::hard_write);
  const auto pattern = pattern_of(spec, kClients);
  std::vector<FileAccess> accesses(kClients);
  std::uint64_t at = 0;
  for (int i = 0; i < 1000; ++i)
    for (std::uint32_t client = 0; client < kClients; ++client, at += 47'008)
      EXPECT_EQ(pattern->next(client), (FileAccess{0, at, 47'008, true}));
}

TEST(HardWrite, requests_each_unit_that_it_touches_and_shares_units_with_its_neighbours) {
  const auto parts = std::move(make_parts({spec_of(FilePattern::hard_write), 1, 0, 2, 1})).value();
  const PartWanted first = part_of(*parts, ClientId{0}), second = part_of(*parts, ClientId{1});
  EXPECT_EQ(first.extent, (Extent{0, 12}));    // bytes 0 to 47,007 in units of 4,096
  EXPECT_EQ(second.extent, (Extent{11, 12}));  // to 94,015
  EXPECT_TRUE(overlap(first.extent, second.extent));
  EXPECT_EQ(wanted_of(*parts, ClientId{0}).bytes, 47'008U);
}

TEST(Extents, of_accesses_include_every_unit_with_a_byte) {
  EXPECT_EQ(extent_of({0, 0, 1, true}, 4096), (Extent{0, 1}));
  EXPECT_EQ(extent_of({0, 4095, 2, true}, 4096), (Extent{0, 2}));
  EXPECT_EQ(extent_of({0, 4096, 4096, true}, 4096), (Extent{1, 1}));
  EXPECT_EQ(extent_of({0, 7, 3, true}, 1), (Extent{7, 3}));
}

// The odds are 3200 : 320 : 1; 1,000 appends are expected.
TEST(Oltp, reads_writes_and_appends_have_its_odds) {
  constexpr int kDraws = 3'521'000;
  const auto pattern = pattern_of(spec_of(FilePattern::oltp), 1, 11);
  double reads = 0, writes = 0, appends = 0;
  std::map<std::uint64_t, double> files, records;
  for (int i = 0; i < kDraws; ++i) {
    const FileAccess access = pattern->next(0);
    if (access.file == 10) {
      EXPECT_TRUE(access.writes);
      EXPECT_EQ(access.bytes, 262'144U);
      EXPECT_EQ(access.offset, static_cast<std::uint64_t>(appends) % 40 * 262'144);
      ++appends;
      continue;
    }
    ++(access.writes ? writes : reads);
    EXPECT_EQ(access.bytes, 8'192U);
    EXPECT_EQ(access.offset % 8'192, 0U);
    ASSERT_LE(access.offset + access.bytes, 10'485'760U);
    ++files[access.file];
    ++records[access.offset / 8'192];
  }
  const double kinds = std::pow(reads - 3.2e6, 2) / 3.2e6 + std::pow(writes - 320e3, 2) / 320e3 +
                       std::pow(appends - 1e3, 2) / 1e3;
  EXPECT_LT(kinds, 13.8);  // 2 degrees of freedom: 1 in 1000
  ASSERT_EQ(files.size(), 10U);
  ASSERT_EQ(records.size(), 1280U);
  const double of_data = reads + writes;
  double by_file = 0, by_record = 0;
  for (const auto& [file, times] : files)
    by_file += std::pow(times - of_data / 10, 2) / (of_data / 10);
  for (const auto& [record, times] : records)
    by_record += std::pow(times - of_data / 1280, 2) / (of_data / 1280);
  EXPECT_LT(by_file, 27.9);
  EXPECT_LT(by_record, 1440);  // 1279 degrees of freedom: three deviations
}

TEST(Oltp, appends_of_several_clients_fill_the_log_in_turn) {
  const auto pattern = pattern_of(spec_of(FilePattern::oltp), 2, 3);
  std::vector<std::uint64_t> offsets;
  for (std::uint32_t client = 0; client < 2; ++client)
    for (int appends = 0; appends < 2;) {
      const FileAccess access = pattern->next(client);
      if (access.file != 2) continue;
      offsets.push_back(access.offset / 262'144);
      ++appends;
    }
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 2, 1, 3}));
}

TEST(Files, are_read_shared_and_written_exclusively_by_one_verb) {
  MicroSetup setup;
  setup.spec = spec_of(FilePattern::oltp);
  setup.locks.count = 11;
  setup.find_lock = [](LockId id) { return LockRef{id, RemoteAddr{NodeId{1}, 64 * id.value}}; };
  for (const bool data : {true, false}) {
    setup.spec.file.data = data ? FileData::servers : FileData::none;
    const auto workload = std::move(MicroWorkload::make(setup)).value();
    const auto again = std::move(MicroWorkload::make(setup)).value();
    bool reads = false, writes = false;
    for (int i = 0; i < 1000; ++i) {
      Section section, same;
      ASSERT_TRUE(workload->next(ClientId{0}, section));
      ASSERT_TRUE(again->next(ClientId{0}, same));
      EXPECT_EQ(section.wants[0].lock.id, same.wants[0].lock.id);
      EXPECT_EQ(section.wants[0].extent, same.wants[0].extent);
      const bool shared = section.wants[0].mode == LockMode::shared;
      (shared ? reads : writes) = true;
      EXPECT_EQ(section.work.reads, data && shared ? 1U : 0U);
      EXPECT_EQ(section.work.writes, data && !shared ? 1U : 0U);
      if (data && section.wants[0].lock.id != LockId{10}) {
        EXPECT_EQ(section.work.bytes, 8192U);
      }
    }
    EXPECT_TRUE(reads);
    EXPECT_TRUE(writes);
  }
}
// Two machines of 3 readers, 2 writers and 1 logger.
WorkloadSpec roles() {
  WorkloadSpec spec = spec_of(FilePattern::oltp);
  spec.file.roles = {3, 2, 1};
  return spec;
}

TEST(OltpRoles, couple_the_clients_of_a_machine_by_its_reads) {
  const WorkloadSpec spec = roles();
  const auto pattern = make_pattern({spec, 11, 0, 12, 1, 6});
  for (const std::uint32_t machine : {0U, 6U}) {
    for (const std::uint32_t reader : {0U, 1U, 2U})
      for (int i = 0; i < 100; ++i) {
        const FileAccess access = pattern->next(machine + reader);
        EXPECT_FALSE(access.writes);
        EXPECT_TRUE(access.counts);
        EXPECT_EQ(access.after, 0U);
        EXPECT_LT(access.file, 10U);
      }
    std::map<std::uint64_t, int> writes;  // by the reads that precede them
    for (const std::uint32_t writer : {3U, 4U})
      for (int i = 0; i < 150; ++i) {
        const FileAccess access = pattern->next(machine + writer);
        EXPECT_TRUE(access.writes);
        EXPECT_FALSE(access.counts);
        EXPECT_EQ(access.bytes, 8192U);
        ++writes[access.after];
      }
    EXPECT_EQ(writes, (std::map<std::uint64_t, int>{{1000, 100}, {2000, 100}, {3000, 100}}));
  }
}

TEST(OltpRoles, append_to_one_log_after_each_3200_reads) {
  const WorkloadSpec spec = roles();
  const auto pattern = make_pattern({spec, 11, 0, 12, 1, 6});
  for (std::uint64_t nth = 0; nth < 50; ++nth)
    for (const std::uint32_t machine : {0U, 1U}) {
      const FileAccess access = pattern->next(6 * machine + 5);
      EXPECT_EQ(access.file, 10U);
      EXPECT_EQ(access.after, 3200 * (nth + 1));
      EXPECT_EQ(access.offset, (2 * nth + machine) % 40 * 262'144);
    }
}

TEST(Files, of_clients_are_in_blocks_on_all_machines) {
  WorkloadSpec spec = spec_of(FilePattern::hard_write);
  spec.file.data = FileData::clients;
  spec.file.block_bytes = 20'000;
  const auto parts = std::move(make_parts({spec, 1, 0, 1, 1, 1, 3})).value();
  const auto places = [&] {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (const PlacedBytes& place : wanted_of(*parts, ClientId{0}).places)
      all.emplace_back(place.machine, place.bytes);
    return all;
  };
  using Places = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(places(), (Places{{0, 20'000}, {1, 20'000}, {2, 7'008}}));  // to byte 47,008
  EXPECT_EQ(places(), (Places{{2, 12'992}, {0, 20'000}, {1, 14'016}}));
}

TEST(Files, exclude_readers_on_request) {
  WorkloadSpec spec = spec_of(FilePattern::oltp);
  spec.file.reads_exclude = true;
  const auto parts = std::move(make_parts({spec, 11, 0, 1, 1})).value();
  int reads = 0;
  for (int i = 0; i < 100; ++i) {
    const SectionWanted wanted = wanted_of(*parts, ClientId{0});
    EXPECT_EQ(wanted.parts[0].mode, LockMode::exclusive);
    reads += static_cast<int>(wanted.reads);
  }
  EXPECT_GT(reads, 50);
}

}  // namespace
}  // namespace latchlab
