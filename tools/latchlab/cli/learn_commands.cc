#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

namespace {

void add_schema(Cli& cli) {
  const auto arguments = tool::arguments<SchemaArguments>();
  CLI::App& command =
      cli.add("schema", "Print a JSON Schema of scenarios, for editors that complete and check",
              [arguments] { return schema(*arguments); });
  CLI::Option* nic =
      command.add_flag("--nic", arguments->nic, "Of files under models/nics instead");
  command
      .add_flag("--markdown", arguments->markdown,
                "The same as a page to read: docs/scenario-reference.md")
      ->excludes(nic);
  command.footer(
      "Tell an editor with the YAML extension in the first line of a scenario:\n"
      "  latchlab schema > scenario.schema.json\n"
      "  # yaml-language-server: $schema=scenario.schema.json");
}

}  // namespace

void add_learn_commands(Cli& cli) {
  add_schema(cli);
}

}  // namespace latchlab::tool
