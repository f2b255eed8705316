#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

namespace {

void add_schema(Cli& cli) {
  const auto arguments = tool::arguments<SchemaArguments>();
  CLI::App& command =
      cli.add("schema", "Print a JSON Schema of scenarios, for completion and checks in editors",
              [arguments] { return schema(*arguments); });
  CLI::Option* nic =
      command.add_flag("--nic", arguments->nic, "The schema of files under models/nics instead");
  command
      .add_flag("--markdown", arguments->markdown,
                "Print it as Markdown: docs/scenario-reference.md")
      ->excludes(nic);
  command.footer(
      "For an editor with the YAML extension, name the schema in the first line of a scenario:\n"
      "  latchlab schema > scenario.schema.json\n"
      "  # yaml-language-server: $schema=scenario.schema.json");
}

void add_explain(Cli& cli) {
  const auto arguments = tool::arguments<ExplainArguments>();
  CLI::App& command =
      cli.add("explain", "Explain a metric, phase, constant, parameter, key, verdict or term",
              [arguments] { return explain(*arguments); });
  command
      .add_option("name", arguments->name,
                  "For example acquire_ns.p99, WP, atomic.window, shiftlock.lease, UNSAFE [list "
                  "all names]")
      ->type_name("TOPIC");
  command.add_option("--nic", arguments->nic, "NIC whose values of constants are shown")
      ->type_name("NIC")
      ->capture_default_str();
  add_data(command, arguments->data);
  command.add_flag("--json", arguments->json,
                   "Print one JSON document; without a topic, of all topics");
  command.add_flag("--glossary", arguments->glossary,
                   "Print all terms as Markdown: docs/glossary.md");
}

}  // namespace

void add_learn_commands(Cli& cli) {
  add_schema(cli);
  add_explain(cli);
}

}  // namespace latchlab::tool
