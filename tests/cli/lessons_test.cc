// The site of all lessons: numbers on its pages are those of the runs beside them, and every lesson
// is linked.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <regex>

#include "tests/cli/report_page.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// A number on a page, and what stands behind it there: <!-- number: METRIC POINT UNIT -->
struct Stated {
  std::string text;
  std::string metric;
  std::size_t point = 0;
  double unit = 1;  // of the metric, in its own: ns, 1/s
};

std::vector<Stated> numbers_in(const std::string& page) {
  static const std::map<std::string, double> units = {
      {"", 1}, {"k/s", 1e3}, {"M/s", 1e6}, {"us", 1e3}, {"ms", 1e6}};
  static const std::regex mark(R"(([0-9.]+)( [kM]/s| [um]s)? <!-- number: (\S+) (\d+) ?(\S*) -->)");
  std::vector<Stated> all;
  for (std::sregex_iterator at(page.begin(), page.end(), mark), end; at != end; ++at)
    all.push_back({(*at)[1], (*at)[3], std::stoul((*at)[4]), units.at((*at)[5])});
  return all;
}

// Numbers are rounded to two digits, or to the places that they have if those are fewer: half of
// the last one is what they may be off by.
double tolerance_of(const std::string& text) {
  const std::size_t dot = text.find('.');
  const double place =
      dot == text.npos ? 1 : std::pow(10, -static_cast<double>(text.size() - dot - 1));
  const double second_digit = std::pow(10, std::floor(std::log10(std::stod(text))) - 1);
  return 0.5 * std::max(place, second_digit) * (1 + 1e-9);
}

class Lessons : public ReportPage {
 protected:
  // What is said is checked without a browser, too.
  void SetUp() override { Browser::SetUp(); }  // NOLINT(bugprone-parent-virtual-call)
};

TEST_F(Lessons, say_what_their_runs_found_and_are_linked_by_the_site) {
  ASSERT_EQ(latchlab({"classroom", "--all", "--out", "s"}).code, 0);
  const fs::path teaching = fs::path(LATCHLAB_SOURCE_DIR) / "scenarios/teaching";
  int lessons = 0;
  for (const auto& entry : fs::directory_iterator(path("s/runs"))) {
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const Json results = Json::parse(read(fmt::format("s/runs/{}/results.json", name)));
    const std::vector<Stated> numbers = numbers_in(read(teaching / (name + ".md")));
    EXPECT_GE(numbers.size(), 2U);
    for (const Stated& each : numbers)
      EXPECT_NEAR(number_at(results["points"][each.point]["metrics"], each.metric) / each.unit,
                  std::stod(each.text), tolerance_of(each.text))
          << each.metric << " of point " << each.point;
    ++lessons;
  }
  EXPECT_EQ(lessons, 12);  // the last one is a game

  if (find_browser().empty()) GTEST_SKIP() << kNoBrowser;
  const Seen index = look_at("s/index.html");
  expect_sound(index);
  for (const char* page : {"01-round-trip", "07-phase-fair", "13-break-it", "worksheet", "key"}) {
    EXPECT_THAT(index.document, HasSubstr(fmt::format("href=\"{}.html\"", page)));
    expect_sound(look_at(fmt::format("s/{}.html", page)));
  }
  const Seen key = look_at("s/key.html");
  EXPECT_THAT(key.document, HasSubstr("240 x 0.267 us"));
  EXPECT_THAT(key.document, Not(HasSubstr("!-- number")));  // comments are not for readers
  const Seen sheet = look_at("s/worksheet.html");
  EXPECT_THAT(sheet.document, HasSubstr("Draw goodput for 2, 5, 20, 80 and 240 clients"));
  EXPECT_THAT(sheet.document, Not(HasSubstr("240 x 0.267 us")));
}

}  // namespace
}  // namespace latchlab::cli_test
