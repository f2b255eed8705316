// Parses the command line, runs the command and returns its exit code. cli/ defines the commands.

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "core/scenario/suggestions.h"
#include "tools/latchlab/cli/cli.h"
#include "tools/latchlab/load.h"

namespace {

using namespace latchlab::tool;

// A suggestion for a misspelt option: "; did you mean --out?"; empty: none.
std::string meant(const CLI::App& command, const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || latchlab::contains(known, name)) continue;
    std::string near;
    for (const std::string& each : known)  // --output
      if (name.starts_with(each)) near = each;
    if (near.empty()) near = latchlab::nearest(name, known);
    if (!near.empty()) return fmt::format("; did you mean {}?", near);
  }
  return {};
}

// The error in one line, and the help command to read.
std::string complaint(const std::vector<std::string>& words, const CLI::App& app,
                      const CLI::Error& error) {
  const std::string command = words.empty() ? "" : words.front();
  std::vector<std::string> known;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_name() == command)
      return fmt::format("latchlab {}: {}{}\nSee: latchlab {} --help\n", command, error.what(),
                         meant(*each, words), command);
    known.push_back(each->get_name());
  }
  if (command.empty())
    return fmt::format("latchlab: a command is missing; known: {}\nTry: latchlab run quickstart\n",
                       latchlab::joined(known));
  if (command.front() != '-')
    return fmt::format("latchlab: unknown command '{}'{}\n", command,
                       latchlab::suggestion(command, known));
  return fmt::format("latchlab: {}\nSee: latchlab --help\n", error.what());
}

// Translates "help" and "help run" into --help.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.resize(std::min<std::size_t>(words.size(), 1));
  words.emplace_back("--help");
  return words;
}

// Flushes stdout, because a full disk may only be reported by the flush.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return complain({fmt::format("cannot write to stdout: {}", std::strerror(errno)), {}}, kCannot);
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGXFSZ, SIG_IGN);  // write() then fails at a file size limit and the error is reported
  Cli cli;
  for (const auto add : {add_run,       add_reproduce, add_check,   add_node,       add_find,
                         add_explore,   add_swarm,     add_replay,  add_new,        add_export,
                         add_classroom, add_report,    add_compare, add_calibrate,  add_list,
                         add_schema,    add_explain,   add_doctor,  add_completion, add_manual})
    add(cli);
  std::vector<std::string> words = words_of(argc, argv);
  const std::vector<std::string> given = words;
  cli.app().failure_message([&](const CLI::App* /*failed*/, const CLI::Error& error) {
    return complaint(given, cli.app(), error);
  });
  try {
    std::reverse(words.begin(), words.end());  // the order that parse() requires
    cli.app().parse(words);
  } catch (const CLI::ParseError& error) {
    return cli.app().exit(error) == 0 ? flushed(kFine) : kBadInput;
  }
  try {
    if (const latchlab::Status loaded = cli.load_plugins(); !loaded)
      return complain(loaded.error());
    return flushed(cli.chosen()());
  } catch (const std::system_error& error) {  // of fmt::print
    return complain({fmt::format("cannot write: {}", error.what()), {}}, kCannot);
  }
}
