#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

void add_report_commands(Cli& cli) {
  const auto arguments = tool::arguments<ReportArguments>();
  CLI::App& command =
      cli.add("report", "Write the page on stored runs: figures, tables, verdicts; for a browser",
              [arguments] { return report(*arguments); });
  command
      .add_option("directories", arguments->directories,
                  "What latchlab run wrote; several runs share one page, their figures together")
      ->required()
      ->type_name("DIR ...");
  command
      .add_option("--out", arguments->out,
                  "The page, replaced if it exists [DIR/report.html; of several report.html here]")
      ->type_name("FILE");
  add_data(command, arguments->data);
  cli.take_plugins(command);
  command.footer(kExitCodes);
}

}  // namespace latchlab::tool
