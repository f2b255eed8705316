// latchlab new protocol: what it writes, and when it writes nothing. tests/new_protocol.cmake
// builds what it writes into a source tree. For docs/write-a-lock.md, a stage of tools/test builds
// the rest.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class NewProtocol : public Command {
 protected:
  Finished make(std::vector<std::string> more) {
    more.insert(more.begin(), {"new", "protocol"});
    return latchlab(more);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(home()))
      if (entry.is_regular_file()) all.push_back(entry.path().lexically_relative(home()).string());
    std::sort(all.begin(), all.end());
    return all;
  }
  void expect_refused(const std::vector<std::string>& more, const std::string& reason) {
    const std::vector<std::string> before = files();
    const Finished finished = make(more);
    SCOPED_TRACE(finished.err);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr(reason));
    EXPECT_EQ(files(), before);
  }
  // The files by which the command recognises the source tree of Latchlab.
  void copy_tree() const {
    fs::create_directories((home() / kRegistry).parent_path());
    fs::copy(fs::path(LATCHLAB_SOURCE_DIR) / kRegistry, home() / kRegistry);
  }
  static constexpr const char* kRegistry = "core/protocols/registry.cc";
};

TEST_F(NewProtocol, writes_a_directory_that_builds_a_plugin) {
  const Finished finished = make({"my_lock", "--out-of-tree", "--out", "locks/mine"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(
      files(),
      ElementsAre("locks/mine/.gitignore", "locks/mine/CMakeLists.txt", "locks/mine/README.md",
                  "locks/mine/my_lock.cc", "locks/mine/my_lock.h", "locks/mine/my_lock.yaml",
                  "locks/mine/plugin.cc", "locks/mine/tests/main.cc",
                  "locks/mine/tests/my_lock_planted.cc", "locks/mine/tests/my_lock_test.cc"));
  for (const std::string& file : files()) {
    EXPECT_THAT(finished.out, HasSubstr(file));
    EXPECT_THAT(read(file), Not(HasSubstr("@"))) << file;
  }
  EXPECT_THAT(finished.out, HasSubstr("latchlab run my_lock.yaml --plugin build/my_lock.so"));
}

TEST_F(NewProtocol, adds_folders_to_the_source_tree_and_changes_no_file) {
  copy_tree();
  const std::string registry = read(kRegistry);
  const Finished finished = make({"my_lock"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const std::vector<std::string> all = {"core/protocols/my_lock/my_lock.cc",
                                        "core/protocols/my_lock/my_lock.h",
                                        kRegistry,
                                        "scenarios/my_lock.yaml",
                                        "tests/protocols/my_lock/my_lock_planted.cc",
                                        "tests/protocols/my_lock/my_lock_test.cc",
                                        "tests/protocols/my_lock/verdicts"};
  EXPECT_EQ(files(), all);
  EXPECT_EQ(read(kRegistry), registry);
  for (const std::string& file : all) {
    if (file == kRegistry) continue;
    EXPECT_THAT(finished.out, HasSubstr("wrote " + file));
    EXPECT_THAT(read(file), Not(HasSubstr("@"))) << file;
  }
}

TEST_F(NewProtocol, takes_any_name_of_twenty_letters) {
  copy_tree();
  EXPECT_EQ(make({"aaaaaaaaaaaaaaaaaaaa"}).code, 0);
  EXPECT_EQ(make({"zz9"}).code, 0);
}

TEST_F(NewProtocol, refuses_names_that_do_not_fit) {
  for (const char* name :
       {"MyLock", "my-lock", "9lives", "_lock", "lock_", "my__lock", "", "../x", "a b", "lück"})
    expect_refused({name, "--out-of-tree"}, "is no name for a lock: use snake_case");
  expect_refused({"a23456789_123456789_1", "--out-of-tree"}, "has 21 letters: at most 20");
  for (const char* name : {"while", "co_await", "test", "core", "common"})
    expect_refused({name, "--out-of-tree"}, "choose another name, for example ");
  expect_refused({"dslr", "--out-of-tree"}, "there is a lock 'dslr' already");
  expect_refused({}, "name is required");
  EXPECT_EQ(latchlab({"new", "backend", "x"}).code, 2);
}

TEST_F(NewProtocol, overwrites_nothing_and_writes_all_files_or_none) {
  fs::create_directory(path("my_lock"));
  write("my_lock/notes", "mine");
  expect_refused({"my_lock", "--out-of-tree"}, "my_lock: exists already");
  copy_tree();
  const std::string planted = "tests/protocols/my_lock/my_lock_planted.cc";
  fs::create_directories(fs::path(path(planted)).parent_path());
  write(planted, "mine");
  expect_refused({"my_lock"}, planted + ": exists already");
  EXPECT_EQ(read(planted), "mine");
}

TEST_F(NewProtocol, removes_what_it_wrote_when_it_cannot_continue) {
  copy_tree();
  write("scenarios", "a file where a directory should be");
  expect_refused({"my_lock"}, "scenarios");
  EXPECT_FALSE(exists("tests"));
  EXPECT_FALSE(exists("core/protocols/my_lock"));
}

TEST_F(NewProtocol, needs_the_source_tree_or_out_of_tree) {
  expect_refused({"my_lock"}, "this directory is not Latchlab's source tree");
  expect_refused({"my_lock"}, "--out-of-tree");
  expect_refused({"my_lock", "--out", "nowhere"}, "nowhere is not Latchlab's source tree");
}

}  // namespace
}  // namespace latchlab::cli_test
