// latchlab replay --json.

#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Replay : public Command {
 protected:
  // A search that finds that a lock does not recover from the crash of a client.
  std::string found() {
    const Finished searched =
        latchlab({"explore", "--out", "found", "--protocol", "mcs", "--crashes", "1"});
    EXPECT_EQ(searched.code, 1) << searched.err;
    return "found/mcs-deadlock-1.json";
  }
  void expect_refused(const std::string& text, const std::string& reason) {
    write("odd.json", text);
    const Finished done = latchlab({"replay", "odd.json", "--json"});
    EXPECT_EQ(done.code, 2) << text;
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, StartsWith("latchlab: odd.json"));
    EXPECT_THAT(done.err, HasSubstr(reason));
    EXPECT_EQ(latchlab({"replay", "odd.json"}).err, done.err);
  }
};

TEST_F(Replay, as_json_is_one_document_and_nothing_else) {
  const std::string trace = found();
  const Finished told = latchlab({"replay", trace, "--json"});
  EXPECT_EQ(told.code, 0);
  EXPECT_EQ(told.err, "");
  const Json json = parse_json(told.out);
  ASSERT_TRUE(json.is_object()) << told.out;
  EXPECT_EQ(json["latchlab_replay"], 1);
  EXPECT_EQ(json["moves"].size(), 4u);
  EXPECT_EQ(json["moves"][3]["kind"], "crash");
  EXPECT_EQ(json["finding"]["wrong"], "deadlock");
  EXPECT_EQ(json["ends_as_told"], true);
  EXPECT_EQ(latchlab({"replay", trace, "--json"}).out, told.out);
}

TEST_F(Replay, of_a_trace_that_does_not_end_as_recorded_fails) {
  Json json = parse_json(read(found()));
  json["entry"] = "free for ever";
  const Finished told = latchlab({"replay", write("odd.json", dump_json(json)), "--json"});
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.err, HasSubstr("the trace does not end as it says"));
  EXPECT_EQ(parse_json(told.out)["ends_as_told"], false);
}

TEST_F(Replay, of_a_file_that_is_no_trace_is_refused) {
  expect_refused("", "this is no trace: expected the JSON that latchlab explore writes");
  expect_refused("{\"latchlab_trace\": 2}", "this build reads traces of version 1");
  Json json = parse_json(read(found()));
  json.erase("moves");
  expect_refused(dump_json(json), "'moves' is missing from this trace");
  const Finished told = latchlab({"replay", "nowhere.json", "--json"});
  EXPECT_EQ(told.code, 2);
  EXPECT_EQ(told.out, "");
}

}  // namespace
}  // namespace latchlab::cli_test
