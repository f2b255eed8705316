// What a workload can request of ranges of objects and of files, and the messages if that is
// impossible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/file_io.h"
#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string ranges(const std::string& keys) {
  return "workload: {kind: range, " + keys + "}";
}
std::string files(const std::string& value, const std::string& locks = "locks: {count: 1}\n") {
  return locks + "workload: {kind: file_io, files: " + value + "}";
}

TEST(Ranges, have_one_size_or_several) {
  const WorkloadSpec usual = point_of("workload: {kind: range}").workload;
  EXPECT_EQ(usual.kind, WorkloadKind::range);
  EXPECT_EQ(usual.range.units, std::uint64_t{1} << 28U);
  EXPECT_THAT(usual.range.sizes, ElementsAre(1));
  EXPECT_THAT(point_of(ranges("units: 1k, sizes: 16")).workload.range.sizes, ElementsAre(16));
  const WorkloadSpec turns = point_of(ranges("sizes: [1, 16, 1k]")).workload;
  EXPECT_THAT(turns.range.sizes, ElementsAre(1, 16, 1000));
  EXPECT_FALSE(turns.range.by_operation);
  const WorkloadSpec drawn = point_of(ranges("sizes: {values: [1, 16], by: operation}")).workload;
  EXPECT_THAT(drawn.range.sizes, ElementsAre(1, 16));
  EXPECT_TRUE(drawn.range.by_operation);
  EXPECT_FALSE(
      point_of(ranges("sizes: {values: [1, 16], by: client}")).workload.range.by_operation);
}

TEST(Ranges, are_resolved_to_a_text_that_reads_the_same) {
  for (const char* sizes :
       {"16", "[1, 16, 256]", "{values: [1, 16], by: operation}", "{values: 4, by: client}"})
    expect_round_trip(
        scenario(ranges(std::string("units: 4096, read_ratio: 50%, sizes: ") + sizes)));
  const Point point = point_of(ranges("sizes: [1, 16]"));
  EXPECT_THAT(point.resolved_yaml, HasSubstr("sizes: [1, 16]"));
  EXPECT_THAT(point.resolved_json, HasSubstr("\"sizes\":[1,16]"));
  EXPECT_THAT(point.resolved_yaml, Not(HasSubstr("locality")));
  EXPECT_THAT(point_of("").resolved_yaml, Not(HasSubstr("sizes")));
}

TEST(Ranges, that_do_not_fit_an_object_are_refused) {
  EXPECT_EQ(problem(scenario("workload:\n  kind: range\n  units: 100\n  sizes: [1, 256]\n")),
            "test.yaml:7: workload.sizes has 256, and an object has 100 units (workload.units); "
            "lower the size, or raise units");
  EXPECT_EQ(problem(scenario(ranges("units: 100, sizes: [100]"))), "fine");
  EXPECT_EQ(problem(scenario(ranges("sizes: 0"))),
            "test.yaml:4: workload.sizes is 0; allowed: 1 to 281474976710656");
  EXPECT_EQ(problem(scenario(ranges("sizes: [1, 0]"))),
            "test.yaml:4: workload.sizes.1 is 0; allowed: 1 to 281474976710656");
  EXPECT_EQ(problem(scenario(ranges("sizes: []"))),
            "test.yaml:4: workload.sizes is an empty list; expected 1 to 64 sizes in units");
  EXPECT_EQ(problem(scenario(ranges("units: 281474976710657"))),
            "test.yaml:4: workload.units is 281474976710657; allowed: 1 to 281474976710656");
  EXPECT_EQ(problem(scenario(ranges("sizes: {values: [1, 2]}"))),
            "test.yaml:4: workload.sizes.by is missing; add it, for example 'by: operation'");
  EXPECT_THAT(problem(scenario(ranges("sizes: wide"))),
              HasSubstr("test.yaml:4: workload.sizes: 'wide'"));
}

