#pragma once
// Helpers for tests of the report page.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/browser.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {

class ReportPage : public Browser {
 protected:
  void SetUp() override {
    Browser::SetUp();
    if (find_browser().empty()) GTEST_SKIP() << kNoBrowser;
  }
  static std::size_t count(const Json& facts, const std::string& id) {
    return static_cast<std::size_t>(std::count_if(
        facts["figures"].begin(), facts["figures"].end(),
        [&](const Json& figure) { return figure["id"].get<std::string>().rfind(id, 0) == 0; }));
  }
  // No script failed, the page requested nothing from a network, and each figure is complete.
  static void expect_sound(const Seen& seen) {
    EXPECT_EQ(seen.console, "");
    ASSERT_TRUE(seen.facts.is_object()) << seen.document.substr(0, 2'000);
    EXPECT_EQ(dump_json(seen.facts["problems"]), "[]");
    EXPECT_EQ(dump_json(seen.facts["requests"]), "[]");
    EXPECT_EQ(seen.facts["executed"], false);
    EXPECT_EQ(seen.facts["markup"], 0);
    for (const Json& figure : seen.facts["figures"]) {  // a page may have no figure
      EXPECT_EQ(figure["picture"], "svg") << dump_json(figure);
      EXPECT_EQ(figure["outside"], false) << dump_json(figure);
      EXPECT_EQ(figure["variables"], false) << dump_json(figure);
    }
  }
  // The value of a key of a stored result.
  void change(const std::string& stored, const std::string& key, const std::string& value) const {
    std::string text = read(stored);
    const std::size_t at = text.find(key);
    ASSERT_NE(at, text.npos) << key;
    const std::size_t begin = at + key.size();
    write_repeat(stored, text.replace(begin, text.find(',', begin) - begin, value));
  }
  static const Json& figure(const Seen& seen, const std::string& id) {
    for (const Json& each : seen.facts["figures"])
      if (each["id"] == id) return each;
    ADD_FAILURE() << "there is no figure " << id;
    return seen.facts;
  }
  static std::vector<std::string> legend(const Seen& seen, const std::string& id) {
    return figure(seen, id)["legend"].get<std::vector<std::string>>();
  }
  static void expect_marks(const Json& facts) {
    for (const Json& figure : non_empty(facts["figures"])) {
      EXPECT_GT(figure["marks"], 0) << dump_json(figure);
      EXPECT_GT(figure["told"], 0) << dump_json(figure);
      EXPECT_GT(figure["numbers"], 0) << dump_json(figure);
    }
  }
};

}  // namespace latchlab::cli_test
