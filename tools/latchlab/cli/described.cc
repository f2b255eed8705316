#include "tools/latchlab/cli/described.h"

#include <CLI/CLI.hpp>

#include "core/base/split.h"

namespace latchlab::tool {

namespace {

// CLI11 writes a value as "TEXT:{a,b}", where there are choices, or "DIR:DIR", by its check.
void read_value(const std::string& type, DescribedOption& option) {
  option.value = type.substr(0, type.find(':'));
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open != std::string::npos && close != std::string::npos)
    option.choices = split(type.substr(open + 1, close - open - 1), ',');
}

DescribedOption described_option(const CLI::Option& given) {
  DescribedOption option;
  for (const std::string& name : given.get_snames()) option.names.push_back("-" + name);
  for (const std::string& name : given.get_lnames()) option.names.push_back("--" + name);
  option.positional = option.names.empty();
  if (option.positional) option.names.push_back(given.get_name());
  if (given.get_items_expected_max() > 0) read_value(given.get_type_name(), option);
  option.fallback = given.get_default_str();
  option.help = given.get_description();
  option.required = given.get_required();
  option.many = given.get_items_expected_max() > 1 ||
                given.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  return option;
}

}  // namespace

DescribedCommand described(const CLI::App& app) {
  DescribedCommand command;
  command.name = app.get_name();
  command.help = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
    command.options.push_back(described_option(*option));
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    command.commands.push_back(described(*each));
  return command;
}

}  // namespace latchlab::tool