TEST(Ranges, have_keys_that_other_kinds_lack_and_lack_some_of_theirs) {
  EXPECT_EQ(problem(scenario("workload: {sizes: [1, 16]}")),
            "test.yaml:4: unknown key 'sizes' in workload of kind micro: it is for kind range; "
            "change the kind, or remove the key");
  EXPECT_EQ(problem(scenario(ranges("locks_per_section: 2"))),
            "test.yaml:4: unknown key 'locks_per_section' in workload of kind range: it is for "
            "kind micro; change the kind, or remove the key");
  EXPECT_EQ(problem(scenario("workload: {kind: file_io, read_ratio: 50%}")),
            "test.yaml:4: unknown key 'read_ratio' in workload of kind file_io: it is for kinds "
            "micro, range, object_store, index; change the kind, or remove the key");
  EXPECT_EQ(
      problem(scenario("workload:\n  kind: range\n  arrivals: {kind: script, list: [{at: 0us, "
                       "client: 0, lock: 0}]}\n")),
      "test.yaml:6: workload.arrivals of kind script name locks, and no parts of them: use "
      "workload.kind micro, or arrivals of kind poisson");
  EXPECT_EQ(problem(scenario(ranges("arrivals: {kind: poisson, rate: 1M}"))), "fine");
}

TEST(Ranges, of_a_group_are_its_own_and_those_of_the_workload_apply_to_each_group) {
  const Point point = point_of(
      "locks: {count: 4}\nworkload: {kind: range, units: 64, sizes: [1, 4]}\n"
      "groups: [{name: a, workload: {sizes: 16}}, {name: b, workload: {kind: micro, "
      "locks_per_section: 2}}, {name: c}]");
  EXPECT_EQ(point.groups[0].workload.kind, WorkloadKind::range);
  EXPECT_EQ(point.groups[0].workload.range.units, 64U);
  EXPECT_THAT(point.groups[0].workload.range.sizes, ElementsAre(16));
  EXPECT_EQ(point.groups[1].workload.kind, WorkloadKind::micro);
  EXPECT_EQ(point.groups[1].workload.locks_per_section, 2U);
  EXPECT_THAT(point.groups[2].workload.range.sizes, ElementsAre(1, 4));
  // Keys that do not fit the kind of a group are not inherited.
  const Point other = point_of(
      "locks: {count: 4}\nworkload: {locks_per_section: 2, read_ratio: 50%}\n"
      "groups: [{name: a, workload: {kind: range}}, {name: b, workload: {kind: file_io, files: "
      "oltp}}]");
  EXPECT_EQ(other.groups[0].workload.locks_per_section, 1U);
  EXPECT_EQ(other.groups[0].workload.read_ratio_ppb, 500'000'000);
  EXPECT_EQ(other.groups[1].workload.read_ratio_ppb, 0);
}

TEST(Ranges, may_be_swept_by_size) {
  const auto swept =
      parse(scenario(ranges("units: 1k") + "\nsweep: {grid: {workload.sizes: [1, [1, 16]]}}"));
  ASSERT_TRUE(swept) << swept.error().text();
  ASSERT_EQ(swept.value().points.size(), 2U);
  EXPECT_THAT(swept.value().points[0].workload.range.sizes, ElementsAre(1));
  EXPECT_THAT(swept.value().points[1].workload.range.sizes, ElementsAre(1, 16));
}

