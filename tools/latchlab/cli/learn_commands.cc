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

void add_explain(Cli& cli) {
  const auto arguments = tool::arguments<ExplainArguments>();
  CLI::App& command = cli.add(
      "explain", "Say what a metric, phase, constant, parameter, key, verdict or term means",
      [arguments] { return explain(*arguments); });
  command
      .add_option("name", arguments->name,
                  "For example acquire_ns.p99, WP, atomic.window, shiftlock.lease, UNSAFE [list "
                  "all names]")
      ->type_name("TOPIC");
  command.add_option("--nic", arguments->nic, "Whose values of constants are shown")
      ->type_name("NIC")
      ->capture_default_str();
  add_data(command, arguments->data);
  command.add_flag("--json", arguments->json, "Print one JSON document; without NAME, of all");
  command.add_flag("--glossary", arguments->glossary, "All terms as a page: docs/glossary.md");
}

}  // namespace

void add_learn_commands(Cli& cli) {
  add_schema(cli);
  add_explain(cli);
}

}  // namespace latchlab::tool
