// Tests of the rules: each gets text that breaks it, and text that only resembles that.

#include "tests/tidy/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/non_empty.h"

namespace latchlab::tidy {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Findings includes_of(const std::string& path, const std::string& include) {
  return check_includes(from_text(path, "#pragma once\n#include " + include + "\n"));
}

SourceFile lines_of(const std::string& path, std::size_t count) {
  return {path, std::vector<std::string>(count, "int x;")};
}

TEST(IncludeRule, a_protocol_may_not_include_the_world) {
  const Findings findings = includes_of("core/protocols/cas/cas.cc", "\"core/world/backend.h\"");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].text(), HasSubstr("core/protocols/cas/cas.cc:2: includes"));
  EXPECT_THAT(findings[0].text(), HasSubstr("core/protocols/ may include only"));
}

TEST(IncludeRule, low_layers_include_no_higher_ones) {
  EXPECT_THAT(includes_of("core/base/time.h", "\"core/coro/task.h\""), SizeIs(1));
  EXPECT_THAT(includes_of("core/coro/task.h", "\"core/verbs/verbs.h\""), SizeIs(1));
  EXPECT_THAT(includes_of("core/verbs/verbs.h", "\"core/protocols/lock.h\""), SizeIs(1));
  EXPECT_THAT(includes_of("core/scenario/parser.cc", "\"core/verbs/verbs.h\""), SizeIs(1));
  EXPECT_THAT(includes_of("core/run/study.cc", "\"backends/simgrid/fabric.h\""), SizeIs(1));
  EXPECT_THAT(includes_of("core/run/study.cc", "\"tools/latchlab/run.h\""), SizeIs(1));
  EXPECT_THAT(includes_of("core/run/study.cc", "\"core/conclude/verdict.h\""), SizeIs(1));
  EXPECT_THAT(includes_of("core/conclude/verdict.cc", "\"core/run/study.h\""), IsEmpty());
}

TEST(IncludeRule, workload_measure_and_checks_include_no_concrete_lock) {
  for (const std::string folder : {"workload", "measure", "checks"}) {
    const std::string path = "core/" + folder + "/x.cc";
    EXPECT_THAT(includes_of(path, "\"core/protocols/lock.h\""), IsEmpty());
    EXPECT_THAT(includes_of(path, "\"core/protocols/dslr.h\""), SizeIs(1));
  }
}

TEST(IncludeRule, one_backend_may_not_include_another) {
  EXPECT_THAT(includes_of("backends/simgrid/x.cc", "\"backends/explorer/y.h\""), SizeIs(1));
  EXPECT_THAT(includes_of("backends/simgrid/x.cc", "\"backends/simgrid/y.h\""), IsEmpty());
  EXPECT_THAT(includes_of("backends/simgrid/x.cc", "\"core/scenario/nic.h\""), IsEmpty());
  EXPECT_THAT(includes_of("backends/simgrid/x.cc", "\"core/protocols/lock.h\""), SizeIs(1));
}

TEST(IncludeRule, an_installed_header_of_a_test_may_not_include_one_that_is_not) {
  const SourceFile manifest =
      from_text("cmake/install.cmake", "install(FILES tests/a.h tests/b.h\n  DESTINATION x)\n");
  const auto of = [&](const std::string& path, const std::string& text) {
    return check_installed({manifest, from_text(path, text)});
  };
  EXPECT_THAT(of("tests/a.h", "#include \"tests/c.h\"\n"), SizeIs(1));
  EXPECT_THAT(of("tests/a.h", "#include \"tests/b.h\"\n#include <vector>\n"), IsEmpty());
  EXPECT_THAT(of("tests/a.h", "#if SOME\n#include \"tests/c.h\"\n#endif\n"), IsEmpty());
  EXPECT_THAT(of("tests/c.h", "#include \"tests/d.h\"\n"), IsEmpty());
}

TEST(IncludeRule, tools_and_tests_may_include_everything_of_the_project) {
  EXPECT_THAT(includes_of("tools/latchlab/run.cc", "\"backends/simgrid/fabric.h\""), IsEmpty());
  EXPECT_THAT(includes_of("tests/unit/x.cc", "\"core/protocols/dslr.h\""), IsEmpty());
}

TEST(IncludeRule, includes_of_the_project_are_written_from_the_root) {
  EXPECT_THAT(includes_of("tests/unit/x.cc", "\"helpers.h\""), SizeIs(1));
}

TEST(IncludeRule, vendor_headers_are_allowed_only_in_their_folders) {
  EXPECT_THAT(includes_of("core/scenario/parser.cc", "<yaml-cpp/yaml.h>"), IsEmpty());
  EXPECT_THAT(includes_of("core/scenario/parser.h", "<yaml-cpp/yaml.h>"), SizeIs(1));
  EXPECT_THAT(includes_of("tools/latchlab/run.cc", "<yaml-cpp/yaml.h>"), SizeIs(1));
  EXPECT_THAT(includes_of("backends/simgrid/x.cc", "<simgrid/s4u.hpp>"), IsEmpty());
  EXPECT_THAT(includes_of("backends/simgrid/x.h", "<simgrid/s4u.hpp>"), SizeIs(1));
  EXPECT_THAT(includes_of("core/run/x.cc", "<simgrid/s4u.hpp>"), SizeIs(1));
  EXPECT_THAT(includes_of("core/base/json.h", "<nlohmann/json.hpp>"), IsEmpty());
  EXPECT_THAT(includes_of("core/measure/x.cc", "<nlohmann/json.hpp>"), SizeIs(1));
  EXPECT_THAT(includes_of("core/base/x.cc", "<fmt/format.h>"), SizeIs(1));
  EXPECT_THAT(includes_of("core/base/x.cc", "<gtest/gtest.h>"), SizeIs(1));
}

