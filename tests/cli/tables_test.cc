// Tables of locks: one number for one shape, in every place that prints it.
#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/json.h"
#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {
using ::testing::HasSubstr;

constexpr std::size_t kLocksAtLeast = 20;

class Tables : public Command {
 protected:
  Json locks() { return parse_json(latchlab({"list", "protocols", "--json"}).out); }
};

// "64 clients on 8 nodes"
std::string size_shape(const Json& lock) {
  const int nodes = lock["entry_shape"]["client_nodes"].get<int>();
  return std::to_string(lock["entry_shape"]["clients"].get<int>()) + " clients on " +
         std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
}

// "the object", "1 unit", "1 of 256 units"
std::string cost_shape(const Json& lock) {
  const Json& shape = lock["costs"]["shape"];
  if (shape["wanted"] == "object") return "the object";
  if (shape["units"].is_null()) return "1 unit";
  return "1 of " + std::to_string(shape["units"].get<std::int64_t>()) + " units";
}

TEST_F(Tables, agree_on_every_lock_and_name_the_shape) {
  const std::string text = latchlab({"list", "protocols"}).out;
  const std::string tables = tree_file("docs/locks.md");
  const Json all = locks();
  EXPECT_GE(all.size(), kLocksAtLeast);
  for (const Json& lock : all) {
    const auto name = lock["name"].get<std::string>();
    const std::string bytes = std::to_string(lock["entry_bytes"].get<std::uint64_t>());
    EXPECT_EQ(lock["entry_shape"]["clients"], 64) << name;
    EXPECT_THAT(tables,
                HasSubstr("| `" + name + "` | " + bytes + " | " + cost_shape(lock) + " | "));
    const std::size_t at = text.find("\n" + name + ": ");
    const std::string block = at == std::string::npos && text.rfind(name + ": ", 0) == 0
                                  ? text.substr(0, text.find("\n\n"))
                                  : text.substr(at, text.find("\n\n", at) - at);
    EXPECT_THAT(block, HasSubstr("\n  entry, " + size_shape(lock) + ": " + bytes + " bytes\n"));
    EXPECT_THAT(block, HasSubstr("\n  cost, of " + cost_shape(lock) + ":\n"));
    EXPECT_THAT(latchlab({"explain", name}).out,
                HasSubstr(bytes + " bytes for " + size_shape(lock)));
  }
}

TEST_F(Tables, are_of_the_locks_that_the_readme_names) {
  const std::string readme = tree_file("README.md");
  const std::size_t begin = readme.find("## Locks\n");
  ASSERT_NE(begin, std::string::npos);
  std::string names = readme.substr(begin, readme.find(": [docs/locks.md]", begin) - begin);
  std::replace(names.begin(), names.end(), '\n', ' ');
  std::string wanted;
  for (const Json& lock : locks())
    wanted += (wanted.empty() ? "## Locks  `" : ", `") + lock["name"].get<std::string>() + "`";
  EXPECT_EQ(names, wanted);
}

TEST_F(Tables, count_cost_by_the_unit_and_entries_by_their_layout) {
  std::size_t ranges = 0;
  for (const Json& lock : locks()) {
    const bool of_ranges = lock["ranges"].get<bool>();
    ranges += of_ranges ? 1 : 0;
    EXPECT_EQ(lock["costs"]["shape"]["wanted"], of_ranges ? "unit" : "object") << lock["name"];
    // 8 bytes, plus 8 for each client.
    if (lock["name"] == "cql") {
      EXPECT_EQ(lock["entry_bytes"], 8 + 8 * 64);
    }
    // A tree of 2^28 units, 64 units per leaf and four children per node.
    if (lock["name"] == "citron") {
      EXPECT_EQ(lock["costs"]["shape"]["units"], 1 << 28);
      EXPECT_EQ(lock["entry_bytes"], 8 * (2 + ((std::int64_t{4} << 22) - 1) / 3));
    }
  }
  EXPECT_GE(ranges, 5U);
}

}  // namespace
}  // namespace latchlab::cli_test
