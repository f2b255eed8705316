// An error in a fit's file is one message with its place.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/models/fixture.h"
#include "tests/paths.h"

namespace latchlab::fit_test {
namespace {

class FitFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) / (std::string(info->name()) + ".yaml");
    std::ifstream in(LATCHLAB_SOURCE_DIR "/tests/models/synthetic.yaml");
    text_.assign(std::istreambuf_iterator<char>(in), {});
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // The message for the file with one change, without its path; "fine" if there is none.
  std::string problem(const std::string& from, const std::string& to) {
    const std::size_t at = text_.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text_.replace(at, from.size(), to);
    std::ofstream(path_) << text_;
    const auto spec = load_fit(path_.string(), protocol_infos(), data());
    if (spec) return "fine";
    const std::string text = spec.error().text();
    return text.starts_with(path_.string()) ? text.substr(path_.string().size()) : text;
  }

  std::filesystem::path path_;
  std::string text_;
};

TEST_F(FitFile, the_unchanged_file_is_accepted) {
  EXPECT_EQ(problem("name: synthetic", "name: synthetic"), "fine");
}

TEST_F(FitFile, a_misspelt_constant_is_refused) {
  EXPECT_EQ(problem("constant: latency.one_way", "constant: latency.oneway"),
            ":11: free.constant: there is no constant 'latency.oneway'; did you mean "
            "'latency.one_way'?");
}

TEST_F(FitFile, an_unknown_run_is_refused) {
  EXPECT_EQ(problem("- run: fails", "- run: fail"),
            ":28: observations.run: there is no run 'fail'; did you mean 'fails'?");
}

TEST_F(FitFile, a_fitted_value_needs_an_uncertainty) {
  EXPECT_EQ(problem("    rounding: 10k\n", ""),
            ":30: goodput_ops_s has no uncertainty; give rounding or reading");
}

TEST_F(FitFile, a_start_outside_of_its_bounds_is_refused) {
  EXPECT_EQ(problem("start: 600ns", "start: 200ns"),
            ":11: latency.one_way: expected 0 < low <= start <= high and 0 < step < low");
}

TEST_F(FitFile, a_wrong_scenario_is_reported_with_the_run) {
  const std::string told = problem("platform.clients_per_node: 2", "platform.client_per_node: 2");
  EXPECT_NE(told.find(":9: "), std::string::npos) << told;
  EXPECT_NE(told.find("clients_per_node"), std::string::npos) << told;
}

TEST_F(FitFile, an_unknown_name_lists_the_known_ones) {
  const auto spec = load_fit("connectx-55", protocol_infos(), data());
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().text(),
            "there is no fit 'connectx-55'; known: connectx-3, connectx-4, connectx-5, connectx-6");
}

}  // namespace
}  // namespace latchlab::fit_test