TEST(IncludeRule, an_unknown_vendor_is_refused_everywhere) {
  EXPECT_THAT(includes_of("tools/latchlab/run.cc", "<spdlog/spdlog.h>"), SizeIs(1));
  EXPECT_THAT(includes_of("core/base/x.h", "<vector>"), IsEmpty());
}

TEST(IncludeRule, only_one_folder_parses_the_command_line) {
  EXPECT_THAT(includes_of("tools/latchlab/cli/options.h", "<CLI/CLI.hpp>"), IsEmpty());
  EXPECT_THAT(includes_of("tools/latchlab/run.cc", "<CLI/CLI.hpp>"), SizeIs(1));
}

TEST(BanRule, every_banned_text_is_found_where_it_is_banned) {
  for (const Ban& ban : non_empty(bans())) {
    const std::string folder = ban.folders.empty() ? "core/base/" : ban.folders.front();
    const Findings findings = check_bans(from_text(folder + "x.cc", "int a;\n" + ban.text + "\n"));
    ASSERT_THAT(findings, SizeIs(1)) << ban.text;
    EXPECT_EQ(findings[0].line, 2U) << ban.text;
    EXPECT_EQ(findings[0].fix, ban.fix) << ban.text;
  }
}

TEST(BanRule, a_longer_word_that_ends_like_a_banned_one_is_allowed) {
  EXPECT_THAT(check_bans(from_text("core/base/x.cc", "op" + std::string("erand(1)"))), IsEmpty());
  EXPECT_THAT(check_bans(from_text("core/base/x.cc", "core/wo" + std::string("rkload/"))),
              IsEmpty());
}

TEST(BanRule, a_folder_outside_the_ban_is_not_checked) {
  EXPECT_THAT(check_bans(from_text("tools/latchlab/x.cc", "#include <chrono>")), IsEmpty());
  EXPECT_THAT(check_bans(from_text("tests/unit/x.cc", "std::unordered_map<int, int> m;")),
              IsEmpty());
}

TEST(WidthRule, a_line_of_101_columns_is_too_wide) {
  EXPECT_THAT(check_width(from_text("core/x.cc", std::string(100, 'x'))), IsEmpty());
  EXPECT_THAT(check_width(from_text("core/x.cc", "\n" + std::string(101, 'x'))), SizeIs(1));
  EXPECT_THAT(check_width(from_text("tools/x", "#!/bin/sh\n" + std::string(101, 'x'))), SizeIs(1));
  EXPECT_THAT(check_width(from_text("README.md", std::string(101, 'x'))), IsEmpty());
}

TEST(SizeRule, a_file_over_400_lines_needs_an_entry_with_a_reason) {
  const LongFile entry{"core/x.cc", 401, "one table"};
  EXPECT_THAT(check_length(lines_of("core/x.cc", 400), {}), IsEmpty());
  EXPECT_THAT(check_length(lines_of("core/x.cc", 401), {}), SizeIs(1));
  EXPECT_THAT(check_length(lines_of("core/x.cc", 401), {entry}), IsEmpty());
  EXPECT_THAT(check_length(lines_of("core/x.cc", 402), {entry}), SizeIs(1));
  EXPECT_THAT(check_length(lines_of("core/x.cc", 401), {{"core/x.cc", 401, ""}}), SizeIs(1));
}

TEST(SizeRule, an_entry_must_be_lowered_with_its_file) {
  const std::vector<LongFile> entry = {{"core/x.cc", 510, "one table"}};
  EXPECT_THAT(check_tree({lines_of("core/x.cc", 500)}, entry), IsEmpty());
  EXPECT_THAT(check_tree({lines_of("core/x.cc", 450)}, entry), SizeIs(1));
  EXPECT_THAT(check_tree({lines_of("core/x.cc", 200)}, entry), SizeIs(1));
  EXPECT_THAT(check_tree({}, entry), SizeIs(1));
}

// In two halves, because this file is checked as well.
const std::string kPronoun = std::string("no") + "body";

TEST(WordRule, each_pronoun_without_a_noun_is_found) {
  const Findings findings = check_pronouns(
      from_text("core/x.h", "// No" + kPronoun.substr(2) + " waits, and " + kPronoun +
                                " fails\nint a;\n" + "TEST(X, " + kPronoun + "_waits) {}\n"));
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0].line, 1U);
  EXPECT_EQ(findings[2].line, 3U);
  EXPECT_THAT(check_pronouns(from_text("docs/x.md", kPronoun + "x is a word, no body as well")),
              IsEmpty());
}

}  // namespace
}  // namespace latchlab::tidy