TEST(Files, have_the_defaults_of_each_program) {
  const FileSpec usual = point_of("workload: {kind: file_io}").workload.file;
  EXPECT_EQ(usual.pattern, FilePattern::hard_write);
  EXPECT_EQ(usual.access_bytes, 47'008U);
  EXPECT_EQ(usual.unit_bytes, 4096U);
  const FileSpec oltp = point_of(files("oltp", "locks: {count: 11}\n")).workload.file;
  EXPECT_EQ(oltp.access_bytes, 8192U);
  EXPECT_EQ(oltp.append_bytes, 262'144U);
  EXPECT_EQ(oltp.file_bytes, 10'485'760U);
  EXPECT_EQ(oltp.data, FileData::servers);
  EXPECT_EQ(point_of(files("{kind: oltp, access_bytes: 16KiB}", "locks: {count: 2}\n"))
                .workload.file.access_bytes,
            16'384U);
  EXPECT_EQ(point_of(files("{kind: bt_io, grid: 162}")).workload.file.grid, 162U);
}

TEST(Files, are_resolved_to_a_text_that_reads_the_same) {
  expect_round_trip(
      scenario(files("{kind: oltp, access_bytes: 16KiB, data: false}", "locks: {count: 5}\n")));
  expect_round_trip(scenario(files("oltp", "locks: {count: 5}\n")));
  expect_round_trip(scenario(files("{kind: hard_write, access_bytes: 64KiB, unit: 1MiB}")));
  expect_round_trip(scenario(files("{kind: bt_io, grid: 162}")));
  const std::string resolved = point_of(files("bt_io")).resolved_yaml;
  EXPECT_THAT(resolved, HasSubstr("grid: 408"));
  EXPECT_THAT(resolved, Not(HasSubstr("file_bytes")));
  EXPECT_THAT(resolved, Not(HasSubstr("distribution")));
}

TEST(Files, have_data_on_clients_or_servers_or_none) {
  const auto spec = [](const std::string& data) {
    return point_of(files("{kind: bt_io, data: " + data + "}")).workload.file;
  };
  EXPECT_EQ(spec("true").data, FileData::servers);
  EXPECT_EQ(spec("{on: servers}").data, FileData::servers);
  EXPECT_EQ(spec("false").data, FileData::none);
  EXPECT_EQ(spec("{on: none}").data, FileData::none);
  EXPECT_EQ(spec("{on: clients}").data, FileData::clients);
  EXPECT_EQ(spec("{on: clients}").block_bytes, 1U << 20U);
  EXPECT_EQ(spec("{on: clients, block: 64KiB}").block_bytes, 65'536U);
  EXPECT_EQ(point_of(files("{kind: bt_io, data: {on: servers}}")).resolved_yaml,
            point_of(files("bt_io")).resolved_yaml);
  expect_round_trip(
      scenario(files("{kind: bt_io, reads: true, exclusive_reads: true, data: {on: "
                     "clients, block: 64KiB}}")));
  EXPECT_EQ(problem(scenario(files("{kind: bt_io, data: {on: servers, block: 64KiB}}"))),
            "test.yaml:5: workload.files.data.block is of data on clients, which there is none of; "
            "set on: clients, or remove block");
  EXPECT_EQ(problem(scenario(files("{kind: bt_io, data: {on: clients, block: 1001B}}"))),
            "test.yaml:5: workload.files.data.block is 1001B; expected a multiple of 8B, such as "
            "1008B");
}

TEST(Files, of_a_benchmark_have_roles_for_all_clients_of_a_node) {
  const auto roles = [](const std::string& platform) {
    return platform + files("{kind: oltp, roles: {readers: 5, writers: 2, loggers: 1}}",
                            "locks: {count: 3}\n");
  };
  const std::string eight = roles("platform: {client_nodes: 3, clients_per_node: 8}\n");
  EXPECT_EQ(point_of(eight).workload.file.roles.clients(), 8U);
  expect_round_trip(scenario(eight));
  EXPECT_EQ(problem(scenario(roles("platform: {clients_per_node: 9}\n"))),
            "test.yaml:6: workload.files.roles are of 8 clients on each client node, and there are "
            "9 (clients_per_node); let these two numbers be the same");
  EXPECT_EQ(problem(scenario(roles("platform: {client_nodes: 3, clients: 23}\n"))),
            "test.yaml:6: platform.clients is 23 on 3 client nodes, and this workload needs the "
            "same number of clients on each; set platform.clients_per_node instead");
  EXPECT_THAT(point_of(files("oltp", "locks: {count: 3}\n")).resolved_yaml,
              Not(HasSubstr("roles")));
}

TEST(Files, of_a_cube_need_a_square_number_of_clients) {
  EXPECT_EQ(problem(scenario("platform: {clients_per_node: 12}\n" + files("bt_io"))),
            "test.yaml:6: workload.files of kind bt_io need a square of clients, and there are 12; "
            "the nearest are 9 and 16");
  EXPECT_EQ(problem(scenario("platform: {clients_per_node: 16}\n" + files("bt_io"))), "fine");
  EXPECT_EQ(
      problem(scenario("platform: {clients_per_node: 16}\n" + files("{kind: bt_io, grid: 3}"))),
      "test.yaml:6: workload.files.grid is 3, and 16 clients cut each edge into 4 parts; raise "
      "grid, or run fewer clients");
}

TEST(Files, have_one_lock_each) {
  EXPECT_EQ(problem(scenario(files("hard_write", "locks: {count: 2}\n"))),
            "test.yaml:5: workload.files of kind hard_write are one file, which is one lock, and "
            "locks.count is 2; set it to 1");
  EXPECT_EQ(problem(scenario(files("oltp"))),
            "test.yaml:5: workload.files of kind oltp are data files and a log, a lock each: set "
            "locks.count to 2 or more, such as 11");
}

TEST(Files, of_lengths_that_do_not_fit_are_refused) {
  EXPECT_EQ(problem(scenario(files("{kind: hard_write, access_bytes: 47003B}"))),
            "test.yaml:5: workload.files.access_bytes is 47003B; expected a multiple of 8B, such "
            "as 47000B or 47008B");
  EXPECT_EQ(problem(scenario(files("{kind: oltp, append_bytes: 1001B}", "locks: {count: 2}\n"))),
            "test.yaml:5: workload.files.append_bytes is 1001B; expected a multiple of 8B, such as "
            "1000B or 1008B");
  EXPECT_EQ(problem(scenario(files("{kind: oltp, file_bytes: 64KiB}", "locks: {count: 2}\n"))),
            "test.yaml:5: workload.files.append_bytes is 256KiB, and a file has 64KiB "
            "(file_bytes); raise file_bytes");
  EXPECT_EQ(problem(scenario(files("{kind: bt_io, file_bytes: 64KiB}"))),
            "test.yaml:5: unknown key 'file_bytes' in workload.files of kind bt_io: it is for kind "
            "oltp; change the kind, or remove the key");
  EXPECT_EQ(problem(scenario("workload: {kind: file_io, critical_section: {remote_ops: 1}}")),
            "test.yaml:4: workload.critical_section has remote_ops, and files say themselves what "
            "is read and written; give a time, or remove the key");
}

TEST(Files, have_objects_that_hold_their_longest_access) {
  const auto bytes = [](const std::string& text, std::uint32_t clients) {
    return object_bytes_of(point_of(text).workload, clients);
  };
  EXPECT_EQ(bytes(files("bt_io"), 16), 4080U);
  EXPECT_EQ(bytes(files("hard_write"), 16), 47'008U);
  EXPECT_EQ(bytes(files("oltp", "locks: {count: 2}\n"), 16), 262'144U);
  EXPECT_EQ(bytes(files("{kind: hard_write, data: false}"), 16), 0U);
  EXPECT_EQ(bytes("workload: {critical_section: {remote_ops: 1}}", 16), 8U);
  EXPECT_EQ(side_of(15), 3U);
  EXPECT_EQ(side_of(16), 4U);
}

// Tables of this test: none of the fixture's locks has ranges.
TEST(Advice, is_given_if_a_lock_is_configured_for_another_number_of_units) {
  ProtocolInfo segments;
  segments.name = "segments";
  segments.ranges = true;
  segments.params = {integer_param("units", 4096, 1, 1'000'000, "units")};
  const auto warnings = [&](const std::string& protocol, const std::string& workload) {
    const auto parsed = parse_scenario(
        {"schema: 1\nname: t\nprotocol: " + protocol + "\nworkload: " + workload, "test.yaml", ""},
        {}, {segments, protocols().front()}, data());
    EXPECT_TRUE(parsed);
    return parsed ? parsed.value().warnings : std::vector<std::string>{"not read"};
  };
  EXPECT_THAT(warnings("{name: segments}", "{kind: range, units: 1k}"),
              ElementsAre("protocol.units of segments is 4096, and workload.units is 1k: unless "
                          "that is meant, set both to the same"));
  EXPECT_THAT(warnings("{name: segments, units: 1k}", "{kind: range, units: 1k}"), IsEmpty());
  EXPECT_THAT(warnings("{name: segments}", "{kind: micro}"), IsEmpty());
  EXPECT_THAT(warnings("{name: cas}", "{kind: range}"), IsEmpty());
}

}  // namespace
}  // namespace latchlab::scenario_test
