#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

namespace {

void add_calibrate(Cli& cli) {
  const auto arguments = tool::arguments<CalibrateArguments>();
  CLI::App& command =
      cli.add("calibrate", "Fit a NIC's constants to published measurements; minutes of simulation",
              [arguments] { return calibrate(*arguments); });
  command.add_option("fit", arguments->fit, "A file, or a name under models/fits/")
      ->capture_default_str();
  command.add_option("--out", arguments->out, "Write the page DIR/NAME.md instead of printing it")
      ->type_name("DIR");
  add_jobs(command, arguments->jobs, "Simulations");
  add_data(command, arguments->data);
  command.add_flag("--json", arguments->json, "Print one JSON document on stdout and nothing else");
  command.add_flag("--quiet", arguments->quiet, "No progress");
  command.footer(kExitCodes);
}

struct ListArguments {
  std::string what;
  std::string data;
  bool json = false;
  bool names = false;
  bool markdown = false;
};

void add_list(Cli& cli) {
  const auto arguments = tool::arguments<ListArguments>();
  CLI::App& command = cli.add("list", "What there is to choose from", [arguments] {
    if (arguments->markdown) return list_markdown(arguments->what);
    if (arguments->names) return list_names(arguments->what, arguments->data);
    return list(arguments->what, arguments->data, arguments->json);
  });
  command.add_option("what", arguments->what, "What is listed; paths are those of --set")
      ->required()
      ->check(CLI::IsMember({"protocols", "workloads", "nics", "scenarios", "checks", "experiments",
                             "paths", "profiles", "topics"}));
  add_data(command, arguments->data);
  command.add_flag("--json", arguments->json, "For programs");
  command.add_flag("--names", arguments->names, "Names alone, one a line");
  command.add_flag("--markdown", arguments->markdown, "Protocols as the table of README.md");
  cli.take_plugins(command);
}

}  // namespace

void add_other_commands(Cli& cli) {
  add_calibrate(cli);
  add_list(cli);
}

}  // namespace latchlab::tool
