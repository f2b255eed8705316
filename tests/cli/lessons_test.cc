// The site of all lessons: the numbers on its pages are those of the runs beside them, and every
// lesson is linked.
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

// A number on a page, and its source in the comment before it: <!-- number: METRIC POINT UNIT -->
struct Stated {
  std::string text;
  std::string metric;
  std::size_t point = 0;
  double unit = 1;  // the metric's own unit: ns, 1/s
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

// Numbers on pages are rounded to two digits or to their decimal places, whichever is coarser. The
// tolerance is half a unit of the last digit.
double tolerance_of(const std::string& text) {
  const std::size_t dot = text.find('.');
  const double place =
      dot == text.npos ? 1 : std::pow(10, -static_cast<double>(text.size() - dot - 1));
  const double second_digit = std::pow(10, std::floor(std::log10(std::stod(text))) - 1);
  return 0.5 * std::max(place, second_digit) * (1 + 1e-9);
}

fs::path teaching() {
  return fs::path(LATCHLAB_SOURCE_DIR) / "scenarios/teaching";
}

// Lessons with a run: those whose text has a scenario beside it. Each has a test of its own, since
// a run takes some seconds.
std::vector<std::string> lessons_with_runs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(teaching())) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".md" && fs::exists(teaching() / (name + ".yaml")))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The texts are checked without a browser, too.
class LessonPages : public ReportPage {
 protected:
  void SetUp() override { Browser::SetUp(); }  // NOLINT(bugprone-parent-virtual-call)
};

class Lesson : public LessonPages, public ::testing::WithParamInterface<std::string> {};

TEST_P(Lesson, has_the_numbers_of_its_run) {
  const std::string& name = GetParam();
  ASSERT_EQ(latchlab({"classroom", name, "--out", "s"}).code, 0);
  const Json results = parse_json(read(fmt::format("s/runs/{}/results.json", name)));
  const std::vector<Stated> numbers = numbers_in(read(teaching() / (name + ".md")));
  EXPECT_GE(numbers.size(), 2U);
  for (const Stated& each : numbers)
    EXPECT_NEAR(number_at(results["points"][each.point]["metrics"], each.metric) / each.unit,
                std::stod(each.text), tolerance_of(each.text))
        << each.metric << " of point " << each.point;
  if (find_browser().empty()) GTEST_SKIP() << kNoBrowser;
  expect_sound(look_at(fmt::format("s/{}.html", name)));
}

INSTANTIATE_TEST_SUITE_P(Lessons, Lesson, ::testing::ValuesIn(lessons_with_runs()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Lessons, twelve_have_runs) {
  EXPECT_EQ(lessons_with_runs().size(), 12U);  // the last one is a game
}

class Site : public LessonPages {};

// All texts without their scenarios: the tests above check the runs.
TEST_F(Site, links_all_lessons) {
  fs::create_directories(path("data/scenarios/teaching"));
  int lessons = 0;
  for (const auto& entry : fs::directory_iterator(teaching())) {
    if (entry.path().extension() == ".yaml") continue;
    fs::copy(entry.path(), path("data/scenarios/teaching"));
    lessons += entry.path().extension() == ".md" ? 1 : 0;
  }
  EXPECT_EQ(lessons, 14);  // and README.md
  ASSERT_EQ(latchlab({"classroom", "--all", "--data", "data", "--out", "s"}).code, 0);
  const std::string seventh = read("s/07-phase-fair.html");
  for (const char* beside : {"\"06-readers.html\"", "\"08-skew.html\""})
    EXPECT_NE(seventh.find(beside), std::string::npos) << beside;
  if (find_browser().empty()) GTEST_SKIP() << kNoBrowser;
  const Seen index = look_at("s/index.html");
  expect_sound(index);
  for (const char* page : {"01-round-trip", "07-phase-fair", "13-break-it", "worksheet", "key"}) {
    EXPECT_THAT(index.document, HasSubstr(fmt::format("href=\"{}.html\"", page)));
    expect_sound(look_at(fmt::format("s/{}.html", page)));
  }
  const Seen key = look_at("s/key.html");
  EXPECT_THAT(key.document, HasSubstr("240 x 0.267 us"));
  EXPECT_THAT(key.document, Not(HasSubstr("!-- number")));  // comments are not shown to readers
  const Seen sheet = look_at("s/worksheet.html");
  EXPECT_THAT(sheet.document, HasSubstr("Draw goodput for 2, 5, 20, 80 and 240 clients"));
  EXPECT_THAT(sheet.document, Not(HasSubstr("240 x 0.267 us")));
}

}  // namespace
}  // namespace latchlab::cli_test
