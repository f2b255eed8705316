// Completion scripts. Names of scenarios and the like are asked of the program as they are needed.

#include <fmt/format.h>

#include <map>

#include "tools/latchlab/cli/described.h"

namespace latchlab::tool {

namespace {

// What `latchlab list WHAT --names` knows of a kind of value; empty: nothing.
std::string listed(const DescribedOption& option) {
  static const std::map<std::string, std::string> lists = {
      {"SCENARIO", "scenarios"}, {"PROTOCOL", "protocols"},     {"NIC", "nics"},
      {"TOPIC", "topics"},       {"EXPERIMENT", "experiments"}, {"PROFILE", "profiles"},
      {"PATH=VALUE", "paths"},   {"PATH=LOW..HIGH", "paths"}};
  const auto found = lists.find(option.value);
  return found == lists.end() ? "" : found->second;
}

// Behind which a value follows at once.
bool is_assignment(const DescribedOption& option) {
  return option.value.starts_with("PATH=");
}

// Names without values, and commands, in the order of --help.
std::string words_of(const DescribedCommand& command) {
  std::string words;
  for (const DescribedCommand& each : command.commands) words += each.name + " ";
  for (const DescribedOption& option : command.options)
    if (!option.positional) words += option.names.back() + " ";
  if (!words.empty()) words.pop_back();
  return words;
}

// ---- bash (and zsh, which reads bash's) ----

// The shell command that prints the possible values of an option; empty: they are not known.
std::string bash_values(const DescribedOption& option) {
  if (!option.choices.empty())
    return fmt::format("compgen -W '{}'", fmt::join(option.choices, " "));
  if (const std::string what = listed(option); !what.empty())
    return fmt::format("IFS=$'\\n'; compgen{} -W \"$(latchlab list {} --names 2>/dev/null)\"",
                       is_assignment(option) ? " -S =" : "", what);
  if (option.value == "DIR") return "compgen -d";
  if (option.value == "FILE") return "compgen -f";
  return "";
}

constexpr const char* kNoSpace = "compopt -o nospace +o filenames 2>/dev/null; ";

// Options that take the same values share a case.
std::string bash_command(const DescribedCommand& command) {
  std::map<std::string, std::string> cases;
  std::string positional;
  for (const DescribedOption& option : command.options) {
    const std::string values = bash_values(option);
    if (option.positional) {
      if (!values.empty()) positional += values + " -- \"$word\"; ";
    } else if (!option.value.empty()) {
      std::string& names = cases[values];
      names += fmt::format("{}{}", names.empty() ? "" : "|", fmt::join(option.names, "|"));
    }
  }
  std::string text = fmt::format("    {})\n      case $before in\n", command.name);
  for (const auto& [values, names] : cases)
    text +=
        values.empty()
            ? fmt::format("        {}) return ;;\n", names)
            : fmt::format("        {}) {}mapfile -t COMPREPLY < <({} -- \"$word\"); return ;;\n",
                          names, values.find(" -S =") != std::string::npos ? kNoSpace : "", values);
  text += fmt::format("      esac\n      words='{}'\n", words_of(command));
  if (!positional.empty()) text += fmt::format("      names=$({}true)\n", positional);
  return text + "      ;;\n";
}

std::string bash_script(const DescribedCommand& program) {
  std::string text =
      "# bash completion for latchlab; made by 'latchlab completion bash'\n"
      "_latchlab() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= names=\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n";
  text +=
      fmt::format("    mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\")\n    return\n  fi\n",
                  words_of(program));
  text += "  case ${COMP_WORDS[1]} in\n";
  for (const DescribedCommand& command : program.commands) text += bash_command(command);
  return text +
         "  esac\n"
         "  if [[ $word == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(echo \"$names\" | grep .; compgen -f -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _latchlab latchlab\n";
}

std::string zsh_script(const DescribedCommand& program) {
  return "#compdef latchlab\n"
         "# zsh completion for latchlab; made by 'latchlab completion zsh'\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(program);
}

// ---- fish ----

std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

std::string fish_values(const DescribedOption& option) {
  if (!option.choices.empty())
    return " -x -a " + in_quotes(fmt::format("{}", fmt::join(option.choices, " ")));
  if (const std::string what = listed(option); !what.empty())
    return fmt::format(" -a '(latchlab list {} --names 2>/dev/null{})'", what,
                       is_assignment(option) ? " | string replace -r \\$ =" : "");
  if (option.value == "DIR") return " -x -a '(__fish_complete_directories)'";
  if (option.value == "N" || option.value == "TIME") return " -x";
  return option.value.empty() ? "" : " -r";
}

std::string fish_option(const DescribedOption& option, const std::string& condition) {
  std::string text = "complete -c latchlab" + condition;
  if (!option.positional) {
    for (const std::string& name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += " -d " + in_quotes(option.help);
  } else if (option.choices.empty() && listed(option).empty()) {
    return "";
  }
  return text + fish_values(option) + "\n";
}

std::string fish_script(const DescribedCommand& program) {
  std::string text = "# fish completion for latchlab; made by 'latchlab completion fish'\n";
  for (const DescribedOption& option : program.options)
    text += fish_option(option, " -n __fish_use_subcommand");
  for (const DescribedCommand& command : program.commands) {
    text += fmt::format("complete -c latchlab -n __fish_use_subcommand -x -a {} -d {}\n",
                        command.name, in_quotes(command.help));
    for (const DescribedOption& option : command.options)
      text +=
          fish_option(option, fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name));
  }
  return text;
}

}  // namespace

std::string completion_script(const DescribedCommand& program, const std::string& shell) {
  if (shell == "fish") return fish_script(program);
  return shell == "zsh" ? zsh_script(program) : bash_script(program);
}

}  // namespace latchlab::tool
