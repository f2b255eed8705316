#include "tests/cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "tests/paths.h"

extern char** environ;

namespace latchlab::cli_test {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream all;
  all << stream.rdbuf();
  return all.str();
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// The caller's environment without the variables that would change the result of a test.
std::vector<std::string> environment_with(const Environment& extra) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (name != "LATCHLAB_DATA" && name != "LATCHLAB_PLUGINS" && !extra.contains(name))
      all.push_back(text);
  }
  for (const auto& [name, value] : extra) all.push_back(name + "=" + value);
  return all;
}

}  // namespace

void Started::send(int signal) const {
  ::kill(-pid_, signal);
}

bool Started::any_left() const {
  return ::kill(-pid_, 0) == 0;
}

std::vector<pid_t> Started::children() const {
  std::istringstream list(text_of(fmt::format("/proc/{0}/task/{0}/children", pid_)));
  std::vector<pid_t> all;
  for (pid_t child = 0; list >> child;) all.push_back(child);
  return all;
}

Finished Started::wait() {
  if (pid_ < 0) return {};
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  Finished finished;
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.out = text_of(prefix_ + ".out");
  finished.err = text_of(prefix_ + ".err");
  return finished;
}

void Command::SetUp() {
  std::string pattern =
      (fs::temp_directory_path() / "latchlab-cli-").string() + std::string(6, 'X');
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  home_ = pattern;
  fs::create_directory(home_ / "home");
  home_ /= "home";
}

void Command::TearDown() {
  std::error_code ignored;
  fs::remove_all(home_.parent_path(), ignored);
}

void Command::write_repeat(const std::string& name, const std::string& text) const {
  const std::string begin = "{\"checksum\":\"";
  const bool has_one = text.starts_with(begin);
  write(name, has_one ? "{" + text.substr(text.find(',', begin.size()) + 1) : text);
}

std::string Command::write(const std::string& name, const std::string& text) const {
  std::ofstream(home_ / name, std::ios::binary) << text;
  return name;
}

std::string Command::read(const std::string& name) const {
  return text_of(home_ / name);
}

Json Command::json(const std::string& name) const {
  return parse_json(read(name));
}

bool Command::exists(const std::string& name) const {
  return fs::exists(home_ / name);
}

bool Command::appears(const std::string& name) const {
  for (int tries = 0; tries < 6'000 && !exists(name); ++tries) ::usleep(10'000);
  return exists(name);
}

Started Command::start_program(std::vector<std::string> words, const Environment& extra,
                               const std::string& out) {
  const std::string prefix = (home_.parent_path() / fmt::format("run-{}", ++started_)).string();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, home_.c_str());
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  const std::string out_path = out.empty() ? prefix + ".out" : out;
  const std::string err_path = prefix + ".err";
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_path.c_str(), flags, 0600);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_path.c_str(), flags, 0600);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> settings = environment_with(extra);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, words.front().c_str(), &actions, &attributes,
                                  pointers(words).data(), pointers(settings).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  EXPECT_EQ(error, 0) << "cannot start " << words.front();
  return Started(error == 0 ? pid : -1, prefix);
}

Started Command::start(const std::vector<std::string>& arguments, const Environment& extra,
                       const std::string& out) {
  std::vector<std::string> words = {LATCHLAB_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return start_program(std::move(words), extra, out);
}

Finished Command::latchlab(const std::vector<std::string>& arguments, const Environment& extra) {
  return start(arguments, extra).wait();
}

std::string small_scenario(const std::string& protocol, const std::string& rest) {
  return fmt::format(
      "schema: 1\n"
      "name: small\n"
      "platform: {{client_nodes: 2, clients_per_node: 2}}\n"
      "locks: {{count: 4}}\n"
      "workload: {{read_ratio: 50%}}\n"
      "protocol: {}\n"
      "run: {{warmup: 100us, duration: 400us}}\n"
      "{}",
      protocol, rest);
}

const Json& at_path(const Json& json, const std::string& dotted) {
  static const Json kNothing;
  const Json* at = &json;
  std::istringstream parts(dotted);
  for (std::string part; std::getline(parts, part, '.');) {
    if (!at->is_object() || !at->contains(part)) return kNothing;
    at = &(*at)[part];
  }
  return *at;
}

double number_at(const Json& metrics, const std::string& dotted) {
  const Json& leaf = at_path(metrics, dotted);
  if (leaf.is_object() && leaf.contains("mean") && leaf["mean"].is_number())
    return leaf["mean"].get<double>();
  EXPECT_TRUE(leaf.is_number()) << dotted << " is " << dump_json(leaf);
  return leaf.is_number() ? leaf.get<double>() : 0;
}

std::string tree_file(const std::string& name) {
  return text_of(fs::path(LATCHLAB_SOURCE_DIR) / name);
}

}  // namespace latchlab::cli_test
