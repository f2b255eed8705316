#pragma once
// The command line as plain data, read off the same declarations that --help prints: what
// completions and the manual page are made from.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace latchlab::tool {

struct DescribedOption {
  std::vector<std::string> names;  // "--out", "-h"; of a positional its one name, without dashes
  std::string value;               // what it takes: "DIR", "N"; empty: a flag
  std::vector<std::string> choices;
  std::string fallback;
  std::string help;
  bool positional = false;
  bool required = false;
  bool many = false;
};

struct DescribedCommand {
  std::string name;
  std::string help;
  std::string footer;
  std::vector<DescribedOption> options;
  std::vector<DescribedCommand> commands;
};

// The program itself, with its commands below it.
DescribedCommand described(const CLI::App& app);

// Scripts for shells: bash, zsh or fish.
std::string completion_script(const DescribedCommand& program, const std::string& shell);

// The page for man(1), in man(7) macros.
std::string manual_page(const DescribedCommand& program, const std::string& version);

}  // namespace latchlab::tool
