#pragma once
// The command line: a list of commands, each with its options, its help and what it does. Help,
// completions and the manual page are all made from this list. CLI11 stays in this folder.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/latchlab/run.h"

namespace latchlab::tool {

// Does what a command is for; the process exits with what it returns.
using Action = std::function<int()>;

class Cli {
 public:
  Cli();

  CLI::App& app() { return app_; }
  // A command without options, to which they are then added. Its action is called after parsing.
  CLI::App& add(const std::string& name, const std::string& help, Action action);
  // Of the command that was given; only after parsing.
  const Action& chosen() const;
  // Gives a command the option --plugin: its locks are there before its action is called.
  void take_plugins(CLI::App& command);
  // Loads what the command that was given asks for; only after parsing.
  Status load_plugins() const;

 private:
  CLI::App app_;
  std::vector<std::string> plugins_;
  std::vector<const CLI::App*> with_plugins_;
  std::vector<std::pair<const CLI::App*, Action>> commands_;
};

// Arguments live as long as the action that reads them.
template <class Arguments>
std::shared_ptr<Arguments> arguments() {
  return std::make_shared<Arguments>();
}

// ---- the commands ----

void add_run(Cli& cli);
void add_reproduce(Cli& cli);
void add_check(Cli& cli);
void add_node(Cli& cli);
void add_find(Cli& cli);
void add_explore(Cli& cli);
void add_swarm(Cli& cli);
void add_replay(Cli& cli);
void add_new(Cli& cli);
void add_export(Cli& cli);
void add_classroom(Cli& cli);
void add_report(Cli& cli);
void add_compare(Cli& cli);
void add_calibrate(Cli& cli);
void add_list(Cli& cli);
void add_schema(Cli& cli);
void add_explain(Cli& cli);
void add_doctor(Cli& cli);
void add_completion(Cli& cli);
void add_manual(Cli& cli);

// ---- what several commands share ----

extern const char* const kExitCodes;
inline constexpr std::uint64_t kMostSeed = 0x7fff'ffff'ffff'ffff;

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
// SCENARIO, and what changes it: --set, --seed, --repeats, --data.
void add_scenario_options(CLI::App& command, ScenarioArguments& arguments);
void add_data(CLI::App& command, std::string& data);  // --data
// How a run on hardware takes place: ports, path and where nodes come together; with
// add_hardware_run() also threads and transport.
void add_fabric(CLI::App& command, HardwareArguments& hardware, const char* group);
void add_hardware_run(CLI::App& command, HardwareArguments& hardware);
void add_jobs(CLI::App& command, std::uint32_t& jobs, const char* what);

}  // namespace latchlab::tool
