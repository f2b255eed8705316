#include "tools/latchlab/cli/described.h"

#include <fmt/format.h>

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

// The manual page, in the macros of man(7).

namespace {

// Text as it is: no macro at the start of a line, no escape, hyphens that can be copied.
std::string plain(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    at_start = c == '\n';
  }
  return out;
}

// Lines of its own stay lines.
std::string paragraph(const std::string& text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", plain(text));
}

std::string names_of(const DescribedOption& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", plain(name));
  return option.positional ? fmt::format("\\fI{}\\fR", plain(option.names.front())) : text;
}

std::string option_text(const DescribedOption& option) {
  std::string text = ".TP\n" + names_of(option);
  if (!option.positional && !option.value.empty())
    text += fmt::format(" \\fI{}\\fR{}", plain(option.value), option.many ? " ..." : "");
  text += "\n" + plain(option.help);
  if (!option.choices.empty())
    text += plain(fmt::format(". One of: {}", fmt::join(option.choices, ", ")));
  if (!option.fallback.empty()) text += plain(fmt::format(" [{}]", option.fallback));
  return text + "\n";
}

std::string synopsis(const DescribedCommand& command, const std::string& before) {
  std::string text = fmt::format(".B {} {}\n", before, plain(command.name));
  for (const DescribedOption& option : command.options)
    if (option.positional)
      text += option.required ? fmt::format(".I {}\n", plain(option.names.front()))
                              : fmt::format(".RI [ {} ]\n", plain(option.names.front()));
  return text + ".RI [ OPTION ...]\n.br\n";
}

std::string command_text(const DescribedCommand& command) {
  std::string text =
      fmt::format(".SS \"latchlab {}\"\n{}.\n", plain(command.name), plain(command.help));
  for (const DescribedOption& option : command.options)
    if (option.names.back() != "--help") text += option_text(option);
  for (const DescribedCommand& each : command.commands) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", plain(each.name), plain(each.help));
    for (const DescribedOption& option : each.options)
      if (option.names.back() != "--help") text += option_text(option);
  }
  return text;
}

}  // namespace

std::string manual_page(const DescribedCommand& program, const std::string& version) {
  std::string text =
      fmt::format(".TH LATCHLAB 1 \"\" \"latchlab {}\" \"User Commands\"\n", version);
  text +=
      ".SH NAME\nlatchlab \\- study locks over RDMA by simulation, by search and on hardware\n.SH "
      "SYNOPSIS\n";
  for (const DescribedCommand& command : program.commands) text += synopsis(command, "latchlab");
  text += ".SH DESCRIPTION\n" + paragraph(program.help) + ".SH COMMANDS\n";
  for (const DescribedCommand& command : program.commands) text += command_text(command);
  text += ".SH OPTIONS\n";
  for (const DescribedOption& option : program.options) text += option_text(option);
  text += ".SH EXIT STATUS\n" + paragraph(program.footer);
  text +=
      ".SH ENVIRONMENT\n.TP\n\\fBLATCHLAB_DATA\\fR\n"
      "Directory in which models/ and scenarios/ are looked up, after that of "
      "\\fB\\-\\-data\\fR.\n"
      ".TP\n\\fBLATCHLAB_PLUGINS\\fR\n"
      "Paths of shared libraries with locks, joined by colons.\n"
      ".TP\n\\fBLATCHLAB_TOKEN\\fR\n"
      "Secret that the processes of a run on hardware share.\n";
  return text;
}

}  // namespace latchlab::tool
