#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

void add_export_commands(Cli& cli) {
  const auto arguments = tool::arguments<ExportArguments>();
  CLI::App& command = cli.add("export", "Write the results of a finished run for other programs",
                              [arguments] { return export_run(*arguments); });
  command.add_option("directory", arguments->directory, "A directory that latchlab run wrote")
      ->required()
      ->type_name("DIR");
  command
      .add_flag("--gnuplot", arguments->gnuplot,
                "Write DIR/gnuplot/: data, a script per figure and a Makefile; then, for PDFs:  "
                "cd DIR/gnuplot && gnuplot *.gp")
      ->required();
  add_data(command, arguments->data);
  cli.take_plugins(command);
  command.footer(kExitCodes);
}

}  // namespace latchlab::tool
