#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/scenario/input_error.h"
#include "core/scenario/suggestions.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/explain/topics.h"

namespace latchlab::tool {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kColumns = 96;
constexpr std::size_t kMostInFull = 6;

// Words in lines, each after so many spaces.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column == 0 || column + 1 + (end - at) > kColumns) {
      out += (column == 0 ? "" : "\n") + std::string(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += text.substr(at, end - at);
    column += end - at;
    at = end + 1;
  }
  return out + "\n";
}

std::string told(const Topic& topic) {
  std::string text = fmt::format("{} ({})\n", topic.name, topic.group) + wrapped(topic.says, 2);
  for (const auto& [name, value] : topic.facts) text += wrapped(name + ": " + value, 4);
  if (!topic.see.empty()) text += wrapped("see: " + joined(topic.see), 4);
  return text;
}

Json as_json(const Topics& topics) {
  Json all = Json::array();
  for (const Topic& topic : topics) {
    Json facts = Json::object();
    for (const auto& [name, value] : topic.facts) facts[name] = value;
    all.push_back({{"name", topic.name},
                   {"group", topic.group},
                   {"says", topic.says},
                   {"facts", facts},
                   {"see", topic.see}});
  }
  return all;
}

std::string contents(const Topics& topics) {
  std::string text;
  for (std::size_t i = 0; i < topics.size();) {
    std::vector<std::string> names;
    const std::string& group = topics[i].group;
    std::size_t end = i;
    for (; end < topics.size() && topics[end].group == group; ++end)
      if (names.empty() || names.back() != topics[end].name) names.push_back(topics[end].name);
    text += group + ":\n" + wrapped(joined(names), 2);
    i = end;
  }
  return text + "\nlatchlab explain NAME explains one of them.\n";
}

Error unknown(const Topics& topics, const std::string& name) {
  std::vector<std::string> names;
  for (const Topic& topic : topics) {
    names.push_back(topic.name);
    const std::size_t dot = topic.name.rfind('.');
    if (dot != std::string::npos) names.push_back(topic.name.substr(dot + 1));
  }
  const std::string near = nearest(name, names);
  return {fmt::format("there is nothing called {} to explain; {}", latchlab::in_quotes(name),
                      near.empty() ? "latchlab explain lists what there is"
                                   : "did you mean " + latchlab::in_quotes(near) + "?"),
          {}};
}

}  // namespace

int explain(const ExplainArguments& arguments) {
  if (arguments.glossary) {
    fmt::print("{}", glossary_page());
    return kFine;
  }
  const Result<NicModel> nic = load_nic(arguments.nic, ".", data_dirs(arguments.data));
  if (!nic) return complain(nic.error());
  const Topics topics = all_topics(nic.value());
  const bool all = arguments.name.empty();
  const Topics found = all ? topics : find_topics(topics, arguments.name);
  if (found.empty()) return complain(unknown(topics, arguments.name));
  if (arguments.json) {
    fmt::print("{}\n", as_json(found).dump(1));
  } else if (all) {
    fmt::print("{}", contents(topics));
  } else {
    for (std::size_t i = 0; i < found.size(); ++i)
      fmt::print("{}{}", i == 0 ? "" : "\n",
                 found.size() <= kMostInFull
                     ? told(found[i])
                     : fmt::format("{} ({})\n", found[i].name, found[i].group) +
                           wrapped(found[i].says, 2));
  }
  return kFine;
}

}  // namespace latchlab::tool
