#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

void add_new_commands(Cli& cli) {
  const auto arguments = tool::arguments<NewProtocolArguments>();
  CLI::App& command = cli.add(
      "new", "Write the files of a new lock: they build, pass their tests and can be explored",
      [arguments] { return new_protocol(*arguments); });
  command.add_option("what", arguments->what, "protocol: a lock")
      ->required()
      ->check(CLI::IsMember({"protocol"}));
  command.add_option("name", arguments->name, "Name in snake_case, for example my_lock")
      ->required()
      ->type_name("NAME");
  command.add_flag(
      "--out-of-tree", arguments->out_of_tree,
      "Write a directory NAME that builds a plug-in, instead of files in Latchlab's source tree");
  command
      .add_option("--out", arguments->out,
                  "The source tree, or the directory to create [the current directory, or NAME]")
      ->type_name("DIR");
  cli.take_plugins(command);
  command.footer("Nothing is overwritten: either all files are written or none.\n\n" +
                 std::string(kExitCodes));
}

}  // namespace latchlab::tool
