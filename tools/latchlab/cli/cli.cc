#include "tools/latchlab/cli/cli.h"

#include <fmt/core.h>

#include <charconv>
#include <system_error>

#include "tools/latchlab/plugins.h"
#include "tools/latchlab/version.h"

namespace latchlab::tool {

namespace {

constexpr const char* kAbout =
    "Latchlab studies locks over RDMA: the same protocol code on a simulated fabric, on RDMA\n"
    "devices, and in an explorer of interleavings and crashes.\n\n"
    "Start with:  latchlab run quickstart\n"
    "Then change one thing:  latchlab run quickstart --set workload.read_ratio=95%";

}  // namespace

const char* const kExitCodes =
    "Exit codes: 0 fine; 1 a lock failed a check, a point failed, or a published value that must\n"
    "hold was missed; 2 bad input; 3 this build or machine lacks something that is needed;\n"
    "130 interrupted, finished points are kept.";

Cli::Cli() : app_{kAbout, "latchlab"} {
  app_.require_subcommand(1);
  app_.set_version_flag("--version", version_text(),
                        "Print the version, the compiler and the libraries");
  app_.footer(kExitCodes);
}

CLI::App& Cli::add(const std::string& name, const std::string& help, Action action) {
  CLI::App& command = *app_.add_subcommand(name, help);
  commands_.emplace_back(&command, std::move(action));
  return command;
}

const Action& Cli::chosen() const {
  for (const auto& [command, action] : commands_)
    if (command->parsed()) return action;
  return commands_.front().second;  // not reached: a command is required
}

void Cli::take_plugins(CLI::App& command) {
  command
      .add_option("--plugin", plugins_,
                  "Load the locks of this plug-in, in addition to LATCHLAB_PLUGINS (repeatable)")
      ->type_name("FILE.so")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  with_plugins_.push_back(&command);
}

Status Cli::load_plugins() const {
  for (const CLI::App* command : with_plugins_)
    if (command->parsed()) return tool::load_plugins(plugins_);
  return fine();
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && value >= least && value <= most) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
  };
  return CLI::Validator(check, "");
}

void add_data(CLI::App& command, std::string& data) {
  command
      .add_option("--data", data, "Directory in which models/ and scenarios/ are looked up first")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
}

void add_jobs(CLI::App& command, std::uint32_t& jobs, const char* what) {
  command
      .add_option(
          "--jobs", jobs,
          fmt::format("{} that run at once; does not change results [number of cores]", what))
      ->type_name("N")
      ->check(whole_number(1, 4'096));
}

}  // namespace latchlab::tool
