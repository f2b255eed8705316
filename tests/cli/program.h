#pragma once
// Runs the command like a user: its own process, its own directory, its output captured.

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"

namespace latchlab::cli_test {
struct Finished {
  int code = -1;  // exit code; 128 + n if signal n ended the process
  std::string out;
  std::string err;
};

class Started {
 public:
  Started(pid_t pid, std::string prefix) : pid_(pid), prefix_(std::move(prefix)) {}
  pid_t pid() const { return pid_; }
  // To the process and its children, as a terminal sends it.
  void send(int signal) const;
  bool any_left() const;  // of the process and its children
  // The process ids of its children, in order.
  std::vector<pid_t> children() const;
  Finished wait();

 private:
  pid_t pid_;
  std::string prefix_;  // of the files that contain its output
};

using Environment = std::map<std::string, std::string>;

// A fresh directory per test, removed at its end; the command runs there.
class Command : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  const std::filesystem::path& home() const { return home_; }
  std::string path(const std::string& name) const { return (home_ / name).string(); }
  // Writes a file and returns its name, to be used as an argument.
  std::string write(const std::string& name, const std::string& text) const;
  // A stored repeat (DIR/points/*.json) that a test has changed: without its checksum, which no
  // longer matches.
  void write_repeat(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  Json json(const std::string& name) const;
  bool exists(const std::string& name) const;
  // Polls until the file exists; false after a very long time.
  bool appears(const std::string& name) const;

  // Any program, in a process group of its own, so that a signal reaches all its processes.
  Started start_program(std::vector<std::string> words, const Environment& extra = {},
                        const std::string& out = {});
  // `out`: a file for stdout, which is then not captured.
  Started start(const std::vector<std::string>& arguments, const Environment& extra = {},
                const std::string& out = {});
  Finished latchlab(const std::vector<std::string>& arguments, const Environment& extra = {});

 private:
  std::filesystem::path home_;
  int started_ = 0;
};

// A scenario that runs in a few milliseconds; `rest` is appended.
std::string small_scenario(const std::string& protocol, const std::string& rest = "");

// The numbers below a dotted path: `{mean, ci95}` gives its mean.
double number_at(const Json& metrics, const std::string& dotted);
const Json& at_path(const Json& json, const std::string& dotted);

// The text of a file of the source tree, such as "docs/locks.md".
std::string tree_file(const std::string& name);

}  // namespace latchlab::cli_test
