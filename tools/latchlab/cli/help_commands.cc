#include <fmt/core.h>

#include "tools/latchlab/cli/cli.h"
#include "tools/latchlab/cli/described.h"

namespace latchlab::tool {

namespace {

void add_doctor(Cli& cli) {
  struct Arguments {
    std::string data;
    bool json = false;
  };
  const auto arguments = tool::arguments<Arguments>();
  CLI::App& command =
      cli.add("doctor", "Say what this machine has, what it lacks, and how to get it",
              [arguments] { return doctor(arguments->data, arguments->json); });
  add_data(command, arguments->data);
  command.add_flag("--json", arguments->json, "For programs");
}

void add_completion(Cli& cli) {
  const auto shell = tool::arguments<std::string>();
  CLI::App& command =
      cli.add("completion", "Print a script that completes commands in a shell", [shell, &cli] {
        fmt::print("{}", completion_script(described(cli.app()), *shell));
        return kFine;
      });
  command.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.footer("For this shell:  source <(latchlab completion bash)");
}

void add_manual(Cli& cli) {
  CLI::App& command = cli.add("manual", "Print the manual page", [&cli] {
    fmt::print("{}", manual_page(described(cli.app()), LATCHLAB_VERSION));
    return kFine;
  });
  command.footer("To read it:  latchlab manual | man -l -");
}

}  // namespace

void add_help_commands(Cli& cli) {
  add_doctor(cli);
  add_completion(cli);
  add_manual(cli);
}

}  // namespace latchlab::tool
